import { setTimeout as wait } from 'node:timers/promises'
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { createStore, type FeedPosition, feedStart, type Store } from '#store'
import { median } from '../../bench/statistics.ts'
import { openWorld, wrongBeside } from '../crash/import-states.ts'
import { type Importer, recordsOfRound, startImporter } from './round.ts'

const brands = ['ash', 'birch'] as const

/** Polling interval for locks and feeds. */
const pauseMs = 20

/**
 * Imports two brands on PostgreSQL, in each round first in turn and then concurrently, while
 * following the change feed of each brand.
 */
export const importTwoBrands = async (rounds: number, records: number) => {
  const world = await openWorld('postgres', { tags: 3, items: 4 })
  // On a busy machine, a page of the feed may exceed the default time limit.
  const database = openDatabase(`${world.place.databaseUrl}?query-ms=30000`)
  const importers = await Promise.all(
    brands.map((brand, index) => startImporter(world, brand, index, records)),
  )
  const misses: string[] = []
  /** Wall time of concurrent imports relative to that of serial ones. */
  const ratios: number[] = []
  // Rounds in which both were writing at the same time, and changes missing from a feed.
  let [overlaps, lost] = [0, 0]
  try {
    for (const brand of brands) await world.place.run(['brands', 'add', brand, '--name', brand])
    const store = await createStore(catalog, database, { recordsChanges: true })
    const feeds = brands.map((brand) => createFollower(store, brand))
    const importOne = async (importer: Importer, round: number) => {
      const { done, why } = await importer.run({ round, waitMs: 0 })
      if (!done) misses.push(`two brands, round ${round}: an import failed: ${why}`)
    }
    /**
     * Reads the feeds while imports run. Returns their duration and whether both wrote
     * concurrently.
     */
    const watch = async (imports: Promise<unknown>) => {
      const began = performance.now()
      let tookMs = 0
      const ended = imports.finally(() => {
        tookMs = performance.now() - began
      })
      let isOverlapping = false
      while (tookMs === 0) {
        const [[row] = []] = await database.read([writersQuery])
        if (Number(row?.[0]) === brands.length) isOverlapping = true
        for (const feed of feeds) await feed.read()
        await wait(pauseMs)
      }
      await ended
      for (const feed of feeds) await feed.read()
      return { tookMs, isOverlapping }
    }
    for (let round = 0; round < rounds * 2; round += 2) {
      const oneByOne = async () => {
        for (const importer of importers) await importOne(importer, round)
      }
      const apart = await watch(oneByOne())
      const atOnce = await watch(Promise.all(importers.map((each) => importOne(each, round + 1))))
      ratios.push(atOnce.tookMs / apart.tookMs)
      if (atOnce.isOverlapping) overlaps += 1
      for (const [index, feed] of feeds.entries()) {
        const wanted = recordsOfRound(round + 1, index, records)
        const wrong = wanted.filter(
          (record) => feed.copy.get((record as { id: string }).id) !== JSON.stringify(record),
        )
        if (wrong.length === 0) continue
        lost += wrong.length
        misses.push(
          `two brands, round ${round + 1}: the feed of ${brands[index]} lacks ${wrong.length} of ${wanted.length} changes.`,
        )
      }
    }
    misses.push(...(await wrongBeside({ database, store })))
  } finally {
    await Promise.all(importers.map((importer) => importer.close()))
    await database.close()
    await world.close()
  }
  if (overlaps === 0) misses.push('The imports of two brands were never seen writing at once.')
  return { ratio: median(ratios), overlaps, lost, misses }
}

/** Counts writers that hold an exclusive lock. */
const writersQuery = {
  text: [
    'select count(distinct pid)',
    'from pg_locks',
    "where locktype = 'advisory' and mode = 'ExclusiveLock' and granted",
  ].join('\n'),
  values: [],
}

/** A copy of a brand's tags that follows its change feed. */
const createFollower = (store: Store, brand: string) => {
  const copy = new Map<string, string>()
  let after: FeedPosition = feedStart
  return {
    copy,
    /** Reads new changes. */
    read: async (): Promise<void> => {
      for (let more = true; more; ) {
        const page = await store.feed.page({ brand, resource: null, after, limit: 1_000 })
        for (const { collection, key, body } of page.changes) {
          if (collection === 'tags' && body !== null)
            copy.set(String(key), Buffer.from(body).toString())
        }
        after = page.next
        more = page.hasMore
      }
    },
  }
}
