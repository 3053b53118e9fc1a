import type { Database, Query } from '#database'

/** A state of the records: the number of the last change in it, and what was read from it. */
export interface AsOf {
  readonly change: number
  /** The collections behind what was read, each with its owner. */
  readonly behind: readonly string[]
}

/** Knows which collections have changed since something was read, in this process or any other. */
export interface News {
  /**
   * Whether what was read then would be read the same now. False also while that cannot be known,
   * as when the database is away.
   */
  holds(asOf: AsOf): boolean
  close(): Promise<void>
}

/** A collection of an owner, in one word. */
export const subjectOf = (owner: string, collection: string): string => `${owner} ${collection}`

/** Changes remembered one by one; beyond that, everything read before is taken for changed. */
const changesMax = 100_000

export const openNews = async (database: Database, most: number = changesMax): Promise<News> => {
  /** The last change of a collection, for those that have changed while we watched. */
  const changes = new Map<string, number>()
  /** What was read before this change may have changed since. */
  let floor = 0
  let last = 0
  let begun = false

  const learn = async (): Promise<void> => {
    if (!begun) {
      const [rows = []] = await database.read([lastChange])
      last = Number(rows[0]?.[0] ?? 0)
      floor = last
      begun = true
      return
    }
    const [rows = []] = await database.read([changesAfter(last)])
    for (const [owner, collection, number] of rows) {
      changes.set(subjectOf(owner as string, collection as string), Number(number))
      last = Math.max(last, Number(number))
    }
    if (changes.size <= most) return
    changes.clear()
    floor = last
  }

  const watch = await database.watch(learn)
  return {
    holds: ({ change, behind }) => {
      if (!watch.isCurrent() || change < floor) return false
      for (const subject of behind) if ((changes.get(subject) ?? 0) > change) return false
      return true
    },
    close: () => watch.close(),
  }
}

const lastChange: Query = {
  text: 'select "value" from "selvedge_settings" where "name" = \'change\'',
  values: [],
}

const changesAfter = (change: number): Query => ({
  text: 'select "brand", "collection", "version" from "selvedge_collections" where "version" > ?1',
  values: [change],
})
