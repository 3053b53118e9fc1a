import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import type { Records } from '#server'
import { openBrandsModel, story } from '../test/support/brands.ts'
import { idOf } from '../test/support/model.ts'
import { check } from './check.ts'
import { type Engine, engineNames, engines, onEngine } from './engine.ts'
import { askOthers } from './others.ts'
import { prepareBrands, type Serving, startServing } from './server-process.ts'
import { brand, writeItems } from './stall/brand.ts'

interface Size {
  readonly rows: number
  /** Repetitions of each query, each on a new state, so that its total is counted every time. */
  readonly rounds: number
  /** Maximum time that the event loop may be blocked. */
  readonly busyMsMax: number
  readonly seconds: number
  /** Maximum increase of the p99 of another brand's requests meanwhile. */
  readonly slowerMs: number
}

/** The default rate limit, for the key that sends the expensive queries. */
const rate = { perSecond: 20, burst: 100 }
const include = 'include=order,sku,productVersion'
const halves = ['category=A&htsCode=2', 'category=B&htsCode=1']
/** Queries sent one at a time: no record matches both filters, or one filter matches half. */
const wideQueries = [
  ...halves.flatMap((half) => [half, `${half}&${include}`]),
  'category=A&htsCode=1&limit=100',
  `category=B&htsCode=2&limit=100&${include}`,
]

export default check<Size>({
  id: 'R26',
  claim: 'A key that requests wide filters at its full rate does not delay other clients.',
  target:
    'On 400,000 order items, no request with filters that match many records separately and none together, with or without includes, blocks the event loop for more than 20 ms of CPU time at a time. While one key sends such requests at its rate limit, the p99 latency of another brand is at most 20 ms higher than without them, and none of its requests fails. On SQLite and on PostgreSQL.',
  sizes: {
    short: { rows: 20_000, rounds: 2, busyMsMax: 100, seconds: 1, slowerMs: Infinity },
    full: { rows: 400_000, rounds: 5, busyMsMax: 20, seconds: 10, slowerMs: 20 },
  },
  try: async (size, { log }) => {
    const misses: string[] = []
    const measured: string[] = []
    const counts: Record<string, number> = {}
    for (const engine of engines) {
      await onEngine(engine, async (url) => {
        const figures = await measureOn(engine, url, size, misses, log)
        const { busiestMs, longestMs, calmMs, meanwhileMs, others, wide } = figures
        measured.push(
          `${engineNames[engine]}: event loop blocked for at most ${busiestMs.toFixed(1)} ms at a time in the best of ${size.rounds} rounds, ${longestMs.toFixed(1)} ms in the worst; p99 of ${others} requests of other clients ${calmMs.toFixed(1)} ms without and ${meanwhileMs.toFixed(1)} ms with ${wide} wide requests.`,
        )
        Object.assign(counts, {
          [`${engine}BusiestUs`]: Math.round(busiestMs * 1_000),
          [`${engine}LongestUs`]: Math.round(longestMs * 1_000),
          [`${engine}CalmP99Us`]: Math.round(calmMs * 1_000),
          [`${engine}P99Us`]: Math.round(meanwhileMs * 1_000),
        })
      })
    }
    counts['failed'] = misses.length
    return { measured: measured.join(' '), counts, misses }
  },
})

interface Measured {
  /** The slowest query in its best round, and the longest block in any round. */
  readonly busiestMs: number
  readonly longestMs: number
  readonly calmMs: number
  readonly meanwhileMs: number
  readonly others: number
  readonly wide: number
}

