import type { Release } from '#concurrency'
import type { HeldFigures } from './figures.ts'

/** The snapshot of a long read, from which the database cannot remove replaced rows. */
export interface HeldSnapshot {
  readonly ageMs: number
  /** The engine's measure of writes when the read began; null until it is known. */
  from: number | null
  /** Ends the read: its next query fails. */
  end(): void
}

/** Ends long reads whose snapshots keep too much space from being reused. */
export interface HeldSnapshots {
  /**
   * Registers a read that is about to begin. Rejects with `SnapshotLimitError` if another snapshot
   * would make it worse. Call the result when the read has ended.
   */
  begin(end: () => void): Promise<Release>
  figures(): HeldFigures
}

/** When a read is ended. */
export interface HoldLimits {
  /** The engine's measure of writes during a read, beyond which old reads are ended. */
  readonly heldMax: number
  /** Younger reads are never ended. */
  readonly ageMs: number
  /** Interval between two looks. */
  readonly everyMs: number
}

export const holdAges: Omit<HoldLimits, 'heldMax'> = { ageMs: 60_000, everyMs: 1_000 }

export interface SnapshotRegister {
  readonly all: Iterable<HeldSnapshot>
  readonly isEmpty: boolean
  add(end: () => void, from: number | null): Release
  figures(): HeldFigures
}

/** The snapshots of this process. Calls `look` at an interval while there are any. */
export const createSnapshotRegister = (
  look: () => Promise<void>,
  everyMs: number,
): SnapshotRegister => {
  const all = new Set<HeldSnapshot>()
  let timer: NodeJS.Timeout | undefined
  let isLooking = false
  let ended = 0
  const lookOnce = async () => {
    if (isLooking) return
    isLooking = true
    try {
      await look()
    } catch {
      // The reads themselves report a database that cannot be reached.
    }
    isLooking = false
  }
  return {
    all,
    get isEmpty() {
      return all.size === 0
    },
    add: (end, from) => {
      const began = performance.now()
      const snapshot: HeldSnapshot = {
        get ageMs() {
          return performance.now() - began
        },
        from,
        end: () => {
          remove()
          ended += 1
          end()
        },
      }
      const remove = () => {
        all.delete(snapshot)
        if (all.size > 0) return
        clearInterval(timer)
        timer = undefined
      }
      all.add(snapshot)
      timer ??= setInterval(lookOnce, everyMs).unref()
      return remove
    },
    figures: () => ({
      count: all.size,
      oldestSeconds: Math.max(0, ...[...all].map(({ ageMs }) => ageMs / 1_000)),
      ended,
    }),
  }
}
