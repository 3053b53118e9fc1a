/**
 * The time of searches: SKUs with codes, names and GTINs, found by queries of several kinds.
 * `--records <n>` sets how many (1,000,000 by default), `--engine` where they are stored. The same
 * records are also stored without being searchable, to compare CPU time and room. Exits with 1 when
 * the target is missed.
 */
import { catalog, type Resource, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { openStory } from '#demo'
import { createStore, type Store } from '#store'
import { joinCatalog } from '../src/contract/catalog.ts'
import { formatCount, oneOf, readOptions, whole } from '../tools/options.ts'
import { openDatabases } from './engine.ts'
import { commandOf, machine, resultsFolder, writeResult } from './results.ts'
import { inSandbox } from './sandbox.ts'
import { mix, percentile } from './statistics.ts'
import { storedBytes } from './storage.ts'

/** Milliseconds of 95 percent of the searches of each kind. */
const target = 10

const stagedAtOnce = 10_000
const searchesOfEach = 200
/** Those before the first that is measured, while code is compiled. */
const warmSearches = 20

const garments = ['Oxford shirt', 'Chore jacket', 'Linen trousers', 'Wool jumper', 'Canvas bag']
const colours = ['indigo', 'ecru', 'navy', 'black', 'olive', 'rust', 'sand', 'white']
const sizes = ['XS', 'S', 'M', 'L', 'XL', 'XXL']

const pick = (from: readonly string[], n: number, salt: number): string =>
  from[mix(n, salt) % from.length] ?? ''

/** The number of a style, as it is in codes. */
const styleOf = (n: number) => 1_000 + (mix(n, 1) % 90_000)

const codeOf = (n: number) =>
  `AM-${styleOf(n)}-${pick(colours, n, 2).slice(0, 3).toUpperCase()}-${n.toString(36).toUpperCase()}`

const queries: Readonly<Record<string, (n: number) => string>> = {
  'exact code': codeOf,
  'beginning of a code': (n) => `am ${styleOf(n)}`,
  'part of a code': (n) => String(styleOf(n)),
  name: (n) => pick(garments, n, 3),
  'words in any order': (n) => `${pick(colours, n, 2)} ${pick(garments, n, 3).split(' ')[1]}`,
  'three words': (n) =>
    `${pick(sizes, n, 5)} ${pick(colours, n, 2)} ${pick(garments, n, 3).split(' ')[0]}`,
  'words of two fields': (n) => `${pick(garments, n, 3).split(' ')[0]} ${styleOf(n)}`,
  'one character': (n) => 'aocwl159'[n % 8] ?? 'a',
  'two characters': (n) => ['am', 'ox', 'na', '95', 'ch', '10', 'li', 'sh'][n % 8] ?? 'am',
  nothing: (n) => `zz${n}`,
}

function* skus(count: number, like: object): Iterable<object> {
  for (let n = 0; n < count; n += 1) {
    const id = `${n.toString(16).padStart(8, '0')}-0000-4000-8000-${mix(n, 4).toString(16).padStart(12, '0')}`
    const name = `${pick(garments, n, 3)}, ${pick(colours, n, 2)}, ${pick(sizes, n, 5)}`
    yield { ...like, id, code: codeOf(n), name, gtin: String(9_520_001_000_000 + n) }
  }
}

/** Stores the records; the CPU time of that in seconds. */
const fill = async (store: Store, count: number): Promise<number> => {
  const { records } = await openStory()
  const like = records['skus']?.[0] ?? {}
  const resource = resourceAt(store.catalog, 'skus')
  const before = process.cpuUsage()
  await store.write('bench', async (writer) => {
    let batch: object[] = []
    for (const record of skus(count, like)) {
      batch.push(record)
      if (batch.length < stagedAtOnce) continue
      await writer.stage(resource, batch as never)
      batch = []
    }
    await writer.stage(resource, batch as never)
    await writer.merge(resource)
  })
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1e6
}

interface Timing {
  readonly kind: string
  readonly median: number
  readonly p95: number
  /** Processor time of this process, which a busy machine does not change much. */
  readonly cpuMedian: number
  readonly cpuP95: number
  readonly results: number
}

/** Milliseconds of processor time, of all threads. */
const cpuMs = (): number => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}

