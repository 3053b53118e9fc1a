import { setTimeout as wait } from 'node:timers/promises'
import { catalog } from '#contract'
import { openDatabase } from '#database'
import { createStore, type FeedPosition, feedStart, type Store } from '#store'
import { median } from '../../bench/statistics.ts'
import { openWorld, wrongBeside } from '../crash/import-states.ts'
import { type Importer, recordsOfRound, startImporter } from './round.ts'

const brands = ['ash', 'birch'] as const

/** How often the locks are looked at and the feeds are read. */
const pauseMs = 20

/**
 * Two brands' imports on PostgreSQL, in each round one after the other and then at once, while each
 * brand's change feed is followed.
 */
export const importTwoBrands = async (rounds: number, records: number) => {
  const world = await openWorld('postgres', { tags: 3, items: 4 })
  // On a busy machine, a page of the feed may take longer than a request may.
  const database = openDatabase(`${world.place.databaseUrl}?query-ms=30000`)
  const importers = await Promise.all(
    brands.map((brand, index) => startImporter(world, brand, index, records)),
  )
  const misses: string[] = []
  /** Wall time of both imports at once, as a share of the time of one after the other. */
  const ratios: number[] = []
  // Rounds in which both were seen writing at the same time, and changes that a feed did not have.
  let [overlaps, lost] = [0, 0]
  try {
    for (const brand of brands) await world.place.run(['brands', 'add', brand, '--name', brand])
    const store = await createStore(catalog, database, { recordsChanges: true })
    const feeds = brands.map((brand) => createFollower(store, brand))
    const importOne = async (importer: Importer, round: number) => {
      const { done, why } = await importer.run({ round, waitMs: 0 })
      if (!done) misses.push(`two brands, round ${round}: an import failed: ${why}`)
    }
    /** Reads the feeds while imports run. Says how long they took, and whether both wrote at once. */
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

/** Writers that hold a lock exclusively. */
const writersQuery = {
  text: [
    'select count(distinct pid)',
    'from pg_locks',
    "where locktype = 'advisory' and mode = 'ExclusiveLock' and granted",
  ].join('\n'),
  values: [],
}

/** A copy of a brand's tags that is kept up to date by its change feed. */
const createFollower = (store: Store, brand: string) => {
  const copy = new Map<string, string>()
  let after: FeedPosition = feedStart
  return {
    copy,
    /** Reads what is new. */
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
