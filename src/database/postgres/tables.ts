import type { Row } from '../database.ts'

/** A table, with its columns in order and their types. */
export interface TypedTable {
  readonly name: string
  readonly columns: readonly { readonly name: string; readonly type: string }[]
}

/** All tables of the schema, with their columns in order. */
export const columnsQuery = [
  'select c.relname, a.attname, format_type(a.atttypid, a.atttypmod)',
  'from pg_class as c',
  'join pg_attribute as a on a.attrelid = c.oid',
  "where c.relnamespace = to_regnamespace('public')",
  "and c.relkind in ('r', 'p', 'v', 'm', 'f') and a.attnum > 0 and not a.attisdropped",
  'order by c.relname, a.attnum',
].join('\n')

export const parseColumns = (rows: readonly Row[]): readonly TypedTable[] =>
  [...Map.groupBy(rows, ([table]) => String(table))].map(([name, columns]) => ({
    name,
    columns: columns.map(([, column, type]) => ({ name: String(column), type: String(type) })),
  }))

export const indexesQuery = "select indexname from pg_indexes where schemaname = 'public'"
