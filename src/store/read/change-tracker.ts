import { createMutex } from '#concurrency'
import type { Database, Query } from '#database'

/** A state of the records: the number of the last change in it, and what was read from it. */
export interface ReadState {
  readonly change: number
  /** The collections behind what was read, each with its owner. */
  readonly dependencies: readonly string[]
}

/** Knows which collections have changed since something was read, in this process or any other. */
export interface ChangeTracker {
  /**
   * Whether what was read then would be read the same now. False also while that cannot be known,
   * as when the database is away.
   */
  isFresh(readState: ReadState): boolean
  /** Whether it is known that what was read then may have changed, and will never hold again. */
  isStale(readState: ReadState): boolean
  close(): Promise<void>
}

/** A collection of an owner, in one word. */
export const dependencyOf = (owner: string, collection: string): string => `${owner} ${collection}`

/** Changes remembered one by one; beyond that, everything read before is taken for changed. */
const changesMax = 100_000

export const openChangeTracker = async (
  database: Database,
  most: number = changesMax,
): Promise<ChangeTracker> => {
  /** The last change of a collection, for those that have changed while we watched. */
  const changes = new Map<string, number>()
  /** What was read before this change may have changed since. */
  let floor = 0
  /** The highest change that was seen, and the collection that had it. */
  let last: { readonly number: number; readonly subject: string } | null = null
  let begun = false

  const readChanges = async (): Promise<void> => {
    const newest = last ? changesFrom(last.number) : highestChange
    const [[change] = [], rows = []] = await database.read([lastChange, newest])
    const now = rows.map(([owner, collection, number]) => ({
      subject: dependencyOf(owner as string, collection as string),
      number: Number(number),
    }))
    const highest = now.reduce<typeof last>(
      (high, each) => (high && high.number >= each.number ? high : each),
      null,
    )
    // A collection's number only grows. One that fell belongs to a database that was set back.
    const isSetBack = last !== null && !now.some(({ subject }) => subject === last?.subject)
    if (isSetBack) {
      changes.clear()
      floor = Math.max(floor, last?.number ?? 0) + 1
    } else if (last) for (const { subject, number } of now) changes.set(subject, number)
    // Nothing was known: whatever was read before the newest change may have changed with it.
    else floor = Math.max(floor, highest?.number ?? 0, begun ? 0 : Number(change?.[0] ?? 0))
    begun = true
    last = highest
    if (changes.size <= most) return
    changes.clear()
    floor = Math.max(floor, highest?.number ?? 0)
  }

  // One after the other: an older read that ends later would undo what a newer one found.
  const mutex = createMutex()
  const refresh = () => mutex(readChanges)

  const watch = await database.listen(refresh)
  const isStale = ({ change, dependencies }: ReadState): boolean => {
    if (change < floor) return true
    for (const subject of dependencies) if ((changes.get(subject) ?? 0) > change) return true
    return false
  }
  return {
    isFresh: (readState) => watch.isCurrent() && !isStale(readState),
    isStale,
    close: () => watch.close(),
  }
}

const lastChange: Query = {
  text: 'select "value" from "selvedge_settings" where "name" = \'change\'',
  values: [],
}

const standing = 'select "brand", "collection", "version" from "selvedge_collections"'

const changesFrom = (change: number): Query => ({
  text: `${standing} where "version" >= ?1`,
  values: [change],
})

const highestChange: Query = { text: `${standing} order by "version" desc limit 1`, values: [] }
