/**
 * The CPU time of a page of about 25 records and of one record, new and repeated, and of a summary, a
 * search and a download that were never seen, beside two copies of an earlier checkout
 * (`--before <folder>`), in interleaved rounds. Exits with 1 if a target is missed.
 */
import { queryBasePath } from '#contract'
import { inSandbox } from '../tools/sandbox.ts'
import {
  besideTable,
  type CheckoutName,
  checkoutNames,
  figuresOf,
  orderOf,
  type Round,
} from './beside.ts'
import { type Brand, fillBrand } from './brand.ts'
import { casesOf, pageSizes } from './cases.ts'
import { readCheckout } from './checkouts.ts'
import { createComparison, type RequestSet } from './comparison.ts'
import { openEngine } from './engine.ts'
import { engine, readBenchOptions, rounds, seconds, text, whole } from './options.ts'
import { narrowRanges, ordersOf } from './order-items.ts'
import { apiPath, openProduct, ownCheckout, type Server } from './product.ts'
import { publish } from './results.ts'
import { exitCodeOf, sentenceOf, verdictOf } from './targets.ts'
import { pageAt } from './walk.ts'

/** Times the earlier checkout, if its copies differ by less. */
const target = 1.03

/** Whether requests of a kind come on many connections: downloads are limited to a few at once. */
const parts = {
  'repeated page': 'many',
  'repeated get': 'many',
  'never-seen page': 'many',
  'filtered page': 'many',
  get: 'many',
  summary: 'one',
  search: 'one',
  download: 'one',
} as const
type Part = keyof typeof parts
const partNames = Object.keys(parts) as readonly Part[]

/** Requests of the query API, none of which is repeated. */
const queriesOf = ({ items, rows }: Brand): { readonly [part: string]: readonly string[] } => {
  const path = items.replace(apiPath, queryBasePath)
  const ranges = (records: number) => narrowRanges(rows, records)
  return {
    summary: ranges(3_000).map((range) => `${path}/summary?by=category&sum=qty&${range}`),
    search: pageSizes.flatMap((limit) =>
      Array.from(
        { length: Math.min(ordersOf(rows), 10_000) },
        (_, n) => `${path.replace(/[^/]+$/, 'search')}?q=b+${n}&limit=${limit}`,
      ),
    ),
    download: ranges(300).map((range) => `${path}/download?format=ndjson&${range}`),
  }
}

export const runReads = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args, {
    before: text(''),
    engine: engine(),
    rows: whole(100_000, 500, 10_000_000),
    rounds: rounds(15),
    seconds: seconds(1),
    places: whole(2_000, 50, 100_000),
  })
  const before = readCheckout('before', options.before || undefined).folder
  return inSandbox(async (sandbox) => {
    const comparisons = {
      one: createComparison(sandbox.folder, 1),
      many: createComparison(sandbox.folder, 32),
    }
    const comparisonOf = (part: Part) => comparisons[parts[part]]
    const { rows } = options
    const contenders = new Map<CheckoutName, { server: Server; sets: Map<Part, RequestSet> }>()
    for (const name of checkoutNames) {
      const { url } = await openEngine(sandbox, options.engine, name)
      const checkout = name === 'after' ? ownCheckout : before
      const settings = { ROW_SECURITY: 'optional' }
      const product = openProduct(sandbox, name, url, { checkout, settings })
      const brand = await fillBrand(sandbox, product, { rows, others: 0, otherOrders: 0 })
      const { items, headers } = brand
      const serve = () => product.serve({ path: pageAt(items, '', 25), headers })
      const guide = await serve()
      const cases = await casesOf(guide, brand, options.places)
      await guide.close()
      const sets = new Map<Part, RequestSet>()
      const queries = queriesOf(brand)
      for (const part of partNames) {
        const paths = queries[part] ?? cases.find((each) => each.name === part)?.paths ?? []
        sets.set(part, comparisonOf(part).requests(`${name} ${part}`, paths, headers))
      }
      contenders.set(name, { server: await serve(), sets })
    }
    const measure = async (name: CheckoutName, part: Part): Promise<number> => {
      const contender = contenders.get(name)
      const requests = contender?.sets.get(part)
      if (!contender || !requests) throw new RangeError(`${name} has no requests of ${part}.`)
      const { cpuUs } = await comparisonOf(part).measure(
        contender.server,
        requests,
        options.seconds,
      )
      return cpuUs ?? Number.NaN
    }
    const measured: Round<Part>[] = []
    // The first round compiles the program.
    for (let round = -1; round < options.rounds; round += 1) {
      sandbox.log(`round ${round + 1} of ${options.rounds}`)
      const results = { before: {}, again: {}, after: {} } as Record<
        CheckoutName,
        Record<Part, number>
      >
      for (const part of partNames) {
        for (const name of orderOf(round + 1)) results[name][part] = await measure(name, part)
      }
      if (round >= 0) measured.push(results)
    }
    const figures = partNames.map((part) => figuresOf(part, measured))
    const verdicts = figures.map(({ part, ratio, copies }) => {
      const most = Math.max(target, copies.median, 1 / copies.median)
      return verdictOf(`${part}, times the earlier checkout`, ratio.median, 'at most', most)
    })
    publish(
      sandbox,
      options,
      `reads-${options.engine}`,
      { engine: options.engine, rows, rounds: options.rounds, figures, verdicts },
      `${besideTable('CPU µs', figures)}\n\n${verdicts.map(sentenceOf).join('\n')}\n`,
    )
    return exitCodeOf(verdicts)
  })
}
