/**
 * Another checkout beside this one in the same run: `npm run bench -- compare --before <folder>`.
 * Each imports the same records into its own database and gets the same requests in turn. Processor time per request
 * is compared, since requests per second depend on what else runs on the machine. Exits with 1 when
 * a case, the start or the memory is more than a tenth worse than before.
 */

import { formatCount, oneOf, readOptions, seconds, whole } from '../tools/options.ts'
import { type Brand, fillBrand } from './brand.ts'
import { casesOf, pageSizes, pathsMax } from './cases.ts'
import { openCheckouts, readCheckout } from './checkouts.ts'
import { createComparison, type Measured, type RequestSet } from './comparison.ts'
import { ownCheckout, type Product, type Server } from './product.ts'
import { commandOf, machine, resultsFolder, rounded, writeResult } from './results.ts'
import { inSandbox } from './sandbox.ts'
import { median, shuffled } from './statistics.ts'
import { tableOf } from './table.ts'
import { pageAt } from './walk.ts'

const connections = 32

/** Worse by more than this is reported as slower; the rest is noise. */
const toleranceRatio = 1.1

const listCases = [
  'repeated page',
  'never-seen page',
  'filtered page',
  'page of 100',
  'get',
] as const
const caseNames = [...listCases, 'feed page'] as const

/** The number of standby workers has another name in earlier checkouts. */
const settings = { CHANGE_FEED: 'on', SPARE_WORKERS: '0', STANDBY_WORKERS: '0' }

interface Side {
  readonly server: Server
  readonly startMs: readonly number[]
  readonly requests: ReadonlyMap<string, RequestSet>
  readonly measured: Map<string, Measured[]>
}

export const runCompare = (args: readonly string[]): Promise<number> => {
  const values = readOptions(args, {
    before: { type: 'string' },
    after: { type: 'string', default: ownCheckout },
    engine: { type: 'string', default: 'sqlite' },
    rows: { type: 'string', default: '100000' },
    rounds: { type: 'string', default: '7' },
    seconds: { type: 'string', default: '1' },
    starts: { type: 'string', default: '5' },
    places: { type: 'string', default: '5000' },
    json: { type: 'boolean', default: false },
    out: { type: 'string', default: resultsFolder },
  })
  const before = readCheckout('before', values.before)
  const after = readCheckout('after', values.after)
  const engine = oneOf('--engine', values.engine, ['sqlite', 'postgres'])
  const rows = whole('rows', values.rows, 500, 10_000_000)
  const rounds = whole('rounds', values.rounds, 1, 100)
  const roundSeconds = seconds('seconds', values.seconds)
  const starts = whole('starts', values.starts, 1, 100)
  const places = whole('places', values.places, 50, 100_000)

  return inSandbox(async (sandbox) => {
    const on = machine()
    const comparison = createComparison(sandbox.folder, connections)
    const pair = await openCheckouts(sandbox, { engine, before, after, settings })
    await pair.createSecond()
    const openSide = async (name: string, product: Product): Promise<Side> => {
      sandbox.log(`${name}:`)
      const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
      const paths = await sandbox.step('finding pages to request', async () => {
        const guide = await serve(product, brand)
        const results = await pathsOf(guide, brand, places)
        await guide.close()
        return results
      })
      const [server, startMs] = await startRepeatedly(product, brand, starts)
      const requests = new Map(
        [...paths].map(([each, list]) => [
          each,
          comparison.requests(`${name} ${each}`, list, brand.headers),
        ]),
      )
      return { server, startMs, requests, measured: new Map() }
    }
    const sides = [await openSide('before', pair.before), await openSide('after', pair.after)]
    for (let round = 0; round <= rounds; round += 1) {
      sandbox.log(round === 0 ? 'warming up' : `round ${round} of ${rounds}`)
      for (const name of caseNames) {
        // The order changes from round to round.
        for (const side of round % 2 === 0 ? sides : sides.toReversed()) {
          const requests = side.requests.get(name)
          if (!requests) continue
          const one = await comparison.measure(side.server, requests, roundSeconds)
          if (round > 0) side.measured.set(name, [...(side.measured.get(name) ?? []), one])
        }
      }
    }
    const [one, other] = sides as [Side, Side]
    const cases = [
      ...caseNames.map((name) => ({
        name,
        unit: 'CPU µs',
        before: medianOf(one, name, ({ cpuUs }) => cpuUs),
        after: medianOf(other, name, ({ cpuUs }) => cpuUs),
        beforePerSecond: medianOf(one, name, ({ perSecond }) => perSecond),
        afterPerSecond: medianOf(other, name, ({ perSecond }) => perSecond),
      })),
      { name: 'start', unit: 'ms', before: median(one.startMs), after: median(other.startMs) },
      {
        name: 'private memory',
        unit: 'MB',
        before: one.server.memory()?.peakMb ?? Number.NaN,
        after: other.server.memory()?.peakMb ?? Number.NaN,
      },
    ]
    const result = {
      date: new Date().toISOString(),
      command: commandOf('bench', ['compare', ...args]),
      machine: on,
      ...{ engine, rows, rounds, seconds: roundSeconds, connections, toleranceRatio },
      cases,
    }
    const file = writeResult(values.out, `compare-${engine}`, result)
    if (values.json) console.log(JSON.stringify(rounded(result)))
    else console.log(reportOf(cases, rows))
    sandbox.log(`The result is in ${file}`)
    return cases.some(isWorse) ? 1 : 0
  })
}

