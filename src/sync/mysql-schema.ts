import type { SchemaQueries } from './source-schema.ts'

/** The tables of a database of MySQL or MariaDB that its user may read. */
export const mysqlSchema: SchemaQueries = {
  tables: (
    tablesMax,
  ) => `select table_name, table_name, concat('\`', replace(table_name, '\`', '\`\`'), '\`')
from information_schema.tables
where table_schema = database() and table_type in ('BASE TABLE', 'VIEW')
order by table_type, table_name
limit ${tablesMax}`,
  columns: (tables) => `select table_name, column_name, data_type, is_nullable = 'NO',
  extra like '%on update%'
from information_schema.columns
where table_schema = database() and table_name in (${tables})
order by table_name, ordinal_position`,
  keys: (
    tables,
  ) => `select table_name, constraint_name, column_name, referenced_table_name, referenced_column_name
from information_schema.key_column_usage
where table_schema = database() and table_name in (${tables})
  and (constraint_name = 'PRIMARY' or referenced_table_schema = database())
order by table_name, constraint_name, ordinal_position`,
  beginning: (column, length) => `left(${column}, ${length})`,
}
