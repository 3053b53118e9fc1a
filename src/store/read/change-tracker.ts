import { createMutex } from '#concurrency'
import type { Database, Query } from '#database'

/** A state of the records: the number of its last change, and the collections read from it. */
export interface ReadState {
  readonly change: number
  /** The collections that it depends on, each with its owner. */
  readonly dependencies: readonly string[]
}

/** The state of what was also read from the state of an earlier change; null for none. */
export const readSince = (readState: ReadState, change: number | null): ReadState =>
  change === null ? readState : { ...readState, change: Math.min(readState.change, change) }

/** Tracks which collections have changed, in this process or any other. */
export interface ChangeTracker {
  /**
   * Whether reading again would return the same. Also false if that is unknown, for example while
   * the database is unreachable.
   */
  isFresh(readState: ReadState): boolean
  /** Whether every change up to this number is known. */
  hasSeen(change: number): boolean
  /** Whether the state is known to be out of date. It will never be fresh again. */
  isStale(readState: ReadState): boolean
  close(): Promise<void>
}

/** A collection of an owner, as one string. */
export const dependencyOf = (owner: number, collection: string): string => `${owner} ${collection}`

/** Tracked collections. Beyond this limit, everything read earlier counts as changed. */
const changesMax = 100_000

export const openChangeTracker = async (
  database: Database,
  max: number = changesMax,
): Promise<ChangeTracker> => {
  /** The last change of each collection that has changed since the tracker was opened. */
  const changes = new Map<string, number>()
  /** States older than this change count as stale. */
  let floor = 0
  /** The highest change seen, and its collection. */
  let last: { readonly number: number; readonly dependency: string } | null = null
  let isFirst = true

  const readChanges = async (): Promise<void> => {
    const newest = last ? changesFrom(last.number) : highestChange
    const [rows = [], [change] = []] = await database.read(
      isFirst ? [newest, lastChange] : [newest],
    )
    const now = rows.map(([owner, collection, number]) => ({
      dependency: dependencyOf(Number(owner), collection as string),
      number: Number(number),
    }))
    const highest = now.reduce<typeof last>(
      (high, each) => (high && high.number >= each.number ? high : each),
      null,
    )
    // A collection's number only grows. If it fell, the database was restored from a backup.
    const isRestored =
      last !== null && !now.some(({ dependency }) => dependency === last?.dependency)
    if (isRestored) {
      changes.clear()
      floor = Math.max(floor, last?.number ?? 0) + 1
    } else if (last) for (const { dependency, number } of now) changes.set(dependency, number)
    // Nothing is tracked yet: states older than the newest change may be stale.
    else floor = Math.max(floor, highest?.number ?? 0, isFirst ? Number(change?.[0] ?? 0) : 0)
    isFirst = false
    last = highest
    if (changes.size <= max) return
    changes.clear()
    floor = Math.max(floor, highest?.number ?? 0)
  }

  // Serialized: an older read that ends later would overwrite newer results.
  const mutex = createMutex()
  const refresh = () => mutex(readChanges)

  const listener = await database.listen(refresh)
  const isStale = ({ change, dependencies }: ReadState): boolean => {
    if (change < floor) return true
    // A plain loop, because this runs for every cache hit.
    for (const each of dependencies) if ((changes.get(each) ?? 0) > change) return true
    return false
  }
  return {
    isFresh: (readState) => listener.isCurrent() && !isStale(readState),
    hasSeen: (change) => (last?.number ?? 0) >= change,
    isStale,
    close: () => listener.close(),
  }
}

const lastChange: Query = {
  text: 'select "value" from "selvedge_settings" where "name" = \'change\'',
  values: [],
}

const versions = 'select "owner", "collection", "version"\nfrom "selvedge_collections"'

const changesFrom = (change: number): Query => ({
  text: `${versions}\nwhere "version" >= ?1`,
  values: [change],
})

const highestChange: Query = {
  text: `${versions}\norder by "version" desc\nlimit 1`,
  values: [],
}
