import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, catalog, resourceAt } from '#contract'
import type { Records } from '#server'
import { percentile } from '../bench/statistics.ts'
import { openBrandsModel, story } from '../test/support/brands.ts'
import { idOf } from '../test/support/model.ts'
import { openPostgres } from '../test/support/postgres.ts'
import { check } from './check.ts'
import { prepareBrands } from './server-process.ts'
import { openWatchedServer, type WatchedServer } from './watched.ts'

interface Size {
  readonly rows: number
  /** How often each query is asked on a new state, so that its total is counted every time. */
  readonly rounds: number
  /** How long the event loop may be busy at a time. */
  readonly busyMsMax: number
  readonly seconds: number
  /** How much longer the slowest hundredth of another brand's requests may take meanwhile. */
  readonly slowerMs: number
}

/** What the key that asks for too much is allowed, as any key is by default. */
const rate = { perSecond: 20, burst: 100 }
const include = 'include=order,sku,productVersion'
const halves = ['category=A&htsCode=2', 'category=B&htsCode=1']
/** What is asked for one by one: nothing matches both filters, or one filter matches half. */
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
    const sqlite = await measureOn('SQLite', {}, size, misses, log)
    const postgres = await openPostgres()
    try {
      const environment = { DATABASE_URL: await postgres.url('blocked') }
      const measured = await measureOn('PostgreSQL', environment, size, misses, log)
      const report = ({ busiestMs, longestMs, calmMs, meanwhileMs, others, wide }: Measured) =>
        `event loop blocked for at most ${busiestMs.toFixed(1)} ms at a time in the best of ${size.rounds} rounds, ${longestMs.toFixed(1)} ms in the worst; p99 of ${others} requests of other clients ${calmMs.toFixed(1)} ms without and ${meanwhileMs.toFixed(1)} ms with ${wide} wide requests`
      return {
        measured: `SQLite: ${report(sqlite)}. PostgreSQL: ${report(measured)}.`,
        counts: {
          sqliteBusiestUs: Math.round(sqlite.busiestMs * 1_000),
          sqliteLongestUs: Math.round(sqlite.longestMs * 1_000),
          sqliteCalmP99Us: Math.round(sqlite.calmMs * 1_000),
          sqliteP99Us: Math.round(sqlite.meanwhileMs * 1_000),
          postgresBusiestUs: Math.round(measured.busiestMs * 1_000),
          postgresLongestUs: Math.round(measured.longestMs * 1_000),
          postgresCalmP99Us: Math.round(measured.calmMs * 1_000),
          postgresP99Us: Math.round(measured.meanwhileMs * 1_000),
          failed: misses.length,
        },
        misses,
      }
    } finally {
      await postgres.close()
    }
  },
})

interface Measured {
  /** In the calmest round of the query that takes longest, and in any round. */
  readonly busiestMs: number
  readonly longestMs: number
  readonly calmMs: number
  readonly meanwhileMs: number
  readonly others: number
  readonly wide: number
}

