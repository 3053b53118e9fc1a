/**
 * The cost of a page of the query API relative to a filtered page of the contract: sorted and
 * ranged lists of the same brand, measured in turn on the same server. Exits with 1 if a page costs
 * too much.
 */
import { queryBasePath } from '#contract'
import { formatCount } from '../tools/options.ts'
import { inSandbox } from '../tools/sandbox.ts'
import { type Brand, fillBrand } from './brand.ts'
import { between, filteredPlaces, pageOf, pageSizes, spreadOver } from './cases.ts'
import { askedAgain, createComparison, type Measured } from './comparison.ts'
import { openEngine } from './engine.ts'
import { engine, readBenchOptions, rounds, seconds, whole } from './options.ts'
import { narrowRanges } from './order-items.ts'
import { apiPath, openProduct, type Server } from './product.ts'
import { publish } from './results.ts'
import { median, type Spread, spreadOf } from './statistics.ts'
import { tableOf } from './table.ts'
import { exitCodeOf, sentenceOf, verdictOf } from './targets.ts'
import { getCounted, type Place, pageAt, walk } from './walk.ts'

const connections = 32

/** Maximum CPU time of a page relative to a filtered page of the contract. */
const timesMax = 2

/** The case that all others are compared with. */
const reference = 'filtered page of the contract'

export const queryCaseNames = [
  reference,
  'sorted page',
  'range, sorted by its field',
  'wide range',
  'middling range',
  'narrow range, never counted',
  'filtered and sorted page',
] as const

type CaseName = (typeof queryCaseNames)[number]

interface QueryCase {
  readonly name: CaseName
  readonly paths: readonly string[]
  /** First pages of lists to count before the measurement; a server counts each once per state. */
  readonly counted: readonly string[]
}

export const runQuery = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, {
    engine: engine(),
    rows: whole(1_000_000, 500, 100_000_000),
    rounds: rounds(5),
    seconds: seconds(2),
    places: whole(6_000, 50, 100_000),
  })
  return inSandbox(async (sandbox) => {
    const comparison = createComparison(sandbox.folder, connections)
    const database = await openEngine(sandbox, options.engine)
    const product = openProduct(sandbox, 'query', database.url)
    const { rows, rounds: count } = options
    const brand = await fillBrand(sandbox, product, { rows, others: 1, otherOrders: 40 })
    const start = { path: pageAt(brand.items, '', 25), headers: brand.headers }
    const cases = await sandbox.step('looking for pages to ask for', async () => {
      const guide = await product.serve(start)
      const results = await casesOf(guide, brand, options.places)
      await guide.close()
      return results
    })
    const server = await product.serve(start)
    for (const path of cases.flatMap(({ counted }) => counted)) {
      await getCounted(server, path, brand.headers)
    }
    /** Includes the CPU time of the database, which for SQLite is part of the server. */
    const measured = { port: server.port, cpuMs: () => sumOf(server.cpuMs(), database.cpuMs()) }
    const runs = cases.map(({ name, paths }) => ({
      name,
      requests: comparison.requests(name, paths, brand.headers),
      rounds: [] as Measured[],
    }))
    for (const { requests } of runs) await comparison.measure(measured, requests, 1)
    for (let round = 1; round <= count; round += 1) {
      sandbox.log(`round ${round} of ${count}`)
      for (const run of runs) {
        run.rounds.push(await comparison.measure(measured, run.requests, options.seconds))
      }
    }
    const [compared] = runs
    const figures = runs.map((run) => ({
      name: run.name,
      ...figuresOf(run.rounds, compared?.rounds ?? []),
      askedAgain: askedAgain(run.requests),
    }))
    const verdicts = figures.flatMap(({ name, times }) =>
      name === reference || times === null
        ? []
        : [verdictOf(`${name}, times a ${reference}`, times.median, 'at most', timesMax)],
    )
    publish(
      sandbox,
      options,
      `query-${options.engine}`,
      {
        ...{ engine: options.engine, rows, rounds: count, seconds: options.seconds, connections },
        cases: figures,
        verdicts,
      },
      `${reportOf(figures)}\n\n${verdicts.map(sentenceOf).join('\n')}\n`,
    )
    return exitCodeOf(verdicts)
  })
}

const sumOf = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? null : one + other

