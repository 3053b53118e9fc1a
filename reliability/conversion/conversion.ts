import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { openDatabase } from '#database'
import { season } from '#demo'
import { fillBrand } from '../../bench/brand.ts'
import { openProduct, type Product } from '../../bench/product.ts'
import { startServe } from '../../test/support/cluster.ts'
import { rewriteAsLayout1 } from '../../test/support/layout-1.ts'
import { idOf, seeded } from '../../test/support/model.ts'
import { inSandbox, type Sandbox } from '../../tools/sandbox.ts'
import type { Task } from '../check.ts'
import type { Engine } from '../engine.ts'
import { wrongIndex } from '../search-index.ts'
import { openPlace, type Place } from './place.ts'
import { compareResponses, type Readers, type Responses, readResponses } from './responses.ts'
import { stateOf } from './state.ts'

export interface ConversionSize {
  readonly rows: number
  readonly kills: number
}

const settings = { CHANGE_FEED: 'on', STANDBY_WORKERS: '0' }
const others = 2

/**
 * Converts a database after several interrupted attempts. The task names the folder of the earlier
 * version. Without one, this version creates the records and then rewrites the tables in the old
 * layout.
 */
export const convertInterrupted = (
  engine: Engine,
  { rows, kills }: ConversionSize,
  { seed, log, before }: Task,
) =>
  inSandbox(async (sandbox) => {
    const place = await openPlace(engine, sandbox)
    const misses: string[] = []
    const older = openProduct(sandbox, 'older', place.url, {
      settings,
      ...(before && { checkout: before }),
    })
    const newer = openProduct(sandbox, 'newer', place.url, { settings })
    const readers = await fillDatabase(sandbox, older, { rows, isEarlier: before !== undefined })
    const rules = await rulesOf(older)
    const readiness = { path: '/readyz', headers: {} }
    const server = await older.serve(readiness)
    const expected = await sandbox.step('reading before', () => readResponses(server, readers))
    await server.close()
    if (!before) {
      const database = openDatabase(place.url)
      await sandbox.step('rewriting in layout 1', () => rewriteAsLayout1(database))
      await database.close()
    }
    await place.keep()
    const original = await stateOf(place.url)
    const bytesBefore = await place.bytes()
    if (original.layout !== '1') misses.push(`${engine}: it began with layout ${original.layout}.`)

    const first = startServer(sandbox, place)
    const seconds = await sandbox.step('converting without interruption', () => convertedIn(first))
    await first.stop()
    await place.restore()

    const draw = seeded(seed)
    // The number of kills after which the database was in the old layout.
    let oldAfterKill = 0
    for (let kill = 0; kill < kills; kill += 1) {
      const started = startServer(sandbox, place)
      await started.says(/is being converted/)
      // Spreads the kills over the conversion, at a random moment of each part.
      const ms = Math.round(((kill + draw(1_000) / 1_000) / kills) * seconds * 1_000)
      await wait(ms)
      await started.kill()
      const state = await stateOf(place.url)
      log(`${engine}: killed after ${ms} ms, layout ${state.layout}`)
      const where = `${engine}, seed ${seed}, killed after ${ms} ms`
      if (state.contents !== original.contents) misses.push(`${where}: ${state.contents}`)
      if (state.layout === '1') {
        oldAfterKill += 1
        if (!before) continue
        const again = await older.serve(readiness)
        misses.push(...(await compareResponses(again, readers, sampleOf(expected))))
        await again.close()
      } else if (state.layout === '2') await place.restore()
      else misses.push(`${where}: ${state.layout}`)
    }

    const both = [startServer(sandbox, place), startServer(sandbox, place)]
    await sandbox.step('converting with two servers', () =>
      Promise.all(both.map(({ says }) => says(/ready in/))),
    )
    const converting = both.filter(({ said }) => /is being converted/.test(said()))
    if (converting.length !== 1) misses.push(`${engine}: ${converting.length} of 2 converted.`)
    for (const each of both) await each.stop()
    const state = await stateOf(place.url)
    const bytesAfter = await place.bytes()
    if (state.layout !== '2') misses.push(`${engine}: in the end it has layout ${state.layout}.`)
    if (state.contents !== original.contents) misses.push(`${engine}: ${state.contents}`)
    misses.push(...state.wrongTotals.map((each) => `${engine}: ${each}`))
    const database = openDatabase(place.url)
    misses.push(...(await wrongIndex(database)).map((each) => `${engine}: ${each}`))
    await database.close()

    const after = await newer.serve(readiness)
    const differences = await sandbox.step('reading after', () =>
      compareResponses(after, readers, expected),
    )
    await after.close()
    misses.push(...differences.slice(0, 10).map((each) => `${engine}: ${each}`))
    const rulesAfter = await rulesOf(newer)
    // This version has rules that the earlier one does not have.
    for (const [id, count] of rules) {
      const countAfter = rulesAfter.get(id)
      if (countAfter !== count)
        misses.push(`${engine}: ${id} counts ${countAfter} after the conversion, ${count} before`)
    }
    if (before) misses.push(...(await refusals(engine, older, place, state.contents)))
    return {
      records: original.records,
      kills,
      oldAfterKill,
      responses: expected.size - differences.length,
      seconds,
      bytesBefore,
      bytesAfter,
      misses,
    }
  })