const measureOn = async (
  engine: string,
  environment: { readonly [name: string]: string },
  { rows, rounds, busyMsMax, seconds, slowerMs }: Size,
  misses: string[],
  log: (sentence: string) => void,
): Promise<Measured> => {
  const { folder, variables, records } = await prepareBrands(openBrandsModel(1), environment)
  let server: WatchedServer | undefined
  try {
    await fill(records, rows)
    server = await openWatchedServer(variables)
    const free = { perSecond: null, burst: null }
    const unlimited = await issue(server, records, 'aldermoor', free)
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

    const key = await issue(server, records, 'aldermoor', rate)
    const other = await issue(server, records, 'birkholm', free)
    await askOthers(server, other, seconds)
    const calm = await askOthers(server, other, seconds)
    let isOver = false
    const attack = askWide(server, key, () => isOver)
    const meanwhile = await askOthers(server, other, seconds)
    isOver = true
    const wide = await attack
    const [calmMs, meanwhileMs] = [p99Of(calm.took), p99Of(meanwhile.took)]
    log(`${engine}: p99 ${calmMs.toFixed(2)} ms, then ${meanwhileMs.toFixed(2)} ms`)
    for (const status of [...calm.failed, ...meanwhile.failed]) {
      misses.push(`${engine}: a request of the other brand got ${status}.`)
    }
    if (meanwhileMs > calmMs + slowerMs) {
      misses.push(
        `${engine}: the p99 was ${meanwhileMs.toFixed(1)} ms, and ${calmMs.toFixed(1)} ms without.`,
      )
    }
    return { busiestMs, longestMs, calmMs, meanwhileMs, others: meanwhile.took.length, wide }
  } finally {
    await server?.close()
    await records.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const items = resourceAt(catalog, 'order-items')

const itemAt = (n: number): object => {
  const [item] = story['order-items'] ?? []
  const half = n % 2 ? { category: 'A', htsCode: '1' } : { category: 'B', htsCode: '2' }
  return { ...item, id: idOf(1_000_000 + n), ...half }
}

const put = ({ store }: Records, parts: Iterable<readonly object[]>): Promise<void> =>
  store.write('aldermoor', async (writer) => {
    for (const part of parts) await writer.stage(items, part as never)
    await writer.merge(items)
  })

/** Two halves of a collection, each with a category and a code of its own. */
const fill = (records: Records, rows: number): Promise<void> =>
  put(
    records,
    (function* () {
      for (let from = 0; from < rows; from += 10_000) {
        const length = Math.min(10_000, rows - from)
        yield Array.from({ length }, (_, index) => itemAt(from + index))
      }
    })(),
  )

interface Busy {
  readonly calmestMs: number
  readonly longestMs: number
}

/**
 * How long one query keeps the event loop busy at a time, on a state in which nothing is counted
 * yet. The calmest round counts: the first ones compile code.
 */
const busyWith = async (
  server: WatchedServer,
  records: Records,
  key: string,
  query: string,
  rounds: number,
): Promise<Busy> => {
  let [calmestMs, longestMs] = [Infinity, 0]
  for (let round = 0; round < rounds; round += 1) {
    await put(records, [[{ ...itemAt(0), memo: `${query} ${round}` }]])
    const busyMs = await server.busyDuring(async () => {
      // A scan that takes longer than a query may is continued by the next request.
      for (let tries = 0; tries < 100; tries += 1) {
        const status = await ask(server, key, 'aldermoor', `order-items?${query}`)
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
  server: WatchedServer,
  records: Records,
  brand: string,
  limit: { readonly perSecond: number | null; readonly burst: number | null },
): Promise<string> => {
  const rights = { brands: [brand], global: false, expiresAt: null }
  const { key } = await records.keys.issue({ name: brand, ...rights, ...limit })
  // A process reads new keys within a second.
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await ask(server, key, brand, 'tags?limit=1')) !== 401) return key
    await wait(20)
  }
  throw new RangeError('The server does not know the key.')
}

const ask = async (
  { url }: WatchedServer,
  key: string,
  brand: string,
  path: string,
): Promise<number> => {
  const response = await fetch(`${url}${basePath}/brands/${brand}/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.arrayBuffer()
  return response.status
}

/** One request after the other, each for another page, so that none is answered from memory. */
const askOthers = async (server: WatchedServer, key: string, seconds: number) => {
  const took: number[] = []
  const failed: number[] = []
  const until = performance.now() + seconds * 1_000
  for (let n = 0; performance.now() < until; n += 1) {
    const began = performance.now()
    const path = `orders?limit=${1 + (n % 100)}&currency=C${n}`
    const status = await ask(server, key, 'birkholm', path)
    took.push(performance.now() - began)
    if (status !== 200) failed.push(status)
    await wait(2)
  }
  return { took, failed }
}

/** Filters that are wide apart and empty together, as fast as the key may ask, each another target. */
const askWide = async (server: WatchedServer, key: string, isOver: () => boolean) => {
  const asking = new Set<Promise<unknown>>()
  let count = 0
  while (!isOver()) {
    const path = `order-items?${halves[count % 2]}&limit=${1 + (count % 100)}&${include}`
    const sent: Promise<unknown> = ask(server, key, 'aldermoor', path).finally(() => {
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

const p99Of = (values: readonly number[]): number =>
  percentile(
    values.toSorted((one, other) => one - other),
    0.99,
  )