const measureOn = async (
  engine: Engine,
  databaseUrl: string | undefined,
  { rows, rounds, busyMsMax, seconds, slowerMs }: Size,
  misses: string[],
  log: (sentence: string) => void,
): Promise<Measured> => {
  const { folder, variables, records } = await prepareBrands(openBrandsModel(1), {
    LOG_LEVEL: 'error',
    ...(databaseUrl && { DATABASE_URL: databaseUrl }),
  })
  let server: Serving | undefined
  try {
    await writeItems(records, rows, itemAt)
    server = await startServing(folder, variables, { hasMeter: true })
    const free = { perSecond: null, burst: null }
    const unlimited = await issue(server, records, brand, free)
    let [busiestMs, longestMs] = [0, 0]
    for (const query of wideQueries) {
      const busy = await busyWith(server, records, unlimited, query, rounds)
      const busyMs = busy.calmestMs
      log(`${engine}, ${query}: ${busyMs.toFixed(1)} to ${busy.longestMs.toFixed(1)} ms`)
      busiestMs = Math.max(busiestMs, busyMs)
      longestMs = Math.max(longestMs, busy.longestMs)
      if (busyMs > busyMsMax) {
        misses.push(
          `${engine}: order-items?${query} kept the event loop busy for ${busyMs.toFixed(1)} ms.`,
        )
      }
    }

    const key = await issue(server, records, brand, rate)
    const other = await issue(server, records, 'birkholm', free)
    const { url } = server
    // Each request is for another page, so that no response comes from the cache.
    const others = () =>
      askOthers({
        ...{ url, keys: [other], seconds, pauseMs: 2 },
        pathAt: (n) => `${basePath}/brands/birkholm/orders?limit=${1 + (n % 100)}&currency=C${n}`,
      })
    await others()
    const calm = await others()
    let isOver = false
    const attack = askWide(server, key, () => isOver)
    const meanwhile = await others()
    isOver = true
    const wide = await attack
    const [calmMs, meanwhileMs] = [calm.p99Ms, meanwhile.p99Ms]
    log(`${engine}: p99 ${calmMs.toFixed(2)} ms, then ${meanwhileMs.toFixed(2)} ms`)
    misses.push(...[...calm.failed, ...meanwhile.failed].map((each) => `${engine}: ${each}`))
    if (meanwhileMs > calmMs + slowerMs) {
      misses.push(
        `${engine}: the p99 was ${meanwhileMs.toFixed(1)} ms, and ${calmMs.toFixed(1)} ms without.`,
      )
    }
    return { busiestMs, longestMs, calmMs, meanwhileMs, others: meanwhile.requests, wide }
  } finally {
    await server?.stop()
    await records.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Two halves of a collection, each with a different category and code. */
const itemAt = (n: number): object => {
  const [item] = story['order-items'] ?? []
  const half = n % 2 ? { category: 'A', htsCode: '1' } : { category: 'B', htsCode: '2' }
  return { ...item, id: idOf(1_000_000 + n), ...half }
}

interface Busy {
  readonly calmestMs: number
  readonly longestMs: number
}

/**
 * How long one query blocks the event loop on a state without counted totals. Uses the best round,
 * since the first ones compile code.
 */
const busyWith = async (
  server: Serving,
  records: Records,
  key: string,
  query: string,
  rounds: number,
): Promise<Busy> => {
  let [calmestMs, longestMs] = [Infinity, 0]
  for (let round = 0; round < rounds; round += 1) {
    await writeItems(records, 1, () => ({ ...itemAt(0), memo: `${query} ${round}` }))
    const [, busyMs] = await server.busyDuring(async () => {
      // The next request continues a scan that exceeds the query time limit.
      for (let tries = 0; tries < 100; tries += 1) {
        const status = await ask(server, key, brand, `order-items?${query}`)
        if (status === 200) return
        if (status < 500) throw new RangeError(`order-items?${query} was answered with ${status}.`)
      }
      throw new RangeError(`order-items?${query} was never answered.`)
    })
    calmestMs = Math.min(calmestMs, busyMs)
    longestMs = Math.max(longestMs, busyMs)
  }
  return { calmestMs, longestMs }
}

const issue = async (
  server: Serving,
  records: Records,
  of: string,
  limit: { readonly perSecond: number | null; readonly burst: number | null },
): Promise<string> => {
  const rights = { brands: [of], global: false, expiresAt: null }
  const { key } = await records.keys.issue({ name: of, ...rights, ...limit })
  // A process reads new keys within a second.
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await ask(server, key, of, 'tags?limit=1')) !== 401) return key
    await wait(20)
  }
  throw new RangeError('The server does not know the key.')
}

const ask = async ({ url }: Serving, key: string, of: string, path: string): Promise<number> => {
  const response = await fetch(`${url}${basePath}/brands/${of}/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.arrayBuffer()
  return response.status
}

/**
 * Sends queries whose filters each match many records and together none, as fast as the rate limit
 * allows, each with a different target.
 */
const askWide = async (server: Serving, key: string, isOver: () => boolean) => {
  const asking = new Set<Promise<unknown>>()
  let count = 0
  while (!isOver()) {
    const path = `order-items?${halves[count % 2]}&limit=${1 + (count % 100)}&${include}`
    const sent: Promise<unknown> = ask(server, key, brand, path).finally(() => {
      asking.delete(sent)
    })
    asking.add(sent)
    count += 1
    if (count > rate.burst) await wait(1_000 / rate.perSecond)
    else if (asking.size > 50) await Promise.race(asking)
  }
  await Promise.all(asking)
  return count
}
