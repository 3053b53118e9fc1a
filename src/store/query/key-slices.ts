import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Dialect, type Query, quote, type Row, type SqlValue, type Steps } from '#database'
import { readKey } from '../read/list.ts'
import type { ParamList } from '../read/query-template.ts'
import { runScan, type ScanProgress, type Slice } from '../read/resumable-scan.ts'
import { type Key, storedValue, type Table } from '../schema/tables.ts'

/** The qualified columns of a table's identity. */
export const keyColumns = ({ key }: Table): readonly string[] =>
  key.map(({ name }) => `t.${quote(name)}`)

/** Conditions that select the records after `from` up to and including `to`. */
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

/** The identity `rows` rows further; no row if fewer are left. */
export const compileKeyEnd = (
  table: Table,
  { dialect, values }: { readonly dialect: Dialect; readonly values: ParamList<SqlValue> },
  source: string,
  where: readonly string[],
  rows: number,
): Query => {
  const key = keyColumns(table).join(', ')
  const text = [
    `select ${key}`,
    `from ${source}`,
    `where ${where.join('\nand ')}`,
    `order by ${key}`,
    `limit 1 offset ${dialect.limit(values.add(rows - 1))}`,
  ].join('\n')
  return { text, values: values.all }
}

/** A scan that aggregates the records of a table in identity order. */
export interface KeyScan {
  /** The identity `rows` rows further; no row if fewer are left. */
  endOf(from: Key | null, rows: number): Query
  sliceOf(from: Key | null, to: Key | null): Query
  /** Checks the rows of a slice, or reads more of it, before `add`. */
  prepare(rows: readonly Row[], slice: Slice<Key>): Promise<void>
  add(row: Row): void
}

/** Rows added before the event loop gets a turn. */
const addedRows = 500
const firstRows = 2_000
const rowBounds = { min: 1_000, max: 50_000 }

export const newKeyScan = (): ScanProgress<Key> => ({
  position: null,
  isDone: false,
  rows: firstRows,
})

/** Continues a scan until it is done or the read's time is over. */
export const runKeyScan = (
  steps: Steps,
  table: Table,
  progress: ScanProgress<Key>,
  { endOf, sliceOf, prepare, add }: KeyScan,
): Promise<void> =>
  runScan<Key, readonly Row[]>(steps, progress, {
    rowBounds,
    endOf: async (from, rows) => {
      const [end] = await steps.all(endOf(from, rows))
      return end ? readKey(end, table) : null
    },
    read: ({ from, to }) => steps.all(sliceOf(from, to)),
    add: async (rows, slice) => {
      await prepare(rows, slice)
      for (let at = 0; at < rows.length; at += addedRows) {
        if (at > 0) await nextTurn()
        rows.slice(at, at + addedRows).forEach(add)
      }
      return false
    },
  })
