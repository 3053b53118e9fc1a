import type { Key } from './list.ts'
import type { Driver, Progress } from './scan.ts'

/** A total that was counted, good for as long as the collections behind it stay as they are. */
export interface CountedTotal {
  readonly version: string
  readonly total: number
  /** The filter whose index led there. */
  readonly drivingIndex: string | undefined
}

/** The same for a list that is read by scans, with what its pages can be found by. */
export interface ScannedTotal {
  readonly version: string
  readonly total: number
  readonly driver: Driver
  /** The identities of the first records; all of them where they are few. */
  readonly keys: readonly Key[]
  /** The identity of the last record. */
  readonly last: Key | null
}

/** How far a scan came before its time was over. The next request of its kind continues there. */
export interface UnfinishedScan {
  readonly version: string
  readonly driver: Driver
  readonly progress: Progress
}

/** What was worked out for filtered lists, by the name of the list; the oldest gives way. */
export interface CountCache<Each> {
  find(name: string): Each | undefined
  keep(name: string, each: Each): void
  drop(name: string): void
}

export const createCountCache = <Each>(most: number): CountCache<Each> => {
  const kept = new Map<string, Each>()
  return {
    find: (name) => kept.get(name),
    drop: (name) => void kept.delete(name),
    keep: (name, total) => {
      kept.delete(name)
      kept.set(name, total)
      if (kept.size <= most) return
      for (const oldest of kept.keys()) {
        kept.delete(oldest)
        break
      }
    },
  }
}
