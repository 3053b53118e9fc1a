import { type Dialect, quote, type SqlValue } from '#database'
import type { Key } from '../read/list.ts'
import type { ParamList } from '../read/query-template.ts'
import { storedValue, type Table } from '../schema/tables.ts'

/** The columns of a table's identity, as statements name them. */
export const keyColumns = ({ key }: Table): readonly string[] =>
  key.map(({ name }) => `t.${quote(name)}`)

/** Conditions that select the records after one identity up to another. */
export const keyRange = (
  table: Table,
  dialect: Dialect,
  values: ParamList<SqlValue>,
  from: Key | null,
  to: Key | null,
): readonly string[] => {
  const tuple = (texts: readonly string[]) =>
    texts.length === 1 ? texts[0] : `(${texts.join(', ')})`
  const key = tuple(keyColumns(table))
  const bound = (at: Key) =>
    tuple(table.key.map((column, part) => storedValue(column, values.add(at[part] ?? ''), dialect)))
  return [...(from ? [`${key} > ${bound(from)}`] : []), ...(to ? [`${key} <= ${bound(to)}`] : [])]
}
