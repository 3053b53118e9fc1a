import { rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, catalog, resourceAt } from '#contract'
import type { Records } from '#server'
import { createItems, itemId, orderId, ordersOf } from '../bench/order-items.ts'
import { watchMemory } from '../bench/process-usage.ts'
import { mix, percentile, shuffled } from '../bench/statistics.ts'
import { openBrandsModel, story } from '../test/support/brands.ts'
import { openPostgres } from '../test/support/postgres.ts'
import { check } from './check.ts'
import { prepareBrands } from './server-process.ts'
import { openWatchedServer, type WatchedServer } from './watched.ts'

interface Size {
  readonly rows: number
  readonly seconds: number
  /** How many times its quiet value the p99 of ordinary requests may have meanwhile. */
  readonly timesMax: number
  /** How long the p99 of health checks may take, in milliseconds. */
  readonly healthMsMax: number
}

const clients = 32
/** Between two requests of a client, so that the server is busy and not saturated. */
const pauseMs = 20
const healthEveryMs = 20
/** Wide requests that are in progress at the same time. */
const wideAtOnce = 2

export default check<Size>({
  id: 'R31',
  claim: 'The most expensive query does not delay ordinary requests.',
  target:
    'On 1,000,000 order items, while two lists with filters that each match half of them and were never counted are requested without a pause, every time in another combination: the p99 latency of 32 clients on ordinary pages and gets is at most 3 times its value without them, the p99 of /healthz is at most 20 ms, no ordinary request fails, and every wide list is complete after some requests. On SQLite and on PostgreSQL.',
  sizes: {
    short: { rows: 20_000, seconds: 2, timesMax: Infinity, healthMsMax: Infinity },
    full: { rows: 1_000_000, seconds: 20, timesMax: 3, healthMsMax: 20 },
  },
  try: async (size, { seed, log }) => {
    const misses: string[] = []
    const sqlite = await measureOn('SQLite', {}, size, seed, misses, log)
    const server = await openPostgres()
    try {
      const environment = { DATABASE_URL: await server.url('stall') }
      const postgres = await measureOn('PostgreSQL', environment, size, seed, misses, log)
      return {
        measured: `SQLite: ${describe(sqlite)}. PostgreSQL: ${describe(postgres)}.`,
        counts: { ...countsOf('sqlite', sqlite), ...countsOf('postgres', postgres) },
        misses,
      }
    } finally {
      await server.close()
    }
  },
})

interface Phase {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly healthP99Ms: number
  readonly healthMaxMs: number
  readonly requests: number
}

interface Measured {
  readonly quiet: Phase
  readonly stalled: Phase
  /** Wide lists that were answered, and the requests that this took. */
  readonly lists: number
  readonly wideRequests: number
  readonly quietMb: number
  readonly stalledMb: number
}

const describe = (measured: Measured): string => {
  const { quiet, stalled, lists, wideRequests, quietMb, stalledMb } = measured
  return [
    `p99 of ordinary requests ${quiet.p99Ms.toFixed(1)} ms without and ${stalled.p99Ms.toFixed(1)} ms with ${lists} wide lists in ${wideRequests} requests (p50 ${quiet.p50Ms.toFixed(1)} and ${stalled.p50Ms.toFixed(1)} ms; ${quiet.requests} and ${stalled.requests} requests)`,
    `p99 of /healthz ${quiet.healthP99Ms.toFixed(1)} and ${stalled.healthP99Ms.toFixed(1)} ms (at most ${quiet.healthMaxMs.toFixed(1)} and ${stalled.healthMaxMs.toFixed(1)} ms)`,
    `private memory at most ${quietMb} and ${stalledMb} MB`,
  ].join('; ')
}

const countsOf = (engine: string, { quiet, stalled, lists, stalledMb }: Measured) => ({
  [`${engine}QuietP99Us`]: Math.round(quiet.p99Ms * 1_000),
  [`${engine}StalledP99Us`]: Math.round(stalled.p99Ms * 1_000),
  [`${engine}HealthP99Us`]: Math.round(stalled.healthP99Ms * 1_000),
  [`${engine}WideLists`]: lists,
  [`${engine}PrivateMb`]: stalledMb,
})

