import type { Steps } from '#database'
import { readKey } from '../read/list.ts'
import { nextSize } from '../read/scan.ts'
import type { Stretch } from './access.ts'
import type { PlainValue, Position } from './request.ts'
import { type Order, readPlain, readPosition } from './sort-order.ts'
import {
  compileSliceCount,
  compileSliceEnd,
  compileSlicePositions,
  type QueryTarget,
  type Search,
} from './statements.ts'
import { type Span, spanAfter, stretchColumns } from './stretch-sql.ts'

/** How far a scan through the stretches of a search has come. */
export interface ScanProgress {
  /** The number of the stretch, and the last record of it that was looked at. */
  stretch: number
  position: readonly PlainValue[] | null
  /** How many records the next piece has. */
  records: number
  counted: number
  /** Those that match; by a count no more than one more than are kept. */
  readonly matches: Position[]
}

/** Identities that a count keeps: a list with so few records is read by them. */
export const keptMax = 200

/** Records of the first piece: about a step's time when nothing is in memory. */
const firstRecords = 1_000
/** A piece of fewer records costs more to ask for than to read; more may fill the memory. */
const recordBounds = { min: 100, max: 100_000 }

export const newScan = (): ScanProgress => ({
  stretch: 0,
  position: null,
  records: firstRecords,
  counted: 0,
  matches: [],
})

const identityOrder: Order = { column: null, isDescending: false }

/** Counts what a search finds, from where the progress is to the end. */
export const countInSteps = (
  steps: Steps,
  target: QueryTarget,
  search: Search,
  progress: ScanProgress,
): Promise<void> =>
  scan(steps, target, search, { isDescending: false, spanOf: wholeOf }, progress, async (piece) => {
    const { others } = search
    const count = async (): Promise<number> => {
      const [row] = await steps.all(compileSliceCount(target, piece.stretch, piece.span, others))
      return Number(row?.[0] ?? 0)
    }
    // A piece that is not the last one of its stretch has as many records as it was made for.
    const isWhole = others.length === 0 && piece.span.to !== null
    const matched = isWhole ? piece.records : await count()
    progress.records = nextSize(piece.records, steps, recordBounds)
    const wanted = Math.min(matched, keptMax + 1 - progress.matches.length)
    if (wanted > 0) {
      const { stretch, span } = piece
      const rows = await steps.all(
        compileSlicePositions(target, stretch, span, others, identityOrder, wanted),
      )
      for (const each of rows)
        progress.matches.push({ key: readKey(each, target.table), value: null })
    }
    progress.counted += matched
    return false
  })

/** Looks for so many records after a position, in the order of the list. */
export const findInSteps = (
  steps: Steps,
  target: QueryTarget,
  search: Search,
  { order, after, take }: { order: Order; after: Position | null; take: number },
  progress: ScanProgress,
): Promise<void> => {
  const spanOf = (stretch: Stretch) => spanAfter(stretch, order, after)
  const { isDescending } = order
  return scan(steps, target, search, { isDescending, spanOf }, progress, async (piece) => {
    const { matches } = progress
    const { stretch, span } = piece
    const rows = await steps.all(
      compileSlicePositions(target, stretch, span, search.others, order, take - matches.length),
    )
    for (const row of rows) matches.push(readPosition(row, target.table, order, target.dialect))
    const hasEnough = matches.length >= take
    // The statement ended at the last record that was wanted: the end of the piece was further than
    // it had to be, and finding it takes longer the further it is.
    progress.records = hasEnough
      ? Math.max(recordBounds.min, Math.round(piece.records / 2))
      : nextSize(piece.records, steps, recordBounds)
    return hasEnough
  })
}

const wholeOf = (): Span => ({ from: null, to: null })

interface Direction {
  readonly isDescending: boolean
  /** The part of a stretch that is scanned; null for none of it. */
  readonly spanOf: (stretch: Stretch) => Span | null
}

interface Piece {
  readonly stretch: Stretch
  readonly span: Span
  readonly records: number
}

/** Passes piece by piece of all stretches on, until there is no more or `onPiece` has enough. */
const scan = async (
  steps: Steps,
  target: QueryTarget,
  { driver: { stretches } }: Search,
  { isDescending, spanOf }: Direction,
  progress: ScanProgress,
  onPiece: (piece: Piece) => Promise<boolean>,
): Promise<void> => {
  while (progress.stretch < stretches.length) {
    const stretch = stretches[progress.stretch] as Stretch
    const rest = spanOf(stretch)
    if (!rest) {
      progress.stretch += 1
      continue
    }
    const from = progress.position ?? rest.from
    const { records } = progress
    // If the time is over before the end of this piece, the next attempt has fewer records, so that
    // repeated requests always come further.
    progress.records = Math.max(1, Math.round(records / 4))
    const to = await endOf(steps, target, stretch, { from, to: null }, isDescending, records)
    const hasEnough = await onPiece({ stretch, span: { from, to }, records })
    progress.position = to
    if (to === null) progress.stretch += 1
    if (hasEnough) return
  }
}

const endOf = async (
  steps: Steps,
  target: QueryTarget,
  stretch: Stretch,
  span: Span,
  isDescending: boolean,
  records: number,
): Promise<readonly PlainValue[] | null> => {
  const { table, dialect } = target
  const [row] = await steps.all(compileSliceEnd(target, stretch, span, isDescending, records))
  if (!row) return null
  return stretchColumns(table, stretch).map((column, index) =>
    readPlain(column, row[index] ?? null, dialect),
  )
}