const serve = (product: Product, { items, headers }: Brand): Promise<Server> =>
  product.serve({ path: pageAt(items, '', 25), headers })

/** Starts a server several times and leaves the last one running. */
const startRepeatedly = async (
  product: Product,
  brand: Brand,
  starts: number,
): Promise<readonly [Server, readonly number[]]> => {
  const took: number[] = []
  for (;;) {
    const server = await serve(product, brand)
    took.push(server.startMs)
    if (took.length === starts) return [server, took]
    await server.close()
  }
}

const pathsOf = async (
  guide: Server,
  brand: Brand,
  places: number,
): Promise<ReadonlyMap<string, readonly string[]>> => {
  const cases = await casesOf(guide, brand, places)
  const paths = new Map<string, readonly string[]>()
  for (const name of listCases) {
    paths.set(name, cases.find((each) => each.name === name)?.paths ?? [])
  }
  return paths.set('feed page', await feedPaths(guide, brand))
}

const feedPath = '/api/feed/v1/brands/acme/changes'
const feedWalkMax = 1_000

/** Pages all over the change feed, each with several page sizes. */
const feedPaths = async (guide: Server, { headers }: Brand): Promise<readonly string[]> => {
  const cursors: string[] = []
  let target = `${feedPath}?collection=order-items&limit=100`
  while (cursors.length < feedWalkMax) {
    const { body } = await guide.get(target, headers)
    const { nextCursor, hasMore } = JSON.parse(body.toString('utf8'))
    if (!hasMore) break
    cursors.push(nextCursor)
    target = `${feedPath}?collection=order-items&limit=100&cursor=${nextCursor}`
  }
  const paths = cursors.flatMap((cursor) =>
    pageSizes.map((size) => `${feedPath}?collection=order-items&limit=${size}&cursor=${cursor}`),
  )
  return shuffled(paths, 13).slice(0, pathsMax)
}

const medianOf = (
  { measured }: Side,
  name: string,
  read: (each: Measured) => number | null,
): number => median((measured.get(name) ?? []).map((each) => read(each) ?? Number.NaN))

interface ComparedCase {
  readonly name: string
  readonly unit: string
  readonly before: number
  readonly after: number
  readonly beforePerSecond?: number
  readonly afterPerSecond?: number
}

const isWorse = ({ before, after }: ComparedCase): boolean => after > before * toleranceRatio

const reportOf = (cases: readonly ComparedCase[], rows: number): string => {
  const count = (value: number | undefined) =>
    value === undefined ? '' : formatCount(Math.round(value))
  const lines = cases.map((each) => [
    `${each.name}, ${each.unit}`,
    each.before.toFixed(0),
    each.after.toFixed(0),
    (each.after / each.before).toFixed(2),
    count(each.beforePerSecond),
    count(each.afterPerSecond),
    isWorse(each) ? 'WORSE' : '',
  ])
  const heads = ['', 'before', 'after', 'after/before', 'before/s', 'after/s', '']
  return `${formatCount(rows)} rows, medians\n${tableOf(heads, lines)}`
}
