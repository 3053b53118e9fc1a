import { valueAt } from '#contract'
import {
  type Dialect,
  quote,
  type Row,
  type Session,
  type SlicePart,
  type SqlValue,
} from '#database'
import { asInteger } from '../schema/collection-stats.ts'
import { comparable, sliceReader } from '../schema/comparable.ts'
import { bodyOf, type StoredRecord } from '../schema/record-body.ts'
import { columnDdl, columnsOf, storedValue, type Table } from '../schema/tables.ts'
import type { RowDigest } from './row-digest.ts'

/*
 * The fast path of an import, on the store's side. An import validates its files in a worker
 * thread. Most lines are canonical there: they are stored exactly as they are. Canonical records
 * reach the main thread as one buffer with the offsets of their columns, and the engine without
 * ever becoming JavaScript strings:
 * - `row-format.ts` defines for the thread how a collection's records become rows.
 * - `row-digest.ts` hashes identities and collects references in the thread.
 * - `duplicate-filter.ts` proves from the hashes that no identity occurs twice, and `references.ts`
 *   from the values that every referenced record exists, so that staged rows need no second pass.
 * - `direct-load.ts` inserts rows straight into their table if the result equals staging them.
 * - `bulkInsertSlices` of the database inserts the slices.
 * Other records arrive as cells and go through `bulkInsert` to the same temporary tables.
 */

/** Incoming records: canonical ones as bytes, the others as cells. */
export interface RowBatch {
  /** The source line of every record, in order. */
  readonly lines: readonly number[]
  readonly canonical: CanonicalRecords | null
  /** The indexes of the records that are not canonical, in order. */
  readonly others: readonly number[]
  /** The cells of those records, row by row. */
  readonly cells: readonly SqlValue[]
  /** The digest of all records. */
  readonly digest: RowDigest
  /** Decimal numbers that decide which of several rows with one identity counts; null is lowest. */
  readonly ranks?: readonly (string | null)[]
}

/** Records whose text is stored unchanged, as slices of a buffer. */
export interface CanonicalRecords {
  readonly bytes: Uint8Array
  /** For each record: its start and end, then those of each column; -1 twice for null. */
  readonly offsets: Int32Array<ArrayBuffer>
}

/** A batch, and the source of the import it came from. */
export interface StagedRows extends RowBatch {
  readonly source: number
  readonly codeProblems?: readonly CodeProblem[]
}

/** An invalid code, or a value beyond a bound, in a row of a batch. */
export interface CodeProblem {
  /** The index of the row in its batch. */
  readonly row: number
  /** The name of the check. */
  readonly check: string
  /** A JSON pointer into the record. */
  readonly pointer: string
  readonly value: string
  readonly reason: string
  /** What its sender calls the row, if that is known. */
  readonly key?: string | null
}

export const stagedName = (table: Table) => `staged_${table.name}`
export const removalsName = (table: Table) => `removals_${table.name}`
export const keptName = (table: Table) => `kept_${table.name}`
export const rejectedName = (table: Table) => `rejected_${table.name}`

/** Creates the temporary tables for staged rows and removals. */
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

/** Creates the temporary table of rows that are removed from the staging table. */
export const createRejected = async (
  session: Session,
  table: Table,
  dialect: Dialect,
): Promise<void> => {
  const rejected = quote(rejectedName(table))
  const index = dialect.temporaryIndex(`${rejectedName(table)}__row`)
  await session.runAll([
    `create temp table if not exists ${rejected} as select * from ${quote(stagedName(table))} where 1 = 0`,
    `delete from ${rejected}`,
    `create index if not exists ${index} on ${rejected} ("staged_row")`,
  ])
}

/** Removes rows from the staging table. With `keeps`, the table of rejected rows has them then. */
export const unstageRows = async (
  session: Session,
  {
    table,
    dialect,
    keeps,
  }: { readonly table: Table; readonly dialect: Dialect; readonly keeps: boolean },
  rows: readonly number[],
): Promise<number> => {
  const staged = quote(stagedName(table))
  const where = `where ${isAmong('"staged_row"', '?1', dialect)}`
  const values = [JSON.stringify(rows)]
  if (keeps) {
    await session.run({
      text: `insert into ${quote(rejectedName(table))} select * from ${staged} ${where}`,
      values,
    })
  }
  return session.run({ text: `delete from ${staged}\n${where}`, values })
}

/** Creates the temporary table of identities that a replacement keeps although they are not staged. */
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

/** Indexes the kept identities, after the table is filled. */
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

/** Statements that empty the staging and removals tables. */
export const emptyStagingStatements = (table: Table): readonly string[] => [
  // Lookups begin only once the table is full, and building the index then is much faster.
  `drop index if exists ${quote(keyIndex(table))}`,
  ...[stagedName(table), removalsName(table)].map((name) => `delete from ${quote(name)}`),
]

/** Stages a removal unless it is already staged. */
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

/** Indexes the staged rows by identity. */
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

/** A condition: a number is in a list, which is a parameter with JSON. */
export const isAmong = (column: string, numbers: string, dialect: Dialect): string =>
  `${column} in (select ${asInteger('n."value"', dialect)} from ${dialect.textsIn(numbers, 'n')})`

const keyIndex = (table: Table) => `${stagedName(table)}__key`

/** Appends a record's cells: the values of its columns, as the record has them, and its text. */
export type Pack = (record: StoredRecord, into: SqlValue[]) => void

export const createPacker = (table: Table): Pack => {
  const columns = columnsOf(table)
  return (record, into) => {
    for (const { path } of columns) into.push(valueAt(record, path) as SqlValue)
    into.push(bodyOf(table.resource, record))
  }
}

/** Adds a batch to the staging table. Numbers its rows from `firstRow`. */
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

export const sliceParts = (table: Table): readonly SlicePart[] =>
  columnsOf(table).map((column) => {
    const read = sliceReader(column.kind)
    return read ? { ...column, read } : column
  })

/** The cells of one record as they are stored: its columns, then its text. */
export const storedCells = (table: Table, cells: RowBatch['cells'], record: number): SqlValue[] => {
  const columns = columnsOf(table)
  const width = columns.length + 1
  const own = cells.slice(record * width, (record + 1) * width)
  const sortsFrom = columns.length - table.sorts.length
  for (const [index, { kind }] of columns.entries()) {
    const isStoredAsIs = index < sortsFrom && kind !== 'prefix'
    if (!isStoredAsIs) own[index] = comparable(kind, own[index] ?? null)
  }
  return own
}

const numberColumns = ['staged_row', 'staged_source', 'staged_line']

/** The number, source and line of a row. */
const rowNumbers =
  ({ source, lines }: StagedRows, firstRow: number) =>
  (row: number): readonly number[] => [firstRow + row, source, lines[row] ?? 0]
