import type { Database } from '#database'
import { groupOfOperation } from './operation-group.ts'
import { dayMs, dayOf, type Usage } from './usage.ts'

/** A key that reads more than it used to. Each is reported once per day, by one process. */
export type UsageWarning =
  | {
      readonly kind: 'surge'
      readonly keyId: string
      /** Records read today, and on an average day. */
      readonly records: number
      readonly average: number
    }
  | {
      readonly kind: 'whole'
      readonly keyId: string
      readonly brand: string
      /** Null for all collections together, through the change feed, searches or tools. */
      readonly collection: string | null
      /** Records read today, and records of the collection. */
      readonly records: number
      readonly total: number
    }

/** Compares what keys read with what they read before. */
export interface UsageWarnings {
  /** Notes usage that was stored. */
  written(usage: Usage): void
  /** Checks the keys that have read many records since the last check. */
  check(): Promise<void>
  /** Forgets notices from before a day. */
  removeBefore(day: string): Promise<void>
}

export interface WarningParts {
  readonly database: Database
  readonly now: () => number
  /** Number of records of a collection of a brand, or of all its collections. */
  readonly countRecords: (brand: string, collection: string | null) => Promise<number>
  readonly onWarning: (warning: UsageWarning) => void
}

/** A surge is this many times the average of the days with usage among the last `averageDays`. */
const surgeFactor = 5
const averageDays = 28
/** A surge has at least this many records in a day. */
const surgeMin = 10_000
/** Reading all of a smaller collection is nothing unusual. */
const wholeMin = 1_000
/** A key is checked after it has read this many records through this process. */
const checkedAfter = 1_000

export const createUsageWarnings = (parts: WarningParts): UsageWarnings => {
  const { database, now, countRecords, onWarning } = parts
  /** Records since the last check, by key. */
  const unchecked = new Map<string, number>()
  /** What was noted today, so that it is not asked for again. */
  const noted = { day: '', names: new Set<string>() }

  /** Notes a warning; returns whether it is the first of its kind, of the day or at all. */
  const note = async (
    kind: UsageWarning['kind'],
    [keyId, brand, collection]: readonly [string, string, string],
    day: string,
  ): Promise<boolean> => {
    const name = JSON.stringify([kind, keyId, brand, collection])
    if (noted.names.has(name)) return false
    const isFirst = await database.write(async (session) => {
      const values = [kind, keyId, brand, collection]
      const [earlier] = await session.all({
        text: `select "day"
          from "selvedge_usage_notices"
          where "kind" = ?1 and "key_id" = ?2 and "brand" = ?3 and "collection" = ?4`,
        values,
      })
      if (earlier && (earlier[0] as string) >= day) return false
      await session.run({
        text: `insert into "selvedge_usage_notices" ("kind", "key_id", "brand", "collection", "day")
          values (?1, ?2, ?3, ?4, ?5)
          on conflict ("kind", "key_id", "brand", "collection") do update
          set "day" = excluded."day"`,
        values: [...values, day],
      })
      return kind === 'surge' || !earlier
    })
    noted.names.add(name)
    return isFirst
  }

  const checkSurge = async (keyId: string, day: string, records: number): Promise<void> => {
    if (records < surgeMin) return
    const since = dayOf(now() - averageDays * dayMs)
    const [days = []] = await database.read([
      {
        text: `select sum("records")
          from "selvedge_usage"
          where "key_id" = ?1 and "day" >= ?2 and "day" < ?3
          group by "day"`,
        values: [keyId, since, day],
      },
    ])
    const read = days.map(([sum]) => Number(sum)).filter((sum) => sum > 0)
    const average = read.reduce((sum, each) => sum + each, 0) / read.length
    // A key without earlier days has no average.
    if (!(records > surgeFactor * average)) return
    if (!(await note('surge', [keyId, '', ''], day))) return
    onWarning({ kind: 'surge', keyId, records, average: Math.round(average) })
  }

  const checkWhole = async (
    keyId: string,
    day: string,
    { brand, collection, records }: ReadCollection,
  ): Promise<void> => {
    if (records < wholeMin) return
    const total = await countRecords(brand, collection)
    if (total < wholeMin || records < total) return
    if (!(await note('whole', [keyId, brand, collection ?? ''], day))) return
    onWarning({ kind: 'whole', keyId, brand, collection, records, total })
  }

  const checkKey = async (keyId: string, day: string): Promise<void> => {
    const [rows = []] = await database.read([
      {
        text: `select "brand", "operation", "records"
          from "selvedge_usage"
          where "key_id" = ?1 and "day" = ?2 and "records" > 0`,
        values: [keyId, day],
      },
    ])
    const read = new Map<string, ReadCollection>()
    let records = 0
    for (const row of rows) {
      const [brand, operation, count] = [row[0] as string, row[1] as string, Number(row[2])]
      const collection = groupOfOperation(operation)
      const name = `${brand} ${collection ?? ''}`
      const before = read.get(name)?.records ?? 0
      if (brand !== '') read.set(name, { brand, collection, records: before + count })
      records += count
    }
    await checkSurge(keyId, day, records)
    for (const each of read.values()) await checkWhole(keyId, day, each)
  }

  return {
    written: ({ keyId, day, records }) => {
      if (keyId === '' || records === 0 || day !== dayOf(now())) return
      unchecked.set(keyId, (unchecked.get(keyId) ?? 0) + records)
    },
    check: async () => {
      const day = dayOf(now())
      if (day !== noted.day) {
        noted.day = day
        noted.names.clear()
      }
      for (const [keyId, records] of unchecked) {
        if (records < checkedAfter) continue
        await checkKey(keyId, day)
        unchecked.delete(keyId)
      }
    },
    removeBefore: (day) =>
      database.write(async (session) => {
        await session.run({
          text: 'delete from "selvedge_usage_notices" where "day" < ?1',
          values: [day],
        })
      }),
  }
}

interface ReadCollection {
  readonly brand: string
  readonly collection: string | null
  readonly records: number
}
