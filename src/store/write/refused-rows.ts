import { DatabaseRefusedError, quote, type Row, type Session } from '#database'
import { asText } from '../schema/collection-stats.ts'
import { columnsOf, type Key, type Table } from '../schema/tables.ts'
import { createRecorder } from './change-log.ts'
import { type Merge, mergeStaged } from './merge.ts'
import type { RejectedRow } from './rejected-rows.ts'
import { loadStaging, type StagedRows, stagedName, unstageRows } from './staging.ts'

/** Some rows: from a number to the one before another. */
interface Range {
  readonly from: number
  readonly to: number
}

/** A row that the database refuses, with its reason. */
interface RefusedRow {
  readonly row: number
  readonly error: DatabaseRefusedError
}

/** A search ends with this many refused rows: more have a common cause. */
const refusedMax = 100
/** Enough attempts to find these among millions of rows. */
const attemptsMax = 2_500

/** More rows are refused than are searched for. */
export class TooManyRefusedError extends Error {
  readonly collection: string
  /** Those that were found. */
  readonly rows: readonly RejectedRow[]

  constructor(collection: string, rows: readonly RejectedRow[]) {
    super(`The database refuses too many records of ${collection}.`)
    this.collection = collection
    this.rows = rows
  }
}

interface Found {
  readonly refused: readonly RefusedRow[]
  /** Whether all were found. */
  readonly isComplete: boolean
}

/**
 * Applies rows and finds those that the database refuses. Halves a part that is refused until
 * single rows are left, so one row among a million takes about twenty attempts. The other rows stay
 * applied. Of rows that are refused only together, the last one counts as refused.
 */
export const applyUnlessRefused = async (
  session: Session,
  rows: Range,
  apply: (part: Range) => Promise<void>,
): Promise<Found> => {
  const refused: RefusedRow[] = []
  const parts = rows.from < rows.to ? [rows] : []
  for (let attempts = 1; attempts <= attemptsMax && refused.length < refusedMax; attempts += 1) {
    const part = parts.pop()
    if (!part) break
    const error = await attempt(session, () => apply(part))
    if (!error) continue
    const { from, to } = part
    const middle = Math.floor((from + to) / 2)
    if (to - from === 1) refused.push({ row: from, error })
    else parts.push({ from: middle, to }, { from, to: middle })
  }
  return { refused, isComplete: parts.length === 0 }
}

/** Does some work, or nothing of it if the database refuses it. */
const attempt = async (
  session: Session,
  work: () => Promise<void>,
): Promise<DatabaseRefusedError | null> => {
  await session.runAll([`savepoint ${partSavepoint}`])
  try {
    await work()
  } catch (error) {
    if (!(error instanceof DatabaseRefusedError)) throw error
    await session.runAll([
      `rollback to savepoint ${partSavepoint}`,
      `release savepoint ${partSavepoint}`,
    ])
    return error
  }
  await session.runAll([`release savepoint ${partSavepoint}`])
  return null
}

const partSavepoint = '"selvedge_part"'
const searchSavepoint = '"selvedge_search"'

export interface RefusedSearch extends Pick<Merge, 'session' | 'dialect' | 'owner' | 'table'> {
  /** Staged rows have numbers from 1 to this. */
  readonly lastRow: number
  /** See `unstageRows`. */
  readonly keeps: boolean
}

/**
 * Removes staged rows that the database refuses from the staging table and returns them. Merges the
 * rows in parts to find them, and rolls all of that back.
 */
export const rejectRefused = async (search: RefusedSearch): Promise<readonly RejectedRow[]> => {
  const { session, dialect, table, owner, lastRow } = search
  const staged = quote(stagedName(table))
  const searched = quote(`searched_${table.name}`)
  const merge = {
    ...{ session, dialect, table, owner, onlyMissing: false, distinct: true },
    ...{ replace: false, removalCount: 0, hasKept: false },
    mayOverlap: async () => true,
    versions: { add: () => undefined },
    recorder: createRecorder(session, dialect),
  }
  await session.runAll([
    `savepoint ${searchSavepoint}`,
    `create temp table ${searched} as select * from ${staged}`,
  ])
  const { refused, isComplete } = await applyUnlessRefused(
    session,
    { from: 1, to: lastRow + 1 },
    async (part) => {
      await session.run({ text: `delete from ${staged}`, values: [] })
      const stagedRows = await session.run({
        text: [
          `insert into ${staged}`,
          `select * from ${searched} where "staged_row" >= ?1 and "staged_row" < ?2`,
        ].join('\n'),
        values: [part.from, part.to],
      })
      await mergeStaged({ ...merge, stagedRows })
    },
  )
  await session.runAll([
    `rollback to savepoint ${searchSavepoint}`,
    `release savepoint ${searchSavepoint}`,
  ])
  const rows: RejectedRow[] = []
  for (const each of refused) rows.push(await reject(search, each))
  if (!isComplete) throw new TooManyRefusedError(table.resource.path, rows)
  return rows
}