interface QueryFigures {
  readonly perSecond: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly cpuUs: Spread | null
  /** CPU time per request relative to the reference in the same round. */
  readonly times: Spread | null
}

const figuresOf = (rounds: readonly Measured[], references: readonly Measured[]): QueryFigures => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  p50Ms: median(rounds.map(({ p50Ms }) => p50Ms)),
  p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
  cpuUs: spreadOf(rounds.map(({ cpuUs }) => cpuUs)),
  times: spreadOf(
    rounds.map(({ cpuUs }, index) => {
      const least = references[index]?.cpuUs ?? null
      return cpuUs === null || least === null ? null : cpuUs / least
    }),
  ),
})

const reportOf = (
  figures: readonly (QueryFigures & { readonly name: string; readonly askedAgain: number })[],
): string =>
  tableOf(
    ['', 'per second', 'CPU µs', 'times', 'spread', 'p50 ms', 'p99 ms', 'asked again'],
    figures.map(({ name, perSecond, cpuUs, times, p50Ms, p99Ms, askedAgain: again }) => [
      name,
      formatCount(Math.round(perSecond)),
      cpuUs ? formatCount(Math.round(cpuUs.median)) : '–',
      times?.median.toFixed(2) ?? '–',
      times ? `${times.least.toFixed(2)}–${times.most.toFixed(2)}` : '–',
      p50Ms.toFixed(1),
      p99Ms.toFixed(1),
      formatCount(again),
    ]),
  )

/** The lists of each case, as parts of a query string. */
const lists: Record<Exclude<CaseName, typeof reference>, (rows: number) => readonly string[]> = {
  'sorted page': () => ['sort=qty', 'sort=-qty', 'sort=updatedAt', 'sort=-updatedAt'],
  'range, sorted by its field': () => [
    'qty.gte=100&qty.lt=900&sort=qty',
    'qty.lte=40&sort=-qty',
    'updatedAt.gte=2026-03-01&sort=-updatedAt',
    'updatedAt.gte=2025-09-01&updatedAt.lt=2026-02-01&sort=updatedAt',
  ],
  // A quarter to a half of the records, in the order of the identity.
  'wide range': () => ['qty.gte=100', 'qty.lt=100', 'updatedAt.gte=2026-01-01', 'qty.gte=20'],
  // A hundredth to a twentieth of the records.
  'middling range': () => [
    'qty.gte=1800',
    'qty.gte=500&qty.lt=550',
    'updatedAt.gte=2025-03-01&updatedAt.lt=2025-04-01',
    'updatedAt.gte=2026-04-20&updatedAt.lt=2026-04-24',
  ],
  'narrow range, never counted': (rows) => narrowRanges(rows),
  'filtered and sorted page': () => [
    'itemType=sample&sort=-updatedAt',
    'category=Shirts&sort=qty',
    'step=packing&sort=-qty',
  ],
}

const casesOf = async (
  guide: Server,
  brand: Brand,
  placesMax: number,
): Promise<readonly QueryCase[]> => {
  const items = brand.items.replace(apiPath, queryBasePath)
  const inQuery = { ...brand, items }
  const stride = between(1, brand.rows / 20_000, 50)
  const cases: QueryCase[] = [
    {
      name: reference,
      paths: spreadOver(pageOf(brand.items), await filteredPlaces(guide, brand, placesMax)),
      counted: [],
    },
  ]
  for (const name of queryCaseNames) {
    if (name === reference) continue
    const filters = lists[name](brand.rows)
    const places: Place[] = []
    const perList = Math.ceil(placesMax / filters.length)
    const isCounted = name !== 'narrow range, never counted'
    if (!isCounted) {
      places.push(...filters.map((query) => ({ query, filter: query, after: null, position: 0 })))
    } else {
      for (const filter of filters) {
        places.push(...(await walk(guide, inQuery, { filter, stride, placesMax: perList })))
      }
    }
    const paths = spreadOver(pageOf(items), places, isCounted ? pageSizes : [25])
    if (paths.length === 0) throw new Error(`There are too few rows for: ${name}.`)
    const counted = isCounted ? filters.map((filter) => pageAt(items, filter, 25)) : []
    cases.push({ name, paths, counted })
  }
  return cases
}
