import { valueAt } from '#contract'
import {
  type Dialect,
  quote,
  type Row,
  type Session,
  type SlicePart,
  type SqlValue,
} from '#database'
import { comparable, sliceReader } from '../schema/comparable.ts'
import { bodyOf, type StoredRecord } from '../schema/record-body.ts'
import { columnDdl, columnsOf, storedValue, type Table } from '../schema/tables.ts'
import type { RowDigest } from './row-digest.ts'

/*
 * The fast path of an import, on the store's side. An import validates its files in a thread, where
 * most lines turn out to be stored exactly as they are. Such canonical records cross to the main
 * thread as one buffer and the offsets of their columns, and reach the engine without ever becoming
 * JavaScript strings:
 * - `row-format.ts` tells the thread how a collection's records become rows;
 * - `row-digest.ts` hashes identities and collects references there, while the bytes are at hand;
 * - `duplicate-filter.ts` tells from the hashes that no identity came twice, and `references.ts` from
 *   the values that every referenced record exists, so that the staged rows need no second look;
 * - `direct-load.ts` loads them straight into their table where that gives the same as staging them;
 * - `bulkInsertSlices` of the database inserts the slices.
 * Records that are not canonical come as cells, by `bulkInsert`, to the same temporary tables.
 */

/** Records on their way in: the canonical ones as bytes, the others as cells. */
export interface RowBatch {
  /** The lines of all of them in the source they came from, in order. */
  readonly lines: readonly number[]
  readonly canonical: CanonicalRecords | null
  /** Which of the lines are not canonical, in order. */
  readonly others: readonly number[]
  /** The cells of those, one row after the other. */
  readonly cells: readonly SqlValue[]
  /** The digest of all of them. */
  readonly digest: RowDigest
}

/** Records whose text is stored as it is, and where they are in a buffer. */
export interface CanonicalRecords {
  readonly bytes: Uint8Array
  /** For each record where it begins and ends, and then each of its columns; -1 twice for null. */
  readonly offsets: Int32Array<ArrayBuffer>
}

/** A batch, and which of an import's sources it came from. */
export interface StagedRows extends RowBatch {
  readonly source: number
}

export const stagedName = (table: Table) => `staged_${table.name}`
export const removalsName = (table: Table) => `removals_${table.name}`
export const keptName = (table: Table) => `kept_${table.name}`

/** The temporary tables that hold what is staged and what is to be removed. */
export const createStaging = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const { integer } = dialect
  const columns = columnsOf(table).map((column) => columnDdl(column, dialect))
  const key = table.key.map((column) => columnDdl(column, dialect))
  const staged = [
    `create temp table if not exists ${quote(stagedName(table))} (`,
    `"staged_row" ${integer} primary key,`,
    `"staged_source" ${integer} not null,`,
    `"staged_line" ${integer} not null,`,
    ...columns.map((column) => `${column},`),
    '"body" text not null',
    ')',
  ]
  const removals = [
    `create temp table if not exists ${quote(removalsName(table))} (`,
    ...key.map((column) => `${column},`),
    `primary key (${table.key.map(({ name }) => quote(name)).join(', ')})`,
    `)${dialect.tableOptions}`,
  ]
  await session.runAll([staged.join('\n'), removals.join('\n'), ...emptyStagingStatements(table)])
}

/** The temporary table of identities that a replacement keeps, although they are not staged. */
export const createKept = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const key = table.key.map((column) => columnDdl(column, dialect))
  await session.runAll([
    `create temp table if not exists ${quote(keptName(table))} (\n${key.join(',\n')}\n)`,
    `delete from ${quote(keptName(table))}`,
  ])
}

/** Indexes what is kept by identity, once it is there. */
export const indexKept = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const index = `${keptName(table)}__key`
  const key = table.key.map(({ name }) => quote(name)).join(', ')
  await session.run({
    text: [
      `create index if not exists ${dialect.temporaryIndex(index)}`,
      `on ${quote(keptName(table))} (${key})`,
    ].join('\n'),
    values: [],
  })
}

