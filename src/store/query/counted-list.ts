import { type BoundedCache, createBoundedCache } from '../read/bounded-cache.ts'
import type { Key } from '../schema/tables.ts'
import type { Driver } from './access.ts'

/**
 * A list that was counted: its total, which is valid while the collections that it depends on do not
 * change, and what its pages are read by.
 */
export type CountedList = PlainCount | SearchedCount

/** A list of the contract that one statement reads, along the index of a filter. */
export interface PlainCount {
  readonly kind: 'plain'
  readonly version: string
  readonly total: number
  readonly drivingIndex: string | undefined
}

export interface SearchedCount {
  readonly kind: 'searched'
  readonly version: string
  readonly total: number
  /** What finds its few records; null where the list is walked through in its order. */
  readonly few: Driver | null
  /** What finds its records and the fewest others. */
  readonly driver: Driver
  /** The last of its records in the order of the identity; null where that is not known. */
  readonly last: Key | null
}

/** Counted lists by name, for one process. */
export type CountedLists = BoundedCache<CountedList>

/** About 4 MB of names and totals, or 20 MB with identities. */
const sizeMax = 15_000
/** So many identities take as much memory as a name and a total. */
const keysOfSize = 10

export const createCountedLists = (): CountedLists =>
  createBoundedCache(sizeMax, (entry) =>
    entry.kind === 'searched' ? 1 + (entry.few?.keys?.length ?? 0) / keysOfSize : 1,
  )