const measureOn = async (
  engine: string,
  environment: { readonly [name: string]: string },
  { rows, seconds, timesMax, healthMsMax }: Size,
  seed: number,
  misses: string[],
  log: (sentence: string) => void,
): Promise<Measured> => {
  const { folder, variables, records } = await prepareBrands(openBrandsModel(1), environment)
  let server: WatchedServer | undefined
  try {
    log(`${engine}: filling a brand with ${rows} order items`)
    await fill(records, rows)
    const keys = await issueKeys(records)
    // The last program that closes a file of SQLite copies its write-ahead log into it.
    await records.close()
    server = await openWatchedServer(variables)
    const target: Target = { url: server.url, keys, rows, seed }
    const quietMemory = watchMemory([server.pid])
    await runPhase(target, 0, seconds / 4, [])
    const failures: string[] = []
    const quiet = await runPhase(target, 1, seconds, failures)
    log(`${engine}, quiet: p99 ${quiet.p99Ms.toFixed(1)} ms`)
    const quietMb = quietMemory.stop()
    const memory = watchMemory([server.pid])
    const attack = openAttack(target)
    const stalled = await runPhase(target, 2, seconds, failures)
    const { lists, requests: wideRequests, failed } = await attack.stop()
    const stalledMb = memory.stop()
    const measured = { quiet, stalled, lists, wideRequests, quietMb, stalledMb }
    log(`${engine}: ${describe(measured)}`)
    misses.push(...[...failures, ...failed].map((each) => `${engine}: ${each}`))
    if (lists === 0) misses.push(`${engine}: no wide list was answered.`)
    if (stalled.p99Ms > quiet.p99Ms * timesMax) {
      misses.push(
        `${engine}: the p99 was ${stalled.p99Ms.toFixed(1)} ms, and ${quiet.p99Ms.toFixed(1)} ms without.`,
      )
    }
    if (stalled.healthP99Ms > healthMsMax) {
      misses.push(`${engine}: the p99 of /healthz was ${stalled.healthP99Ms.toFixed(1)} ms.`)
    }
    return measured
  } finally {
    await server?.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

const items = resourceAt(catalog, 'order-items')
const brand = 'aldermoor'

/** Fields with two values each, of which every order item has one by chance. */
const halves = {
  category: ['Jackets', 'Trousers'],
  htsCode: ['6201930000', '6203420000'],
  itemType: ['product', 'sample'],
  step: ['production', 'packing'],
} as const

const fieldNames = Object.keys(halves) as readonly (keyof typeof halves)[]

const fill = ({ store }: Records, rows: number): Promise<void> => {
  const itemAt = createItems(story, rows)
  const halvesOf = (n: number) =>
    Object.fromEntries(
      fieldNames.map((name, index) => [name, halves[name][mix(n, 90 + index) % 2]]),
    )
  return store.write(brand, async (writer) => {
    for (let from = 0; from < rows; from += 10_000) {
      const length = Math.min(10_000, rows - from)
      const part = Array.from({ length }, (_, index) => ({
        ...itemAt(from + index),
        ...halvesOf(from + index),
      }))
      await writer.stage(items, part as never)
    }
    await writer.merge(items)
  })
}

/** Every combination of two to four of the fields: 72 lists. */
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

interface Target {
  readonly url: string
  readonly keys: readonly string[]
  readonly rows: number
  readonly seed: number
}

/** One key for the wide lists, the others for ordinary requests: a key has a limit at a time. */
const issueKeys = async ({ keys }: Records): Promise<readonly string[]> => {
  const issued: string[] = []
  for (let n = 0; n < 5; n += 1) {
    const rights = { brands: [brand], global: false, expiresAt: null }
    const rate = { perSecond: null, burst: null }
    issued.push((await keys.issue({ name: `stall ${n}`, ...rights, ...rate })).key)
  }
  return issued
}

interface MeasuredResponse {
  readonly status: number
  readonly body: string
  readonly tookMs: number
}

const ask = (url: string, key: string, agent: Agent): Promise<MeasuredResponse> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const sent = request(
      url,
      { agent, headers: { authorization: `Bearer ${key}` } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => void chunks.push(chunk))
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: Buffer.concat(chunks).toString(),
            tookMs: performance.now() - began,
          }),
        )
      },
    )
    sent.once('error', reject)
    sent.end()
  })

