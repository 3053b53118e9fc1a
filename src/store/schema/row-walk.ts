import { setImmediate as immediate } from 'node:timers/promises'
import {
  type Dialect,
  type LookupKind,
  type Part,
  quote,
  type Row,
  type Session,
  type SqlValue,
} from '#database'
import { readText } from './identifier.ts'
import { storedValue, type Table } from './tables.ts'

/** Records per batch: at most about 16 MB of short texts. */
const batchRows = 1_000

/** Sorts before every owner and every part of an identity. */
const beforeAll: Record<LookupKind, SqlValue> = {
  integer: -1,
  text: '',
  prefix: '',
  uuid: '00000000-0000-0000-0000-000000000000',
}

/** The owner and the identity, with which each row of a walk begins. */
export const walkedKey = (table: Table): readonly (Part & { readonly kind: LookupKind })[] => [
  { name: 'owner', kind: 'integer' },
  ...table.key,
]

/**
 * Walks all records of a table in batches: owner, identity (identifiers as text) and text. The
 * caller may change a batch during the walk. The event loop gets a turn after each batch.
 */
export async function* walkRows(
  session: Session,
  table: Table,
  dialect: Dialect,
): AsyncIterable<readonly Row[]> {
  const columns = walkedKey(table)
  const key = columns.map(({ name }) => quote(name)).join(', ')
  const after = columns.map((column, index) => storedValue(column, `?${index + 1}`, dialect))
  const text = [
    `select ${key}, "body"`,
    `from ${quote(table.name)}`,
    `where (${key}) > (${after.join(', ')})`,
    `order by ${key}`,
    `limit ${batchRows}`,
  ].join('\n')
  let values: readonly SqlValue[] = columns.map(({ kind }) => beforeAll[kind])
  for (;;) {
    const rows = (await session.all({ text, values })).map((row) =>
      row.map((cell) => (cell instanceof Uint8Array ? readText(cell) : cell)),
    )
    const last = rows.at(-1)
    if (!last) return
    yield rows
    values = last.slice(0, columns.length)
    await immediate()
  }
}