/** A brand with many records and some deleted ones, two small brands, and a key for each. */
const fillDatabase = async (
  sandbox: Sandbox,
  product: Product,
  size: { readonly rows: number; readonly isEarlier: boolean },
): Promise<Readers> => {
  const { headers } = await fillBrand(sandbox, product, { ...size, others, otherOrders: 3 })
  const tags = [...season({ brand: 'acme', orders: 0, seed: 1 })]
    .filter(({ path }) => path === 'tags')
    .map(({ record }) => record)
  const file = join(sandbox.folder, 'tags.ndjson')
  const importTags = (records: readonly object[]) => {
    writeFileSync(file, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
    return product.run('import', file, '--brand', 'acme', '--replace', '--json')
  }
  await importTags([
    ...tags,
    ...[1, 2, 3].map((n) => ({ ...tags[0], id: idOf(n), name: `removed ${n}` })),
  ])
  await importTags(tags)
  rmSync(file)
  const readers: Record<string, { authorization: string }> = { acme: headers }
  for (let n = 1; n <= others; n += 1) {
    const issued = await product.run('keys', 'issue', '--brand', `other-${n}`, '--json')
    readers[`other-${n}`] = { authorization: `Bearer ${JSON.parse(issued).key}` }
  }
  return readers
}

/** The number of records that violate each rule. */
const rulesOf = async ({ run }: Product): Promise<ReadonlyMap<string, string>> => {
  const printed = await run('check', '--brand', 'other-1', '--json').catch(String)
  const counts = [...printed.matchAll(/"id":"([A-Z]+-\d+)".*?"count":(\d+)/gs)]
  if (counts.length === 0) throw new Error(`The check printed ${printed}`)
  return new Map(counts.map(([, id = '', count = '']) => [id, count]))
}

/** Runs the earlier version on the converted database: it must refuse it and change nothing. */
const refusals = async (
  engine: Engine,
  older: Product,
  { url }: Place,
  contents: string,
): Promise<readonly string[]> => {
  const misses: string[] = []
  for (const args of [['brands', 'list'], ['demo', '--brand', 'late'], ['serve']]) {
    const refusal = await older.run(...args).then(
      () => 'it did not refuse',
      (error: unknown) => String(error),
    )
    if (!/The database does not fit this version: .* Nothing was changed\./.test(refusal)) {
      misses.push(`${engine}: the earlier version, ${args.join(' ')}: ${refusal}`)
    }
  }
  const state = await stateOf(url)
  if (state.layout !== '2' || state.contents !== contents) {
    misses.push(`${engine}: the earlier version changed it: ${state.layout}, ${state.contents}`)
  }
  return misses
}

/** Every 50th request. */
const sampleOf = (responses: Responses): Responses =>
  new Map([...responses].filter((_, index) => index % 50 === 0))

interface StartedServer {
  said(): string
  /** Resolves when the output matches. */
  says(what: RegExp): Promise<void>
  /** Kills it like a crash. */
  kill(): Promise<void>
  stop(): Promise<void>
}

const startServer = ({ folder, onClose }: Sandbox, { url }: Place): StartedServer => {
  const environment = { DATABASE_URL: url, LOG_LEVEL: 'info', NODE_ENV: 'production' }
  const { process: child, ended, said } = startServe(folder, { ...settings, ...environment })
  const isRunning = () => child.exitCode === null && child.signalCode === null
  const end = async (signal: NodeJS.Signals) => {
    if (isRunning()) child.kill(signal)
    await ended
  }
  onClose(() => end('SIGKILL'))
  return {
    said,
    says: async (what) => {
      while (!what.test(said())) {
        if (!isRunning()) throw new Error(`The server ended: ${said()}`)
        await wait(10)
      }
    },
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}

/** Seconds from the start of the conversion until the server is ready. */
const convertedIn = async ({ says }: StartedServer): Promise<number> => {
  await says(/is being converted/)
  const began = performance.now()
  await says(/ready in/)
  return (performance.now() - began) / 1_000
}