/** Gets, and pages of the items of an order, far apart, so that hardly any response is cached. */
const ordinaryPath = ({ rows, seed }: Target, n: number): string =>
  n % 4 === 0
    ? `order-items/${itemId(mix(n, seed) % rows)}`
    : `order-items?orderId=${orderId(mix(n, seed) % ordersOf(rows))}&limit=${5 + (n % 20)}`

/** Ordinary requests of all clients, and health checks, for some seconds. */
const runPhase = async (
  target: Target,
  phase: number,
  seconds: number,
  failures: string[],
): Promise<Phase> => {
  const { url, keys } = target
  const agent = new Agent({ keepAlive: true })
  const until = performance.now() + seconds * 1_000
  const [took, health]: [number[], number[]] = [[], []]
  const client = async (index: number) => {
    const key = keys[1 + (index % (keys.length - 1))] ?? ''
    for (let n = index + phase * 1_000_000; performance.now() < until; n += clients) {
      const path = ordinaryPath(target, n)
      const { status, tookMs } = await ask(`${url}${basePath}/brands/${brand}/${path}`, key, agent)
      took.push(tookMs)
      if (status !== 200) failures.push(`${path} was answered with ${status}.`)
      await wait(pauseMs)
    }
  }
  const checkHealth = async () => {
    while (performance.now() < until) {
      health.push((await ask(`${url}/healthz`, '', agent)).tookMs)
      await wait(healthEveryMs)
    }
  }
  await Promise.all([checkHealth(), ...Array.from({ length: clients }, (_, n) => client(n))])
  agent.destroy()
  const [sorted, sortedHealth] = [took, health].map((values) => values.toSorted((a, b) => a - b))
  return {
    p50Ms: percentile(sorted ?? [], 0.5),
    p99Ms: percentile(sorted ?? [], 0.99),
    healthP99Ms: percentile(sortedHealth ?? [], 0.99),
    healthMaxMs: sortedHealth?.at(-1) ?? 0,
    requests: took.length,
  }
}

/** Requests that one wide list may need: each continues the scan of the one before. */
const requestsPerListMax = 100

/** Asks for wide lists, each repeated until it is complete, in ever new combinations. */
const openAttack = ({ url, keys: [key = ''], seed }: Target) => {
  const queue = [...shuffled(combinations(), seed)]
  const agent = new Agent({ keepAlive: true })
  const failed: string[] = []
  let [isOver, lists, requests] = [false, 0, 0]
  const list = async (query: string) => {
    for (let tries = 0; tries < requestsPerListMax && !isOver; tries += 1) {
      requests += 1
      const { status, body } = await ask(
        `${url}${basePath}/brands/${brand}/order-items?${query}`,
        key,
        agent,
      )
      if (status === 200) {
        lists += 1
        return
      }
      if (status !== 500 || !body.includes('Send the same request again')) {
        failed.push(`order-items?${query} was answered with ${status}: ${body.slice(0, 200)}`)
        return
      }
    }
    if (!isOver) failed.push(`order-items?${query} was never complete.`)
  }
  const running = Array.from({ length: wideAtOnce }, async () => {
    for (let query = queue.pop(); query !== undefined && !isOver; query = queue.pop()) {
      await list(query)
    }
  })
  return {
    stop: async () => {
      isOver = true
      await Promise.all(running)
      agent.destroy()
      return { lists, requests, failed }
    },
  }
}
