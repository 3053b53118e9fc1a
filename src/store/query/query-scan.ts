import type { Steps } from '#database'
import { compareKeys, readKey } from '../read/list.ts'
import { runScan, type ScanProgress, type Slice } from '../read/resumable-scan.ts'
import type { Key } from '../schema/tables.ts'
import { type Driver, isDistinct, isInIdentityOrder, type Stretch } from './access.ts'
import type { PlainValue, Position } from './request.ts'
import { comparePositions, identityOrder, readPlain, readPosition } from './sort-order.ts'
import {
  compileProbe,
  compileSliceCount,
  compileSliceEnd,
  compileSliceFirst,
  compileSliceLast,
  compileSlicePositions,
  type PageRange,
  type QueryTarget,
  type Search,
} from './statements.ts'
import { type Span, spanAfter, stretchColumns, wholeSpan } from './stretch-sql.ts'

/** A position of a scan through the stretches of a search. */
interface StretchPosition {
  /** The index of the stretch. */
  readonly stretch: number
  /** The last record read in it; null before the first. */
  readonly after: readonly PlainValue[] | null
}

/** The progress of such a scan. */
export interface SearchProgress extends ScanProgress<StretchPosition> {
  counted: number
  /** The last slice with a match, and the last matching record if known. */
  lastMatch: Span | null
  last: Key | null
  /** The matching positions; a count keeps at most `keptMax + 1`. */
  readonly matches: Position[]
}

/** Identities that a count keeps: a list with at most this many records is read by identity. */
export const keptMax = 200

/** Rows of the first slice: about a step's time if nothing is cached. */
const firstRows = 1_000
/** Smaller slices cost more to request than to read; larger ones may exhaust memory. */
const rowBounds = { min: 100, max: 100_000 }

export const newScan = (): SearchProgress => ({
  position: null,
  isDone: false,
  rows: firstRows,
  counted: 0,
  lastMatch: null,
  last: null,
  matches: [],
})

/** The driver that finds the fewest records, counted up to `most`. */
export const findSmallest = async (
  steps: Steps,
  { target, drivers }: { readonly target: QueryTarget; readonly drivers: readonly Driver[] },
  most: number,
): Promise<{ readonly driver: Driver; readonly size: number }> => {
  let best: { readonly driver: Driver; readonly size: number } | null = null
  for (const driver of drivers) {
    const [row] = await steps.all(compileProbe(target, driver, most))
    const size = Number(row?.[0] ?? 0)
    if (!best || size < best.size) best = { driver, size }
  }
  if (!best) throw new RangeError('A list has no driver.')
  return best
}

/**
 * Counts the matches of a search, from the current progress to the end. Keeps the first identities,
 * and the last one if the search is in identity order.
 */
export const countInSteps = async (
  steps: Steps,
  target: QueryTarget,
  search: Search,
  progress: SearchProgress,
): Promise<void> => {
  const { others, driver } = search
  await scan(steps, target, search, { isDescending: false, spanOf: () => wholeSpan }, progress, {
    read: async ({ stretch, span, rows }) => {
      // Every slice but the last of its stretch has exactly the requested rows.
      if (others.length === 0 && span.to !== null && isDistinct(stretch)) return rows
      const [row] = await steps.all(compileSliceCount(target, stretch, span, others))
      return Number(row?.[0] ?? 0)
    },
    add: async (matched, { stretch, span }) => {
      const wanted = Math.min(matched, keptMax + 1 - progress.matches.length)
      if (wanted > 0) {
        const rows = await steps.all(
          compileSlicePositions(target, stretch, span, others, identityOrder, wanted),
        )
        for (const each of rows) {
          progress.matches.push({ key: readKey(each, target.table), value: null })
        }
      }
      progress.counted += matched
      if (matched > 0) progress.lastMatch = span
      return false
    },
  })
  const { counted, matches, lastMatch } = progress
  const [stretch] = driver.stretches
  if (!stretch || !isInIdentityOrder(driver)) return
  const [last] =
    lastMatch && counted > matches.length
      ? await steps.all(compileSliceLast(target, stretch, lastMatch, others))
      : []
  progress.last = last ? readKey(last, target.table) : (matches.at(-1)?.key ?? null)
}

