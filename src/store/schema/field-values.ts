import { type Dialect, type Query, quote, type Row } from '#database'
import { readText } from './identifier.ts'
import { type Key, storedValue, type Table } from './tables.ts'

/** A record's identity, and some of its values as texts; null for those that it does not have. */
export interface FieldValues {
  readonly key: Key
  readonly values: readonly (string | null)[]
}

/** Records per batch. They are read without their texts, so that a batch is small. */
const batchRecords = 2_000

interface FieldValuesParts {
  readonly all: (query: Query) => Promise<readonly Row[]>
  readonly dialect: Dialect
  readonly table: Table
  readonly owner: number
}

/** Values of all records of an owner, by the paths of fields with texts or whole numbers, in batches. */
export async function* readFieldValues(
  { all, dialect, table, owner }: FieldValuesParts,
  paths: readonly (readonly string[])[],
): AsyncIterable<readonly FieldValues[]> {
  const key = table.key.map(({ name }) => quote(name))
  const after = table.key.map((column, index) => storedValue(column, `?${index + 2}`, dialect))
  const values = paths.map((path) => dialect.jsonText('"body"', path))
  const queryAfter = (last: Key | null): Query => ({
    text: [
      `select ${[...key, ...values].join(', ')}`,
      `from ${quote(table.name)}`,
      'where "owner" = ?1',
      ...(last ? [`and (${key.join(', ')}) > (${after.join(', ')})`] : []),
      `order by ${key.join(', ')}`,
      `limit ${batchRecords}`,
    ].join('\n'),
    values: [owner, ...(last ?? [])],
  })
  for (let last: Key | null = null; ; ) {
    const rows = await all(queryAfter(last))
    const batch = rows.map((row) => ({
      key: row.slice(0, key.length).map(readText),
      values: row.slice(key.length).map((value) => (value === null ? null : String(value))),
    }))
    if (batch.length > 0) yield batch
    if (rows.length < batchRecords) return
    last = batch.at(-1)?.key ?? null
  }
}
