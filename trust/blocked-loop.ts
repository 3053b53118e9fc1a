import { setTimeout as wait } from 'node:timers/promises'
import { basePath, catalog, resourceAt } from '#contract'
import { openBrandsModel, story } from '../test/support/brands.ts'
import { idOf } from '../test/support/model.ts'
import { openPostgres } from '../test/support/postgres.ts'
import { figure } from './figure.ts'
import { openServingProcess, type ServingProcess } from './serving.ts'

interface Size {
  readonly rows: number
  readonly seconds: number
  /** How much longer the slowest hundredth of another brand's requests may take meanwhile. */
  readonly slowerMs: number
}

/** What the key that asks for too much is allowed, as any key is by default. */
const rate = { perSecond: 20, burst: 100 }
const include = 'include=order,sku,productVersion'

export default figure<Size>({
  id: 'R26',
  claim: 'A key that asks for wide filters at its full rate does not keep others waiting.',
  target:
    'While one key asks 400,000 order items, at its rate limit and with includes, for filters that are wide apart and empty together: the p99 of another brand is at most 20 ms longer than without, on both engines, and none of its requests fails.',
  sizes: {
    short: { rows: 20_000, seconds: 1, slowerMs: Infinity },
    full: { rows: 400_000, seconds: 10, slowerMs: 20 },
  },
  try: async (size, { say }) => {
    const misses: string[] = []
    const sqlite = await measureOn('SQLite', {}, size, misses, say)
    const postgres = await openPostgres()
    try {
      const environment = { DATABASE_URL: await postgres.url('blocked') }
      const measured = await measureOn('PostgreSQL', environment, size, misses, say)
      const tell = ({ calmMs, busyMs, longestMs, others, wide }: Measured) =>
        `p99 ${calmMs.toFixed(1)} ms without, ${busyMs.toFixed(1)} ms with, longest ${longestMs.toFixed(1)} ms, ${others} requests beside ${wide} wide ones`
      return {
        measured: `SQLite: ${tell(sqlite)}. PostgreSQL: ${tell(measured)}.`,
        counts: {
          sqliteCalmUs: Math.round(sqlite.calmMs * 1_000),
          sqliteBusyUs: Math.round(sqlite.busyMs * 1_000),
          sqliteLongestUs: Math.round(sqlite.longestMs * 1_000),
          postgresCalmUs: Math.round(measured.calmMs * 1_000),
          postgresBusyUs: Math.round(measured.busyMs * 1_000),
          postgresLongestUs: Math.round(measured.longestMs * 1_000),
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
  readonly calmMs: number
  readonly busyMs: number
  readonly longestMs: number
  readonly others: number
  readonly wide: number
}

const measureOn = async (
  engine: string,
  environment: { readonly [name: string]: string },
  { rows, seconds, slowerMs }: Size,
  misses: string[],
  say: (sentence: string) => void,
): Promise<Measured> => {
  const serving = await openServingProcess(openBrandsModel(1), environment)
  try {
    await fill(serving, rows)
    const key = await issue(serving, 'aldermoor', rate)
    const other = await issue(serving, 'birkholm', { perSecond: null, burst: null })
    await askOthers(serving, other, seconds)
    const calm = await askOthers(serving, other, seconds)
    let isOver = false
    const attack = askWide(serving, key, () => isOver)
    const busy = await askOthers(serving, other, seconds)
    isOver = true
    const wide = await attack
    const [calmMs, busyMs] = [percentile(calm.took), percentile(busy.took)]
    say(`${engine}: p99 ${calmMs.toFixed(2)} ms, then ${busyMs.toFixed(2)} ms`)
    for (const status of [...calm.failed, ...busy.failed]) {
      misses.push(`${engine}: a request of the other brand got ${status}.`)
    }
    if (busyMs > calmMs + slowerMs) {
      misses.push(
        `${engine}: the p99 was ${busyMs.toFixed(1)} ms, and ${calmMs.toFixed(1)} without.`,
      )
    }
    const longestMs = Math.max(...busy.took)
    return { calmMs, busyMs, longestMs, others: busy.took.length, wide }
  } finally {
    await serving.close()
  }
}

/** Two halves of a collection, each with a category and a code of its own. */
const fill = async ({ records }: ServingProcess, rows: number): Promise<void> => {
  const items = resourceAt(catalog, 'order-items')
  const [item] = story['order-items'] ?? []
  await records.store.write('aldermoor', async (writer) => {
    for (let from = 0; from < rows; from += 10_000) {
      const part = Array.from({ length: Math.min(10_000, rows - from) }, (_, index) => {
        const isOdd = (from + index) % 2 === 1
        const half = { category: isOdd ? 'A' : 'B', htsCode: isOdd ? '1' : '2' }
        return { ...item, id: idOf(1_000_000 + from + index), ...half }
      })
      await writer.stage(items, part as never)
    }
    await writer.merge(items)
  })
}

const issue = async (
  { records, url }: ServingProcess,
  brand: string,
  limit: { readonly perSecond: number | null; readonly burst: number | null },
): Promise<string> => {
  const rights = { brands: [brand], global: false, expiresAt: null }
  const { key } = await records.keys.issue({ name: brand, ...rights, ...limit })
  // A process reads new keys within a second.
  for (let tries = 0; tries < 500; tries += 1) {
    if ((await ask(url, key, brand, 'tags?limit=1')) !== 401) return key
    await wait(20)
  }
  throw new RangeError('The server does not know the key.')
}

const ask = async (url: string, key: string, brand: string, path: string): Promise<number> => {
  const response = await fetch(`${url}${basePath}/brands/${brand}/${path}`, {
    headers: { authorization: `Bearer ${key}` },
  })
  await response.arrayBuffer()
  return response.status
}

/** One request after the other, each for another page, so that none is answered from memory. */
const askOthers = async ({ url }: ServingProcess, key: string, seconds: number) => {
  const took: number[] = []
  const failed: number[] = []
  const until = performance.now() + seconds * 1_000
  for (let n = 0; performance.now() < until; n += 1) {
    const began = performance.now()
    const status = await ask(url, key, 'birkholm', `orders?limit=${1 + (n % 100)}&currency=C${n}`)
    took.push(performance.now() - began)
    if (status !== 200) failed.push(status)
    await wait(2)
  }
  return { took, failed }
}

/** Filters that are wide apart and empty together, as fast as the key may ask, each another target. */
const askWide = async ({ url }: ServingProcess, key: string, isOver: () => boolean) => {
  const asking = new Set<Promise<unknown>>()
  let count = 0
  while (!isOver()) {
    const halves = count % 2 ? 'category=A&htsCode=2' : 'category=B&htsCode=1'
    const path = `order-items?${halves}&limit=${1 + (count % 100)}&${include}`
    const asked: Promise<unknown> = ask(url, key, 'aldermoor', path).finally(() => {
      asking.delete(asked)
    })
    asking.add(asked)
    count += 1
    if (count > rate.burst) await wait(1_000 / rate.perSecond)
    else if (asking.size > 50) await Promise.race(asking)
  }
  await Promise.all(asking)
  return count
}

const percentile = (values: readonly number[]): number => {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[Math.floor((sorted.length - 1) * 0.99)] ?? 0
}
