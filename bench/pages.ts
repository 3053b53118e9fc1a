/**
 * How fast one process answers, beside plain node:http that sends as many bytes from memory, and
 * beside a bare server that runs nothing but the best statement. All are asked in turn, round by
 * round; ratios carry over to other machines, figures do not. Exits with 1 when a target is missed. CONTRIBUTING.md tells the options.
 */
import { availableParallelism } from 'node:os'
import { oneOf, readOptions, seconds, whole } from '../tools/options.ts'
import { type Brand, fillBrand } from './brand.ts'
import { casesOf } from './cases.ts'
import { createComparison } from './comparison.ts'
import { openEngine } from './engine.ts'
import { openProduct, type Product, type Server } from './product.ts'
import { reportOf } from './report.ts'
import { commandOf, machine, resultsFolder, rounded, writeResult } from './results.ts'
import { measurable, playRounds, startReference } from './rounds.ts'
import { inSandbox } from './sandbox.ts'
import { type Spread, spreadOf } from './statistics.ts'
import { type Engine, exitCodeOf, judge, sentenceOf } from './targets.ts'
import { pageAt } from './walk.ts'

const connections = 32

interface Options {
  readonly engine: Engine
  readonly rows: number
  readonly workers: number
  readonly rounds: number
  readonly seconds: number
  /** How many places to ask for pages at are looked for. */
  readonly places: number
  readonly starts: number
  readonly others: number
  readonly otherOrders: number
  readonly quick: boolean
  readonly json: boolean
  readonly out: string
}

export const readBenchOptions = (args: readonly string[]): Options => {
  const values = readOptions(args, {
    engine: { type: 'string', default: 'sqlite' },
    rows: { type: 'string' },
    workers: { type: 'string', default: '1' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    others: { type: 'string' },
    places: { type: 'string' },
    starts: { type: 'string' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    out: { type: 'string', default: resultsFolder },
  })
  const { quick, json, out } = values
  return {
    engine: oneOf('--engine', values.engine, ['sqlite', 'postgres']),
    rows: whole('rows', values.rows ?? (quick ? '100000' : '1000000'), 500, 100_000_000),
    workers: whole('workers', values.workers, 1, 64),
    rounds: whole('rounds', values.rounds ?? (quick ? '3' : '7'), 1, 100),
    seconds: seconds('seconds', values.seconds ?? (quick ? '0.3' : '2')),
    places: whole('places', values.places ?? (quick ? '1000' : '10000'), 50, 100_000),
    starts: whole('starts', values.starts ?? (quick ? '2' : '5'), 1, 100),
    others: whole('others', values.others ?? (quick ? '3' : '9'), 0, 100),
    otherOrders: quick ? 0 : 40,
    quick,
    json,
    out,
  }
}

export const runPages = (args: readonly string[]): Promise<number> => {
  const options = readBenchOptions(args)
  return inSandbox(async (sandbox) => {
    const comparison = createComparison(sandbox.folder, connections)
    const before = machine()
    const { url: databaseUrl } = await openEngine(sandbox, options.engine)
    const product = openProduct(sandbox, 'bench', databaseUrl)
    const brand = await fillBrand(sandbox, product, options)
    const cases = await sandbox.step('looking for pages to ask for', async () => {
      const guide = await serve(product, brand, 1)
      const results = await measurable(guide, await casesOf(guide, brand, options.places))
      await guide.close()
      return results
    })
    const [server, start] = await startedOften(product, brand, options)
    const figures = await playRounds(sandbox, comparison, options, cases, {
      server,
      reference: await startReference(sandbox),
      bare: await startReference(sandbox, 'bare-server.ts', databaseUrl, 'acme'),
      single: options.workers > 1 ? await serve(product, brand, 1) : null,
    })
    const memory = server.memory()
    const report = {
      engine: options.engine,
      workers: options.workers,
      cores: availableParallelism(),
      ...figures,
      memory,
      privateMb: memory?.peakMb ?? null,
      start,
      startSeconds: start.median,
    }
    const verdicts = judge(report)
    const { rows, rounds, quick } = options
    const result = {
      date: new Date().toISOString(),
      command: commandOf('bench', args),
      machine: before,
      ...{ rows, rounds, seconds: options.seconds, connections, quick },
      ...report,
      verdicts,
    }
    const file = writeResult(options.out, options.engine, result)
    if (options.json) console.log(JSON.stringify(rounded(result)))
    else console.log(`${reportOf(report)}\n\n${verdicts.map(sentenceOf).join('\n')}\n`)
    sandbox.log(`The result is in ${file}`)
    return exitCodeOf(verdicts)
  })
}

const serve = (product: Product, { items, headers }: Brand, workers: number): Promise<Server> =>
  product.serve({ path: pageAt(items, '', 25), headers, workers })

/** Starts it several times and leaves the last one running. */
const startedOften = async (
  product: Product,
  brand: Brand,
  { starts, workers }: Options,
): Promise<readonly [Server, Spread]> => {
  const took: number[] = []
  for (;;) {
    const server = await serve(product, brand, workers)
    took.push(server.startMs / 1_000)
    const spread = spreadOf(took)
    if (took.length === starts && spread) return [server, spread]
    await server.close()
  }
}
