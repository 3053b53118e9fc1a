/**
 * How the cost of requests grows with the number of records: brands of 10^4 order items and more,
 * each with a separate server, measured in turn. Prints a table, draws a chart, and exits with 1 if
 * the cost grows too much from the smallest brand to the largest.
 */
import { mkdirSync, statfsSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { formatCount, UsageError } from '../tools/options.ts'
import { inSandbox, type Sandbox } from '../tools/sandbox.ts'
import { type Brand, fillBrand } from './brand.ts'
import {
  filteredPlaces,
  pageOf,
  pageSizes,
  pathsMax,
  placesOf,
  spreadGets,
  spreadOver,
} from './cases.ts'
import { chartOf } from './chart.ts'
import {
  askedAgain,
  type Comparison,
  createComparison,
  type Measured,
  type RequestSet,
} from './comparison.ts'
import { readBenchOptions, rounds, seconds, whole } from './options.ts'
import { categories, itemTypes, orderId, ordersOf } from './order-items.ts'
import { openProduct, type Server } from './product.ts'
import { publish, resultsFolder } from './results.ts'
import { median, type Spread, shuffled, spreadOf } from './statistics.ts'
import { tableOf } from './table.ts'
import { pageAt } from './walk.ts'

const connections = 32

/** Maximum CPU time of a request at the largest size, relative to the smallest. */
const growthMax = { flat: 1.15, filtered: 1.3 }

/** Disk space per row: its file, the database, and the write-ahead log of SQLite. */
const bytesPerRow = 4_000

type Options = ReturnType<typeof readGrowthOptions>

export const readGrowthOptions = (args: readonly string[], freeBytes = freeRoom()) => {
  const options = readBenchOptions(args, {
    least: whole(10_000, 500, 10_000_000),
    most: whole(1_000_000, 500, 100_000_000),
    rounds: rounds(7),
    seconds: seconds(0.5),
    places: whole(4_000, 50, 100_000),
  })
  const { least, most } = options
  const sizes: number[] = []
  for (let rows = least; rows <= most; rows *= 10) sizes.push(rows)
  if (sizes.length < 2) throw new UsageError('--most must be at least ten times --least.')
  const needed = sizes.reduce((sum, rows) => sum + rows, 0) * bytesPerRow
  if (needed > freeBytes) {
    const gb = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`
    throw new UsageError(
      `This takes ${gb(needed)} of disk and ${gb(freeBytes)} are free. Ask for less with --most.`,
    )
  }
  const isPublished = options.out === resultsFolder && most >= 1_000_000
  return { ...options, sizes, chart: isPublished ? documentChart : null }
}

const freeRoom = (): number => {
  const { bavail, bsize } = statfsSync(tmpdir())
  return bavail * bsize
}

const documentChart = fileURLToPath(new URL('../docs/images/growth.svg', import.meta.url))

/** The requests at every size, each with its maximum growth. */
const kinds = [
  { name: 'page of 25 with total', growthMax: growthMax.flat },
  { name: 'filtered page with total', growthMax: growthMax.filtered },
  { name: 'filtered total', growthMax: growthMax.flat },
  { name: 'two filters, one narrow', growthMax: growthMax.filtered },
  { name: 'two wide filters', growthMax: null },
  { name: 'get', growthMax: growthMax.flat },
] as const

type KindName = (typeof kinds)[number]['name']

interface Size {
  readonly rows: number
  readonly server: Server
  readonly requestSet: Record<KindName, RequestSet>
  readonly measured: Record<KindName, Measured[]>
}

export const runGrowth = (args: readonly string[]): Promise<number> => {
  const options = readGrowthOptions(args)
  return inSandbox(async (sandbox) => {
    const comparison = createComparison(sandbox.folder, connections)
    const sizes: Size[] = []
    for (const rows of options.sizes) sizes.push(await openSize(sandbox, comparison, rows, options))
    await askInTurn(sandbox, comparison, sizes, options)
    const figures = kinds.map((kind) => figuresOf(kind, sizes))
    const { sizes: measured, rounds: count, seconds: length } = options
    const file = publish(
      sandbox,
      options,
      'growth',
      { sizes: measured, rounds: count, seconds: length, connections, figures },
      reportOf(measured, figures),
    )
    const chart = chartOf({
      title: 'Requests a second as a brand grows',
      subtitle: `One process, SQLite, ${connections} connections; every answer with its exact total.`,
      lines: figures,
    })
    for (const path of [file.replace(/json$/, 'svg'), ...(options.chart ? [options.chart] : [])]) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, chart)
    }
    return figures.some((each) => hasMet(each) === false) ? 1 : 0
  })
}

const openSize = async (
  sandbox: Sandbox,
  comparison: Comparison,
  rows: number,
  { places }: Options,
): Promise<Size> => {
  const url = `sqlite:${join(sandbox.folder, `${rows}.db`)}`
  const product = openProduct(sandbox, String(rows), url)
  const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
  const { items, headers } = brand
  const serve = () => product.serve({ path: pageAt(items, '', 1), headers })
  const paths = await sandbox.step('looking for pages to ask for', async () => {
    const guide = await serve()
    const results = await pathsOf(guide, brand, places)
    await guide.close()
    return results
  })
  const requestSet = Object.fromEntries(
    kinds.map(({ name }) => [name, comparison.requests(`${rows} ${name}`, paths[name], headers)]),
  )
  const server = await serve()
  // The first request for such a pair waits for its count; later ones do not.
  await sandbox.step('counting pairs of wide filters once', async () => {
    for (const query of widePairs) await server.get(pageAt(items, query, 1))
  })
  return {
    rows,
    server,
    requestSet: requestSet as Size['requestSet'],
    measured: Object.fromEntries(
      kinds.map(({ name }) => [name, []]),
    ) as unknown as Size['measured'],
  }
}

const widePairs = itemTypes.flatMap((type) =>
  categories.map((category) => `itemType=${type}&category=${category}`),
)

const pathsOf = async (
  guide: Server,
  brand: Brand,
  places: number,
): Promise<Record<KindName, readonly string[]>> => {
  const { items, rows } = brand
  const filtered = await filteredPlaces(guide, brand, places)
  // The first orders are the largest, so the sample is spread over the whole brand.
  const orders = ordersOf(rows)
  const stride = Math.max(1, orders / places)
  const narrow = Array.from({ length: Math.min(orders, places) }, (_, n) =>
    itemTypes.map((type) => `orderId=${orderId(Math.floor(n * stride))}&itemType=${type}`),
  ).flat()
  const sized = (queries: readonly string[], sizes: readonly number[]) =>
    shuffled(
      queries.flatMap((query) => sizes.map((size) => pageAt(items, query, size))),
      3,
    )
  return {
    'page of 25 with total': spreadOver(pageOf(items), await placesOf(guide, brand, places)),
    'filtered page with total': spreadOver(pageOf(items), filtered),
    'filtered total': spreadOver(pageOf(items), filtered, upTo(8)),
    'two filters, one narrow': sized(narrow, pageSizes).slice(0, pathsMax),
    'two wide filters': sized(widePairs, upTo(50)),
    get: spreadGets(brand, ['', '?', '?&', '?&&']),
  }
}

const upTo = (most: number) => Array.from({ length: most }, (_, n) => n + 1)

const askInTurn = async (
  { log }: Sandbox,
  comparison: Comparison,
  sizes: readonly Size[],
  options: Options,
): Promise<void> => {
  for (let round = 0; round <= options.rounds; round += 1) {
    log(round === 0 ? 'warming up' : `round ${round} of ${options.rounds}`)
    for (const { name } of kinds) {
      // Alternates the order in each round.
      for (const { server, requestSet, measured } of round % 2 === 0 ? sizes : sizes.toReversed()) {
        const one = await comparison.measure(server, requestSet[name], options.seconds)
        if (round > 0) measured[name].push(one)
      }
    }
  }
}

interface KindFigures {
  readonly name: KindName
  /** Null if there is no target. */
  readonly growthMax: number | null
  readonly points: readonly {
    readonly rows: number
    readonly perSecond: number
    readonly cpuUs: number | null
    readonly askedAgain: number
  }[]
  /** Requests per second of the largest size relative to the smallest. */
  readonly ratio: Spread
  /** CPU time per request of the largest size relative to the smallest. */
  readonly cpuGrowth: Spread | null
}

const figuresOf = (
  { name, growthMax: most }: (typeof kinds)[number],
  sizes: readonly Size[],
): KindFigures => {
  const small = sizes.at(0)?.measured[name] ?? []
  const large = sizes.at(-1)?.measured[name] ?? []
  const ratios = large.map((each, round) => each.perSecond / (small[round]?.perSecond ?? 0))
  const cpuGrowths = large.map(({ cpuUs }, round) => {
    const other = small[round]?.cpuUs ?? null
    return cpuUs === null || other === null ? null : cpuUs / other
  })
  return {
    name,
    growthMax: most,
    points: sizes.map(({ rows, measured, requestSet }) => ({
      rows,
      perSecond: median(measured[name].map(({ perSecond }) => perSecond)),
      cpuUs: spreadOf(measured[name].map(({ cpuUs }) => cpuUs))?.median ?? null,
      askedAgain: askedAgain(requestSet[name]),
    })),
    ratio: spreadOf(ratios) as Spread,
    cpuGrowth: spreadOf(cpuGrowths),
  }
}

/** Null if there is no target or no measurement. */
const hasMet = ({ growthMax: most, cpuGrowth }: KindFigures): boolean | null =>
  most === null || cpuGrowth === null ? null : cpuGrowth.median <= most

const reportOf = (sizes: readonly number[], kindFigures: readonly KindFigures[]): string => {
  const heads = [
    '',
    ...sizes.map(formatCount),
    'per second',
    'CPU µs',
    'CPU',
    'spread',
    'at most',
    '',
  ]
  const rows = kindFigures.map((figures) => {
    const { name, growthMax: most, points, ratio, cpuGrowth } = figures
    const met = hasMet(figures)
    return [
      name,
      ...points.map(({ perSecond }) => formatCount(Math.round(perSecond))),
      ratio.median.toFixed(2),
      [points.at(0), points.at(-1)].map((point) => point?.cpuUs?.toFixed(0) ?? '–').join(' → '),
      cpuGrowth?.median.toFixed(2) ?? '–',
      cpuGrowth ? `${cpuGrowth.least.toFixed(2)}–${cpuGrowth.most.toFixed(2)}` : '–',
      most?.toFixed(2) ?? '–',
      met === null ? 'not judged' : met ? 'met' : 'MISSED',
    ]
  })
  const again = kindFigures.filter(({ points }) =>
    points.some(({ askedAgain: count }) => count > 0),
  )
  return [
    tableOf(heads, rows),
    '',
    'Requests a second by rows, then the largest size to the smallest: in requests a second, and in',
    'processor time for a request, which is judged.',
    'Two filters that both match many are counted on request, so that is not judged.',
    ...again.map(({ name }) => `${name}: some requests were for something asked for before.`),
  ].join('\n')
}
