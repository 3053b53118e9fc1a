/**
 * The speed of one process, compared with plain node:http that sends as many bytes from memory, and
 * with a bare server that runs only the best statement. All are measured in turn, round by round.
 * The product is the published package. Ratios carry over to other machines, absolute figures do
 * not. Exits with 1 if a target is missed.
 */
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { inSandbox } from '../tools/sandbox.ts'
import { type Brand, fillBrand } from './brand.ts'
import { casesOf } from './cases.ts'
import { createComparison } from './comparison.ts'
import { openEngine } from './engine.ts'
import { engine, flag, readBenchOptions, rounds, seconds, whole } from './options.ts'
import { openProduct, ownCheckout, type Product, type Server } from './product.ts'
import { reportOf } from './report.ts'
import { publish } from './results.ts'
import { measurable, playRounds, startReference } from './rounds.ts'
import { type Spread, spreadOf } from './statistics.ts'
import { exitCodeOf, judge, sentenceOf } from './targets.ts'
import { pageAt } from './walk.ts'

const connections = 32

export const readPagesOptions = (args: readonly string[]) => {
  const quick = args.includes('--quick')
  const either = <Value>(short: Value, full: Value): Value => (quick ? short : full)
  const options = readBenchOptions(args, {
    engine: engine(),
    rows: whole(either(100_000, 1_000_000), 500, 100_000_000),
    workers: whole(1, 1, 64),
    rounds: rounds(either(3, 7)),
    seconds: seconds(either(0.3, 2)),
    others: whole(either(3, 9), 0, 100),
    places: whole(either(1_000, 10_000), 50, 100_000),
    starts: whole(either(2, 5), 1, 100),
    quick: flag(),
  })
  return { ...options, otherOrders: either(0, 40) }
}

export const runPages = (args: readonly string[]): Promise<number> => {
  const options = readPagesOptions(args)
  return inSandbox(async (sandbox) => {
    const comparison = createComparison(sandbox.folder, connections)
    const { url: databaseUrl } = await openEngine(sandbox, options.engine)
    // Below the checkout, which has the dependencies; `dist/package` is that of a release.
    const checkout = join(ownCheckout, 'dist/bench')
    await sandbox.step('building the package', async () => {
      // The bundler is loaded only here: it is a native module.
      const { buildPackage } = await import('../tools/build-package.ts')
      await buildPackage(checkout)
    })
    const product = openProduct(sandbox, 'bench', databaseUrl, { checkout })
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
    const { rows, rounds: count, seconds: length, quick } = options
    publish(
      sandbox,
      options,
      options.engine,
      { rows, rounds: count, seconds: length, connections, quick, ...report, verdicts },
      `${reportOf(report)}\n\n${verdicts.map(sentenceOf).join('\n')}\n`,
    )
    return exitCodeOf(verdicts)
  })
}

const serve = (product: Product, { items, headers }: Brand, workers: number): Promise<Server> =>
  product.serve({ path: pageAt(items, '', 25), headers, workers })

/** Starts the server several times and leaves the last one running. */
const startedOften = async (
  product: Product,
  brand: Brand,
  { starts, workers }: { readonly starts: number; readonly workers: number },
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