const reject = async (
  { session, dialect, table, keeps }: RefusedSearch,
  { row, error }: RefusedRow,
): Promise<RejectedRow> => {
  const staged = quote(stagedName(table))
  const identity = table.key
    .map(({ name, kind }) => asText(quote(name), kind, dialect))
    .join(" || ' ' || ")
  const [[source, line, value] = []] = await session.all({
    text: `select "staged_source", "staged_line", ${identity} from ${staged} where "staged_row" = ?1`,
    values: [row],
  })
  await unstageRows(session, { table, dialect, keeps }, [row])
  return { row, ...rejectedRow(table, error, [source ?? 0, line ?? 0, value ?? '']) }
}

/**
 * Stages the rows of a batch that the database does not refuse, and returns the others. Numbers the
 * rows from `firstRow`.
 */
export const loadUnlessRefused = async (
  session: Session,
  table: Table,
  rows: StagedRows,
  firstRow: number,
): Promise<readonly RejectedRow[]> => {
  const all = { from: 0, to: rows.lines.length }
  const { refused, isComplete } = await applyUnlessRefused(session, all, (part) =>
    loadStaging(session, table, sliceRows(table, rows, part), firstRow + part.from),
  )
  const rejected = refused.map(({ row, error }) => {
    const unstaged = recordAt(table, rows, row)
    const place = [rows.source, rows.lines[row] ?? 0, unstaged.key.join(' ')] as const
    return { row: null, unstaged, ...rejectedRow(table, error, place) }
  })
  if (!isComplete) throw new TooManyRefusedError(table.resource.path, rejected)
  return rejected
}

/** A refused row for the report, from its source, line and identity. */
const rejectedRow = (
  table: Table,
  { reason, place }: DatabaseRefusedError,
  [source, line, value]: Row,
): Omit<RejectedRow, 'row'> => ({
  source: Number(source),
  line: Number(line),
  reference: null,
  value: String(value),
  first: null,
  refusal: { field: fieldAt(table, place), reason },
  isQuarantined: false,
})

/** The field whose column, or whose index, the database names. */
const fieldAt = (table: Table, place: string | undefined): string | null => {
  const index = table.indexes.find(({ name }) => name === place)
  const isKey = (column: string) => table.key.some(({ name }) => name === column)
  const [name, ...others] = index?.columns.filter((column) => !isKey(column)) ?? [place]
  const column = columnsOf(table).find((each) => each.name === name)
  return column && others.length === 0 ? column.path.join('.') : null
}

/** Some rows of a batch. Their digest is that of the whole batch. */
const sliceRows = (table: Table, rows: StagedRows, { from, to }: Range): StagedRows => {
  const { canonical, others, cells } = rows
  const [first, end] = [othersBefore(rows, from), othersBefore(rows, to)]
  const columns = columnsOf(table).length
  const [cellWidth, offsetWidth] = [columns + 1, columns * 2 + 2]
  return {
    ...rows,
    lines: rows.lines.slice(from, to),
    canonical: canonical && {
      bytes: canonical.bytes,
      offsets: canonical.offsets.subarray((from - first) * offsetWidth, (to - end) * offsetWidth),
    },
    others: others.slice(first, end).map((row) => row - from),
    cells: cells.slice(first * cellWidth, end * cellWidth),
  }
}

const othersBefore = ({ others }: StagedRows, row: number): number =>
  others.filter((each) => each < row).length

/** The identity of a row, its first columns, and its text. */
const recordAt = (
  table: Table,
  rows: StagedRows,
  row: number,
): { readonly key: Key; readonly body: string } => {
  const { canonical, cells } = sliceRows(table, rows, { from: row, to: row + 1 })
  if (cells.length > 0) {
    return { key: cells.slice(0, table.key.length).map(String), body: String(cells.at(-1)) }
  }
  const { bytes, offsets } = canonical ?? { bytes: new Uint8Array(), offsets: new Int32Array() }
  const textAt = (pair: number) => {
    const [from, to] = offsets.subarray(pair * 2, pair * 2 + 2)
    return Buffer.from(bytes.subarray(from, to)).toString()
  }
  return { key: table.key.map((_, part) => textAt(part + 1)), body: textAt(0) }
}
