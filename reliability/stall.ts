/** Expensive requests, which must not delay ordinary ones. */
import { Agent } from 'node:http'
import { basePath, queryBasePath } from '#contract'
import { mix, shuffled } from '../bench/statistics.ts'
import { check, type Form } from './check.ts'
import { ask } from './others.ts'
import { type BatchesSize, measureBatches } from './stall/batches.ts'
import { brand, fieldNames, halves } from './stall/brand.ts'
import { fairSizes, measureFairness } from './stall/fair.ts'
import {
  type Counts,
  earlierHealthTarget,
  measureStall,
  type OpenAttack,
  stallSizes,
} from './stall/measure.ts'

/**
 * Expensive requests of one kind, one at a time. `next` returns a path, or undefined at the end.
 */
interface Lane {
  readonly kind: string
  next(): string | undefined
}

/** Maximum requests until one answer: each continues the work of the previous one. */
const requestsMax = 100

/** Sends the requests of all lanes without a pause and repeats each until it is answered. */
const attackWith =
  (base: string, lanesOf: (seed: number, begun: Counts) => readonly Lane[]): OpenAttack =>
  ({ url, key, seed, begun: before = {} }) => {
    const lanes = lanesOf(seed, before)
    const agent = new Agent({ keepAlive: true })
    const failed: string[] = []
    const completed = Object.fromEntries(lanes.map(({ kind }) => [kind, 0]))
    const begun: Record<string, number> = { ...before }
    let isOver = false
    let requests = 0
    /** After the end, repeats only if no request of its kind was answered yet. */
    const complete = async (kind: string, path: string): Promise<void> => {
      const isWanted = () => !isOver || completed[kind] === 0
      for (let tries = 0; tries < requestsMax && isWanted(); tries += 1) {
        requests += 1
        const target = `${url}${base}/brands/${brand}/${path.replaceAll(' ', '%20')}`
        const { status, body } = await ask(target, key, agent)
        if (status === 200) {
          completed[kind] = (completed[kind] ?? 0) + 1
          return
        }
        if (status !== 500 || !body.includes('Send the same request again')) {
          failed.push(`${path} was answered with ${status}: ${body.slice(0, 200)}`)
          return
        }
      }
      if (isWanted()) failed.push(`${path} was never complete.`)
    }
    const running = lanes.map(async ({ kind, next }) => {
      for (let path = next(); path !== undefined && !isOver; path = next()) {
        begun[kind] = (begun[kind] ?? 0) + 1
        await complete(kind, path)
      }
    })
    return {
      stop: async () => {
        isOver = true
        await Promise.all(running)
        agent.destroy()
        return { completed, begun, requests, failed }
      },
    }
  }

/** Every combination of two to four fields: 72 lists. */
const combinations = (): readonly string[] => {
  const grow = (index: number): readonly string[][] => {
    const name = fieldNames[index]
    if (name === undefined) return [[]]
    const rest = grow(index + 1)
    const withField = halves[name].flatMap((value) =>
      rest.map((each) => [`${name}=${value}`, ...each]),
    )
    return [...rest, ...withField]
  }
  return grow(0)
    .filter(({ length }) => length > 1)
    .map((each) => each.join('&'))
}

/** Two wide lists at a time, never the same combination twice. */
const wideLists = attackWith(basePath, (seed) => {
  const queue = shuffled(combinations(), seed).map((query) => `order-items?${query}`)
  const lane: Lane = { kind: 'wide lists', next: () => queue.pop() }
  return [lane, lane]
})

export const stall = check({
  id: 'R31',
  claim: 'The most expensive query does not delay ordinary requests.',
  target:
    'On 1,000,000 order items, while two lists with filters that each match half of them and were never counted are requested without a pause, every time in another combination: the p99 latency of 32 clients on ordinary pages and gets is at most 3 times its value without them, the p99 of /healthz is at most 20 ms or twice its value without them, no ordinary request fails, and every wide list is complete after some requests. On SQLite and on PostgreSQL.',
  earlierTarget: earlierHealthTarget,
  sizes: stallSizes,
  try: (size, task) => measureStall(size, wideLists, task),
})

