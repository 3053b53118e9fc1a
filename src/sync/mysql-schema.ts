import type { SchemaQueries } from './source-schema.ts'

/** The tables of a database of MySQL or MariaDB that its user may read. */
export const mysqlSchema: SchemaQueries = {
  tables: (tablesMax) => `select table_name, table_schema, table_name,
  concat('\`', replace(table_name, '\`', '\`\`'), '\`'), true, table_type = 'VIEW', table_rows
from information_schema.tables
where table_schema = database() and table_type in ('BASE TABLE', 'VIEW')
order by table_type, table_name
limit ${tablesMax}`,
  columns: (tables) => `select table_name, column_name, column_type, is_nullable = 'NO',
  extra like '%on update%'
from information_schema.columns
where table_schema = database() and table_name in (${tables})
order by table_name, ordinal_position`,
  foreignKeys: (
    tables,
  ) => `select table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
from information_schema.key_column_usage
where table_schema = database() and table_name in (${tables})
  and referenced_table_schema = database()
order by table_name, constraint_name, ordinal_position`,
  // Rows can have the same values in an index on the beginning of a text or on an expression.
  uniqueKeys: (
    tables,
  ) => `select s.table_name, s.index_name, s.column_name, s.index_name = 'PRIMARY'
from information_schema.statistics s
where s.table_schema = database() and s.table_name in (${tables}) and s.non_unique = 0
  and not exists (
    select 1
    from information_schema.statistics p
    where p.table_schema = s.table_schema and p.table_name = s.table_name
      and p.index_name = s.index_name and (p.sub_part is not null or p.column_name is null)
  )
order by s.table_name, s.index_name <> 'PRIMARY', s.index_name, s.seq_in_index`,
  beginning: (column, length) => `left(${column}, ${length})`,
}