const time = async (store: Store, count: number): Promise<readonly Timing[]> => {
  const timings: Timing[] = []
  for (const [kind, queryOf] of Object.entries(queries)) {
    const took: number[] = []
    const cpu: number[] = []
    let results = 0
    for (let n = -warmSearches; n < searchesOfEach; n += 1) {
      const query = queryOf(mix(n + warmSearches, 6) % count)
      const [began, cpuBegan] = [performance.now(), cpuMs()]
      const page = await store.search.find({ brand: 'bench', query, limit: 20, groups: null })
      if (n < 0) continue
      took.push(performance.now() - began)
      cpu.push(cpuMs() - cpuBegan)
      results += page.results.length
    }
    for (const values of [took, cpu]) values.sort((one, other) => one - other)
    timings.push({
      kind,
      median: percentile(took, 0.5),
      p95: percentile(took, 0.95),
      cpuMedian: percentile(cpu, 0.5),
      cpuP95: percentile(cpu, 0.95),
      results: results / searchesOfEach,
    })
  }
  return timings
}

interface Filled {
  readonly database: Database
  readonly store: Store
  readonly cpuSeconds: number
  readonly bytes: number
}

const openFilled = async (
  url: string,
  resources: readonly Resource[],
  count: number,
): Promise<Filled> => {
  const database = openDatabase(url)
  const store = await createStore(joinCatalog(resources), database)
  const cpuSeconds = await fill(store, count)
  const { tableBytes, indexBytes } = await storedBytes(database)
  return { database, store, cpuSeconds, bytes: tableBytes + indexBytes }
}

export const runSearch = (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, {
    records: { type: 'string', default: '1000000' },
    engine: { type: 'string', default: 'sqlite' },
    out: { type: 'string', default: resultsFolder },
  })
  const count = whole('records', values.records, 1, 10_000_000)
  const engine = oneOf('--engine', values.engine, ['sqlite', 'postgres'])
  const on = machine()
  return inSandbox(async (sandbox) => {
    const { log, step } = sandbox
    const databases = await openDatabases(sandbox, engine)
    const resources = [...catalog.resources]
    const without = resources.map((each): Resource => ({ ...each, searchable: [] }))
    const plain = await step('store without search', async () =>
      openFilled(await databases.open('plain'), without, count),
    )
    await plain.database.close()
    const filled = await step('store with search', async () =>
      openFilled(await databases.open('search'), resources, count),
    )
    const timings = await step('search', () => time(filled.store, count))
    await filled.database.close()
    const cost = {
      cpuRatio: filled.cpuSeconds / plain.cpuSeconds,
      bytesRatio: filled.bytes / plain.bytes,
      entryBytesPerRecord: (filled.bytes - plain.bytes) / count,
    }
    const file = writeResult(values.out, `search-${engine}`, {
      date: new Date().toISOString(),
      command: commandOf('bench', ['search', ...args]),
      machine: on,
      engine,
      records: count,
      ...cost,
      timings,
      target,
    })
    for (const { kind, median, p95, cpuMedian, cpuP95, results } of timings) {
      const verdict = p95 <= target ? 'met   ' : 'MISSED'
      const ms = `${median.toFixed(2)} ms, p95 ${p95.toFixed(2)} ms`
      const cpu = `CPU ${cpuMedian.toFixed(2)} and ${cpuP95.toFixed(2)} ms`
      console.log(
        `${verdict}  ${kind}: ${ms}, at most ${target} (${cpu}; ${results.toFixed(1)} results)`,
      )
    }
    console.log(
      `Of ${formatCount(count)} SKUs, with search: ${cost.cpuRatio.toFixed(2)} times the CPU time to store, ${cost.bytesRatio.toFixed(2)} times the bytes`,
    )
    log(`The result is in ${file}`)
    return timings.every(({ p95 }) => p95 <= target) ? 0 : 1
  })
}
