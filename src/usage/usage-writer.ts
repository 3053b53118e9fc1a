import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Database, Session } from '#database'
import { createFeedReaders } from './feed-readers.ts'
import { createUsageTables, deletedMax, deleteSomeQuery, readStored, storeQuery } from './table.ts'
import { addUsage, dayMs, dayOf, otherUsage, type Usage } from './usage.ts'
import { type CountedRequest, createUsageCounter } from './usage-counter.ts'
import { createUsageWarnings, type UsageWarning, type WarningParts } from './usage-warnings.ts'

/** Counts requests, and writes what was counted. Several processes add up in the same rows. */
export interface UsageWriter {
  /** Counts a request, in memory. */
  add(request: CountedRequest): void
  /** Writes what was counted so far. */
  flush(): Promise<void>
  /** Writes what is left. */
  close(): Promise<void>
}

export interface UsageWriterParts extends Pick<WarningParts, 'countRecords'> {
  /** The database of the keys. */
  readonly database: Database
  readonly now: () => number
  /** Number of days that usage is kept. */
  readonly keptDays: number
  /** Whether a brand exists: usage of a removed one is not written. */
  readonly hasBrand: (brand: string) => Promise<boolean>
  readonly onWarning: (warning: UsageWarning) => void
  /** Called for every failed attempt. What could not be written is written later. */
  readonly onError: (error: unknown, isFirst: boolean) => void
  /** A process that dies without notice loses at most what it counted in this time. */
  readonly intervalMs?: number
}

const usualIntervalMs = 5_000

/** Usages written in one transaction, which takes a few milliseconds. */
const writtenMax = 50

/** Usages added to those that wait at once, in a few milliseconds. */
const keptMax = 100

/** Usages kept while the database is unreachable. Further ones are added up as `other`. */
const pendingMax = 20_000

/** Rows of one day. Further keys, brands and operations are added up as `other`. */
const dayRowsMax = 50_000

/** Interval between removals of old usage. */
const removalMs = 3_600_000

export const openUsageWriter = async (parts: UsageWriterParts): Promise<UsageWriter> => {
  const { database, now, keptDays, hasBrand, onError, intervalMs = usualIntervalMs } = parts
  await createUsageTables(database)
  const counter = createUsageCounter(now)
  const readers = createFeedReaders(now)
  const warnings = createUsageWarnings(parts)
  /** Usage that is not written yet. */
  const pending = new Map<string, Usage>()
  let removedAt = Number.NEGATIVE_INFINITY
  let hasFailed = false

  const keep = (usage: Usage): void => {
    const name = nameOf(usage)
    const entry = pending.has(name) || pending.size < pendingMax ? usage : asOther(usage)
    const before = pending.get(nameOf(entry))
    pending.set(nameOf(entry), before ? addUsage(before, entry) : entry)
  }

  const writePending = async (): Promise<void> => {
    for (;;) {
      const some = [...pending.entries().take(writtenMax)]
      if (some.length === 0) return
      const written = await database.write((session) =>
        writeUsages(
          session,
          some.map(([, usage]) => usage),
          hasBrand,
        ),
      )
      for (const [name] of some) pending.delete(name)
      for (const usage of written) warnings.written(usage)
      await nextTurn()
    }
  }

  const removeOld = async (): Promise<void> => {
    if (now() - removedAt < removalMs) return
    const before = dayOf(now() - keptDays * dayMs)
    const old = { where: '"day" < ?1', values: [before] }
    const text = 'select 1 from "selvedge_usage" where "day" < ?1 limit 1'
    for (;;) {
      const [rows = []] = await database.read([{ text, values: old.values }])
      if (rows.length === 0) break
      const deleted = await database.write((session) => session.run(deleteSomeQuery(old)))
      if (deleted < deletedMax) break
      await nextTurn()
    }
    await warnings.removeBefore(before)
    await readers.removeBefore(database, before)
    removedAt = now()
  }

  const run = async (): Promise<void> => {
    let count = 0
    for (const usage of counter.take()) {
      keep(usage)
      count += 1
      if (count % keptMax === 0) await nextTurn()
    }
    try {
      await writePending()
      await readers.write(database, hasBrand)
      await warnings.check()
      await removeOld()
      hasFailed = false
    } catch (error) {
      onError(error, !hasFailed)
      hasFailed = true
    }
  }

  let running: Promise<void> = Promise.resolve()
  const flush = (): Promise<void> => {
    running = running.then(run)
    return running
  }
  let isWriting = false
  const timer = setInterval(async () => {
    if (isWriting) return
    isWriting = true
    await flush()
    isWriting = false
  }, intervalMs)
  timer.unref()

  return {
    add: (request) => {
      counter.add(request)
      const { keyId, brand, feed } = request
      if (feed && keyId !== null && brand !== null) readers.add(keyId, brand, feed)
    },
    flush,
    close: async () => {
      clearInterval(timer)
      await flush()
    },
  }
}

/** Adds usages to the stored ones; returns those that it wrote. */
const writeUsages = async (
  session: Session,
  usages: readonly Usage[],
  hasBrand: (brand: string) => Promise<boolean>,
): Promise<readonly Usage[]> => {
  // Asked in the transaction: a removal of the brand deletes its usage after it, in another one.
  const brands = [...new Set(usages.map(({ brand }) => brand))].filter((brand) => brand !== '')
  const isThere = await Promise.all(brands.map(hasBrand))
  const missing = new Set(brands.filter((_, index) => !isThere[index]))
  const current = usages.filter(({ brand }) => !missing.has(brand))
  const stored = await Promise.all(current.map((usage) => readStored(session, usage)))
  const existing = current.filter((_, index) => stored[index])
  const isNew = current.filter((_, index) => !stored[index])
  const room = await roomOf(session, isNew)
  const added = isNew.map((usage) => (room(usage) ? usage : asOther(usage)))
  const sums = new Map<string, Usage>()
  for (const usage of stored) if (usage) sums.set(nameOf(usage), usage)
  for (const usage of added) {
    if (usage.keyId !== otherUsage || sums.has(nameOf(usage))) continue
    const other = await readStored(session, usage)
    if (other) sums.set(nameOf(usage), other)
  }
  for (const usage of [...existing, ...added]) {
    const before = sums.get(nameOf(usage))
    sums.set(nameOf(usage), before ? addUsage(before, usage) : usage)
  }
  await Promise.all([...sums.values()].map((usage) => session.run(storeQuery(usage))))
  return current
}

/** Returns whether a day has room for one more row. */
const roomOf = async (
  session: Session,
  usages: readonly Usage[],
): Promise<(usage: Usage) => boolean> => {
  const rows = new Map<string, number>()
  for (const day of new Set(usages.map((usage) => usage.day))) {
    const text = 'select count(*) from "selvedge_usage" where "day" = ?1'
    const [row] = await session.all({ text, values: [day] })
    rows.set(day, Number(row?.[0] ?? 0))
  }
  return ({ day }) => {
    const before = rows.get(day) ?? 0
    rows.set(day, before + 1)
    return before < dayRowsMax
  }
}

const asOther = (usage: Usage): Usage => ({
  ...usage,
  keyId: otherUsage,
  brand: '',
  operation: otherUsage,
})

const nameOf = ({ keyId, day, brand, operation }: Usage): string =>
  `${keyId} ${day} ${brand} ${operation}`