/** Finds `take` records after a position, in list order, up to `last`. */
export const findInSteps = (
  steps: Steps,
  target: QueryTarget,
  search: Search,
  { order, after, take }: PageRange,
  progress: SearchProgress,
  last: Key | null = null,
): Promise<void> => {
  const spanOf = (stretch: Stretch) => spanAfter(stretch, order, after)
  const { isDescending } = order
  const { matches } = progress
  return scan(steps, target, search, { isDescending, spanOf }, progress, {
    read: ({ stretch, span }) =>
      steps.all(
        compileSlicePositions(target, stretch, span, search.others, order, take - matches.length),
      ),
    add: async (rows) => {
      for (const row of rows) matches.push(readPosition(row, target.table, order, target.dialect))
      const latest = matches.at(-1)
      return matches.length >= take || (last !== null && isAt(latest, last))
    },
  })
}

/**
 * Finds the first `take` records after a position in an order that no index has: compares all records
 * of a search, and keeps the first ones.
 */
export const selectInSteps = (
  steps: Steps,
  target: QueryTarget,
  search: Search,
  range: PageRange,
  progress: SearchProgress,
): Promise<void> => {
  const { order, take } = range
  const compare = comparePositions(order)
  const { matches } = progress
  return scan(steps, target, search, { isDescending: false, spanOf: () => wholeSpan }, progress, {
    read: ({ stretch, span }) =>
      steps.all(compileSliceFirst(target, stretch, span, search.others, range)),
    add: async (rows) => {
      const positions = rows.map((row) => readPosition(row, target.table, order, target.dialect))
      matches.splice(0, matches.length, ...merged(matches, positions, compare).slice(0, take))
      return false
    },
  })
}

/** Merges two sorted lists. */
const merged = <Each>(
  one: readonly Each[],
  other: readonly Each[],
  compare: (one: Each, other: Each) => number,
): readonly Each[] => {
  const all: Each[] = []
  let [at, beside] = [0, 0]
  while (at < one.length || beside < other.length) {
    const [first, second] = [one[at], other[beside]]
    const isFirst = second === undefined || (first !== undefined && compare(first, second) <= 0)
    all.push((isFirst ? first : second) as Each)
    if (isFirst) at += 1
    else beside += 1
  }
  return all
}

const isAt = (position: Position | undefined, last: Key): boolean =>
  position !== undefined && compareKeys(position.key, last) >= 0

interface Direction {
  readonly isDescending: boolean
  /** The part of a stretch to scan; null to skip it. */
  readonly spanOf: (stretch: Stretch) => Span | null
}

interface StretchSlice {
  readonly stretch: Stretch
  readonly span: Span
  readonly rows: number
}

interface StretchReader<Result> {
  read(slice: StretchSlice): Promise<Result>
  add(result: Result, slice: StretchSlice): Promise<boolean>
}

/** Scans the stretches of a search in sequence. */
const scan = <Result>(
  steps: Steps,
  target: QueryTarget,
  { driver: { stretches } }: Search,
  { isDescending, spanOf }: Direction,
  progress: SearchProgress,
  { read, add }: StretchReader<Result>,
): Promise<void> => {
  const parts = stretches.flatMap((stretch) => {
    const span = spanOf(stretch)
    return span ? [{ stretch, span }] : []
  })
  const sliceOf = ({ from, to, rows }: Slice<StretchPosition>): StretchSlice => {
    const at = from?.stretch ?? 0
    const { stretch, span } = parts[at] as (typeof parts)[number]
    const isSame = to?.stretch === at
    return { stretch, span: { from: from?.after ?? span.from, to: isSame ? to.after : null }, rows }
  }
  if (parts.length === 0) progress.isDone = true
  return runScan<StretchPosition, Result>(steps, progress, {
    rowBounds,
    endOf: async (from, rows) => {
      const at = from?.stretch ?? 0
      const { stretch, span } = sliceOf({ from, to: null, rows })
      const after = await endOf(steps, target, stretch, span, isDescending, rows)
      if (after) return { stretch: at, after }
      return at + 1 < parts.length ? { stretch: at + 1, after: null } : null
    },
    read: (slice) => read(sliceOf(slice)),
    add: (result, slice) => add(result, sliceOf(slice)),
  })
}

const endOf = async (
  steps: Steps,
  target: QueryTarget,
  stretch: Stretch,
  span: Span,
  isDescending: boolean,
  rows: number,
): Promise<readonly PlainValue[] | null> => {
  const { table, dialect } = target
  const [row] = await steps.all(compileSliceEnd(target, stretch, span, isDescending, rows))
  if (!row) return null
  return stretchColumns(table, stretch).map((column, index) =>
    readPlain(column, row[index] ?? null, dialect),
  )
}