const pick = (field: (typeof fieldNames)[number], n: number): string =>
  `${field}=${halves[field][mix(n, 50 + fieldNames.indexOf(field)) % 2]}`

/** The path of the nth request of each kind. */
const kinds: Readonly<Record<string, (n: number) => string>> = {
  summaries: (n) => `order-items/summary?sum=unitPrice,unitPriceBase,duty&by=category&qty.gte=${n}`,
  'sparse lists': (n) =>
    `order-items?${fieldNames.map((field) => pick(field, n)).join('&')}&qty.gte=${n}&sort=-updatedAt&limit=${1 + (n % 100)}`,
  searches: (n) => `search?q=${['shirt navy', 'po 5', 'cotton', 'ald 1'][n % 4]}${n}&limit=50`,
  downloads: (n) => `order-items/download?format=ndjson&qty.gte=${1 + (n % 2)}`,
}

const queries = attackWith(queryBasePath, () =>
  Object.entries(kinds).map(([kind, pathOf]): Lane => {
    let n = 0
    return {
      kind,
      next: () => {
        n += 1
        return pathOf(n)
      },
    }
  }),
)

export const stallQuery = check({
  id: 'R33',
  claim: 'No request of the query API delays ordinary requests.',
  target:
    'On 1,000,000 order items, while summaries, sorted lists that few records match, searches and downloads of all records are requested, one of each at a time without a pause and never the same again: the p99 latency of 32 clients on ordinary pages and gets is at most 3 times its value without them, the p99 of /healthz is at most 20 ms or twice its value without them, no ordinary request fails, and each kind is complete after some requests. On SQLite and on PostgreSQL.',
  earlierTarget: earlierHealthTarget,
  sizes: stallSizes,
  try: (size, task) => measureStall(size, queries, task),
})

const batchesSizes: Readonly<Record<Form, BatchesSize>> = {
  short: { items: 2_000, seconds: 2, timesMax: Infinity },
  full: { items: 60_000, seconds: 40, timesMax: 3 },
}

export const stallBatches = check({
  id: 'R42',
  claim: 'Large batches of other brands do not hold up the records of a brand.',
  target:
    'While two other brands send batches of 60,000 items (16 MB, the limit of a body) that each change 60,000 records, one after the other without a pause: the p99 of storing single items of a brand is at most 3 times its value without them on PostgreSQL. On SQLite, which has one writer and stores a batch in one transaction, it is at most that plus the time that one such batch takes alone.',
  earlierTarget: {
    target: 'On SQLite too, the p99 is at most 3 times its value without them.',
    reason:
      'A batch is stored all or nothing, and SQLite has one writer: what arrives during the transaction of a batch waits for its end. INGEST_BODY_MB limits the largest batch.',
  },
  sizes: batchesSizes,
  try: measureBatches,
})

/** Summaries and sparse lists, sixteen at a time: as many as a key may have in progress. */
const heavyQueries = attackWith(queryBasePath, (_, begun) =>
  ['summaries', 'sparse lists'].flatMap((kind) => {
    let n = begun[kind] ?? 0
    const lane: Lane = {
      kind,
      next: () => {
        n += 1
        return kinds[kind]?.(n)
      },
    }
    return Array<Lane>(8).fill(lane)
  }),
)

export const fairReads = check({
  id: 'R41',
  claim: 'The queries of one key do not delay those of other keys and brands.',
  target:
    'On 300,000 order items, while one key requests summaries and sorted lists that few records match, 16 at a time without a pause and never the same again: from a second after the first ones the p99 latency of Today, documents and summaries of another brand and of another key of the same brand is at most 3 times its value without them, or 100 ms more, and none fails. On SQLite and on PostgreSQL, with one worker and with two.',
  earlierTarget: {
    target:
      'It is at most 3 times its value without them; in a second version, that or 50 ms more.',
    reason:
      'Without them it is some milliseconds. A request reads several times, and each time it may wait for a step of a long read, which takes up to 50 ms and cannot be interrupted.',
  },
  sizes: fairSizes,
  try: (size, task) => measureFairness(size, heavyQueries, task),
})
