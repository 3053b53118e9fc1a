import type { Key } from './list.ts'
import type { Driver } from './scan.ts'

/** A total that was counted. It is valid while the collections that it depends on do not change. */
export interface CountedTotal {
  readonly version: string
  readonly total: number
  /** The filter whose index the list is read along. */
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

/** Results of filtered lists by the list's name, for one process. The oldest entry is evicted. */
export interface CountCache<Entry> {
  get(name: string): Entry | undefined
  set(name: string, entry: Entry): void
  delete(name: string): void
}

export const createCountCache = <Entry>(entriesMax: number): CountCache<Entry> => {
  const entries = new Map<string, Entry>()
  return {
    get: (name) => entries.get(name),
    delete: (name) => void entries.delete(name),
    set: (name, entry) => {
      entries.delete(name)
      entries.set(name, entry)
      if (entries.size <= entriesMax) return
      for (const oldest of entries.keys()) {
        entries.delete(oldest)
        break
      }
    },
  }
}
