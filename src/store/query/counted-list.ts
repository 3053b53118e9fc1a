import { type BoundedCache, createBoundedCache } from '../read/bounded-cache.ts'
import type { Key } from '../schema/tables.ts'
import type { Driver } from './access.ts'

/**
 * A cached count. It is valid while the collections that the list depends on do not change, and
 * says how to read the pages.
 */
export type CountedList = PlainCount | SearchedCount

/** A contract list that one statement reads along the index of a filter. */
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
  /** The driver that finds its few records; null if pages walk the list in its order. */
  readonly few: Driver | null
  /** The driver that finds its records among the fewest others. */
  readonly driver: Driver
  /** Its last record in identity order; null if unknown. */
  readonly last: Key | null
}

/** Counted lists by name, per process. */
export type CountedLists = BoundedCache<CountedList>

/** About 4 MB of names and totals, or 20 MB with identities. */
const sizeMax = 15_000
/** This many identities take as much memory as one name and total. */
const keysOfSize = 10

export const createCountedLists = (): CountedLists =>
  createBoundedCache(sizeMax, (entry) =>
    entry.kind === 'searched' ? 1 + (entry.few?.keys?.length ?? 0) / keysOfSize : 1,
  )