/** The statements that empty the temporary tables of what is staged and what is to be removed. */
export const emptyStagingStatements = (table: Table): readonly string[] => [
  // It is looked up by identity only once it is full: an index created then is created much faster.
  `drop index if exists ${quote(keyIndex(table))}`,
  ...[stagedName(table), removalsName(table)].map((name) => `delete from ${quote(name)}`),
]

/** Stages the removal of an identity that may be among them already. */
export const stageRemovalOnce = async (
  session: Session,
  dialect: Dialect,
  table: Table,
  key: Row,
): Promise<void> => {
  const values = table.key.map((column, index) => storedValue(column, `?${index + 1}`, dialect))
  await session.run({
    text: [
      `insert into ${quote(removalsName(table))} (${table.key.map(({ name }) => quote(name)).join(', ')})`,
      `values (${values.join(', ')})`,
      'on conflict do nothing',
    ].join('\n'),
    values: key,
  })
}

/** Indexes what was staged by identity. */
export const indexStaging = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const key = table.key.map(({ name }) => quote(name)).join(', ')
  await session.run({
    text: [
      `create index if not exists ${dialect.temporaryIndex(keyIndex(table))}`,
      `on ${quote(stagedName(table))} (${key})`,
    ].join('\n'),
    values: [],
  })
}

const keyIndex = (table: Table) => `${stagedName(table)}__key`

/** Appends a record's cells to others: the values of its columns, as the record has them, and its text. */
export type Pack = (record: StoredRecord, into: SqlValue[]) => void

export const createPacker = (table: Table): Pack => {
  const columns = columnsOf(table)
  return (record, into) => {
    for (const { path } of columns) into.push(valueAt(record, path) as SqlValue)
    into.push(bodyOf(table.resource, record))
  }
}

/** Adds a batch to what is staged. `firstRow` numbers its rows. */
export const loadStaging = async (
  session: Session,
  table: Table,
  rows: StagedRows,
  firstRow: number,
): Promise<void> => {
  const { canonical, others, cells } = rows
  const columns = columnsOf(table)
  const numbersOf = rowNumbers(rows, firstRow)
  if (canonical) {
    const isOther = new Set(others)
    const canonicalRows =
      isOther.size === 0 ? null : [...rows.lines.keys()].filter((row) => !isOther.has(row))
    await session.bulkInsertSlices(stagedName(table), {
      bytes: canonical.bytes,
      offsets: canonical.offsets,
      parts: sliceParts(table),
      whole: 'body',
      numbered: numberColumns,
      numbersOf: (row) => numbersOf(canonicalRows ? (canonicalRows[row] as number) : row),
    })
  }
  const otherRows = function* (): Iterable<Row> {
    for (const [index, row] of others.entries()) {
      yield [...numbersOf(row), ...storedCells(table, cells, index)]
    }
  }
  if (others.length > 0) {
    const numbers = numberColumns.map((name) => ({ name, kind: 'integer' }) as const)
    const all = [...numbers, ...columns, { name: 'body', kind: 'text' } as const]
    await session.bulkInsert(stagedName(table), all, otherRows())
  }
}

/** The columns of canonical records. */
export const sliceParts = (table: Table): readonly SlicePart[] =>
  columnsOf(table).map((column) => {
    const read = sliceReader(column.kind)
    return read ? { ...column, read } : column
  })

/** The cells of one of several records as they are stored: of its columns, and its text. */
export const storedCells = (table: Table, cells: RowBatch['cells'], record: number): SqlValue[] => {
  const width = columnsOf(table).length + 1
  const own = cells.slice(record * width, (record + 1) * width)
  const sortsFrom = width - 1 - table.sorts.length
  for (const [sort, { kind }] of table.sorts.entries()) {
    own[sortsFrom + sort] = comparable(kind, own[sortsFrom + sort] ?? null)
  }
  return own
}

const numberColumns = ['staged_row', 'staged_source', 'staged_line']

/** The number, the source and the line of each of some rows. */
const rowNumbers =
  ({ source, lines }: StagedRows, firstRow: number) =>
  (row: number): readonly number[] => [firstRow + row, source, lines[row] ?? 0]
