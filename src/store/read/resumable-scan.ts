import { ApiError } from '#contract'
import { type Database, DatabaseError, QueryTimeoutError, type Steps } from '#database'
import { createBoundedCache } from './bounded-cache.ts'

export interface ScanProgress<At> {
  /** The next slice begins after this position; null for the beginning. */
  position: At | null
  isDone: boolean
  /** The number of rows of the next slice. */
  rows: number
}

/** The rows after one position, up to and including another; null for no limit. */
export interface Slice<At> {
  readonly from: At | null
  readonly to: At | null
  readonly rows: number
}

/** Reads and aggregates each slice of a scan. */
export interface SliceReader<At, Result> {
  readonly rowBounds: SizeBounds
  /** The position `rows` rows further; null if fewer are left. */
  endOf(from: At | null, rows: number): Promise<At | null>
  /** Reads a slice. The time of its last statement decides the size of the next slice. */
  read(slice: Slice<At>): Promise<Result>
  /**
   * Adds a slice to the result. Must finish reading before it changes anything. True once there is
   * enough.
   */
  add(result: Result, slice: Slice<At>): Promise<boolean>
}

/** Reads slice by slice from the current progress to the end, or until there is enough. */
export const runScan = async <At, Result>(
  steps: Steps,
  progress: ScanProgress<At>,
  { rowBounds, endOf, read, add }: SliceReader<At, Result>,
): Promise<void> => {
  while (!progress.isDone) {
    const { position: from, rows } = progress
    // If time runs out within the slice, the next attempt uses fewer rows, so that repeated
    // requests always make progress.
    progress.rows = Math.max(1, Math.round(rows / 4))
    const to = await endOf(from, rows)
    const slice = { from, to, rows }
    const result = await read(slice)
    progress.rows = nextSize(rows, steps, rowBounds)
    const hasEnough = await add(result, slice)
    // The statement stopped before the end of the slice, so the slice was too long, and finding a
    // distant end takes longer.
    if (hasEnough) progress.rows = Math.max(rowBounds.min, Math.round(rows / 2))
    progress.position = to
    progress.isDone = to === null || hasEnough
  }
}

export interface SizeBounds {
  readonly min: number
  readonly max: number
}

/** The number of rows of the next slice, so that reading it takes one step's time. */
export const nextSize = (
  size: number,
  { tookMs, stepMs }: Steps,
  { min, max }: SizeBounds,
): number => {
  // Grows slowly: a slice that was in memory says little about the next one.
  const fits = Math.min(size * 2, (size * stepMs) / Math.max(tookMs, 0.05))
  // Also grows slowly after a slice that was shrunk because a larger one timed out.
  return Math.round(Math.min(max, Math.max(Math.min(min, size * 2), fits)))
}

/**
 * Continues the scan of a name where an earlier one of the same version stopped, or begins it.
 * Several requests together finish a scan that exceeds the time limit of one read.
 */
export type ResumeScan<Progress> = (
  name: string,
  version: string,
  begin: () => Progress,
  scan: (progress: Progress) => Promise<void>,
) => Promise<Progress>

/**
 * Caches the progress of up to `scansMax` unfinished scans; evicts the oldest. Two requests may
 * continue the same scan: each with a copy, unless both may add to the same progress.
 */
export const createResume = <Progress>(
  scansMax: number,
  copy: (progress: Progress) => Progress = structuredClone,
): ResumeScan<Progress> => {
  const unfinished = createBoundedCache<{
    readonly version: string
    readonly progress: Progress
  }>(scansMax)
  return async (name, version, begin, scan) => {
    const earlier = unfinished.get(name)
    const progress = earlier?.version === version ? copy(earlier.progress) : begin()
    try {
      await scan(progress)
    } catch (error) {
      // After any other error a slice may have been added in part.
      if (error instanceof DatabaseError) unfinished.set(name, { version, progress })
      throw error
    }
    unfinished.delete(name)
    return progress
  }
}

/** Time limit of a request, in time limits of a read: each read holds a snapshot and a slot. */
const requestReads = 8

/**
 * Repeats a read with resumable scans until it ends within its limit. After the time limit of a
 * request, the response says what takes long, and that the same request continues.
 */
export const readRepeatedly = async <T>(
  { queryMs }: Pick<Database, 'queryMs'>,
  whatTakesLong: string,
  read: () => Promise<T>,
): Promise<T> => {
  const end = performance.now() + requestReads * queryMs
  for (;;) {
    try {
      return await read()
    } catch (error) {
      if (!(error instanceof QueryTimeoutError)) throw error
      if (performance.now() > end) throw takesLonger(whatTakesLong, error)
    }
  }
}

const takesLonger = (whatTakesLong: string, cause: QueryTimeoutError): ApiError =>
  new ApiError(
    'store_unavailable',
    `${whatTakesLong} takes longer than one request may. Send the same request again: it continues where this one stopped.`,
    { cause, retryAfterSeconds: 1 },
  )
