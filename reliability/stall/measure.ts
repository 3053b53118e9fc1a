import { rmSync } from 'node:fs'
import { basePath } from '#contract'
import { itemId, orderId, ordersOf } from '../../bench/order-items.ts'
import { watchMemory } from '../../bench/process-usage.ts'
import { mix } from '../../bench/statistics.ts'
import { openBrandsModel } from '../../test/support/brands.ts'
import type { Form, Outcome, Task } from '../check.ts'
import { type Engine, engineNames, engines, onEngine, patient } from '../engine.ts'
import { askOthers, type Others } from '../others.ts'
import { prepareBrands, type Serving, startServing } from '../server-process.ts'
import { brand, fill, issueKeys } from './brand.ts'

export interface StallSize {
  readonly rows: number
  readonly seconds: number
  /** Maximum ratio of the p99 of ordinary requests to its quiet value. */
  readonly timesMax: number
  /** Maximum p99 of health checks, in milliseconds. */
  readonly healthMsMax: number
  /** Whether PostgreSQL queries have no time limit, since other tests run at the same time. */
  readonly isPatient: boolean
}

export const stallSizes: Readonly<Record<Form, StallSize>> = {
  short: { rows: 20_000, seconds: 2, timesMax: Infinity, healthMsMax: Infinity, isPatient: true },
  full: { rows: 1_000_000, seconds: 20, timesMax: 3, healthMsMax: 20, isPatient: false },
}

/** A p99 of health checks that is within this ratio of its quiet value never misses the target. */
const healthTimesMax = 2

export const earlierHealthTarget = {
  target: 'The p99 of /healthz is at most 20 ms.',
  reason:
    'Beside 32 clients on two processors, which the server shares with them and PostgreSQL, it is up to 27 ms without these requests.',
}

/** Numbers by kind of request. */
export type Counts = Readonly<Record<string, number>>

/** The tested server, with a key for expensive requests and others for ordinary ones. */
export interface Target {
  readonly url: string
  readonly key: string
  readonly ordinaryKeys: readonly string[]
  readonly rows: number
  readonly seed: number
  /** What attacks before this one have begun, so that nothing is answered from a cache. */
  readonly begun?: Counts
}

/** The results of expensive requests. */
export interface Attacked {
  readonly completed: Counts
  /** With those of the attacks before. */
  readonly begun: Counts
  readonly requests: number
  readonly failed: readonly string[]
}

/** Sends expensive requests without a pause until stopped. */
export type OpenAttack = (target: Target) => { stop(): Promise<Attacked> }

/** Measures on both engines how much expensive requests delay ordinary ones. */
export const measureStall = async (
  size: StallSize,
  openAttack: OpenAttack,
  task: Task,
): Promise<Outcome> => {
  const misses: string[] = []
  const measured: string[] = []
  const counts: Record<string, number> = {}
  for (const engine of engines) {
    await onEngine(engine, async (url) => {
      const databaseUrl = url && size.isPatient ? patient(url) : url
      const environment: Record<string, string> = databaseUrl ? { DATABASE_URL: databaseUrl } : {}
      const figures = await measureOn(engine, environment, size, openAttack, task, misses)
      measured.push(`${engineNames[engine]}: ${describe(figures)}.`)
      Object.assign(counts, countsOf(engine, figures))
    })
  }
  return { measured: measured.join(' '), counts, misses }
}

interface Measured {
  readonly quiet: Phase
  readonly stalled: Phase
  /** The completed expensive work, and the requests it took. */
  readonly completed: Attacked['completed']
  readonly expensiveRequests: number
  readonly quietMb: number
  readonly stalledMb: number
}

const describe = (measured: Measured): string => {
  const { quiet, stalled, expensiveRequests, quietMb, stalledMb } = measured
  const completed = Object.entries(measured.completed).map(([what, count]) => `${count} ${what}`)
  return [
    `p99 of ordinary requests ${quiet.p99Ms.toFixed(1)} ms without and ${stalled.p99Ms.toFixed(1)} ms with ${completed.join(', ')} in ${expensiveRequests} requests (p50 ${quiet.p50Ms.toFixed(1)} and ${stalled.p50Ms.toFixed(1)} ms; ${quiet.requests} and ${stalled.requests} requests)`,
    `p99 of /healthz ${quiet.health.p99Ms.toFixed(1)} and ${stalled.health.p99Ms.toFixed(1)} ms (at most ${quiet.health.slowestMs.toFixed(1)} and ${stalled.health.slowestMs.toFixed(1)} ms)`,
    `private memory at most ${quietMb} and ${stalledMb} MB`,
  ].join('; ')
}

const countsOf = (engine: string, { quiet, stalled, expensiveRequests, stalledMb }: Measured) => ({
  [`${engine}QuietP99Us`]: Math.round(quiet.p99Ms * 1_000),
  [`${engine}StalledP99Us`]: Math.round(stalled.p99Ms * 1_000),
  [`${engine}HealthP99Us`]: Math.round(stalled.health.p99Ms * 1_000),
  [`${engine}ExpensiveRequests`]: expensiveRequests,
  [`${engine}PrivateMb`]: stalledMb,
})

/** Measures ordinary requests on one engine, without and with expensive ones. */
const measureOn = async (
  engine: Engine,
  environment: { readonly [name: string]: string },
  { rows, seconds, timesMax, healthMsMax }: StallSize,
  openAttack: OpenAttack,
  { seed, log }: Task,
  misses: string[],
): Promise<Measured> => {
  const quietLog = { LOG_LEVEL: 'error', ...environment }
  const { folder, variables, records } = await prepareBrands(openBrandsModel(1), quietLog)
  const miss = (sentence: string) => misses.push(`${engineNames[engine]}: ${sentence}`)
  let server: Serving | undefined
  try {
    log(`${engine}: filling a brand with ${rows} order items`)
    await fill(records, rows)
    const [key = '', ...ordinaryKeys] = await issueKeys(records)
    // The last program that closes a SQLite file checkpoints its write-ahead log.
    await records.close()
    server = await startServing(folder, variables)
    const { url, pid } = server
    const target: Target = { url, key, ordinaryKeys, rows, seed }
    const quietMemory = watchMemory([pid])
    await runPhase(target, 0, seconds / 4)
    const quiet = await runPhase(target, 1, seconds)
    log(`${engine}, quiet: p99 ${quiet.p99Ms.toFixed(1)} ms`)
    const quietMb = quietMemory.stop()
    const memory = watchMemory([pid])
    const attack = openAttack(target)
    const stalled = await runPhase(target, 2, seconds)
    const { completed, requests: expensiveRequests, failed } = await attack.stop()
    const stalledMb = memory.stop()
    const measured = { quiet, stalled, completed, expensiveRequests, quietMb, stalledMb }
    log(`${engine}: ${describe(measured)}`)
    for (const each of [...quiet.failed, ...stalled.failed, ...failed]) miss(each)
    for (const [what, count] of Object.entries(completed)) {
      if (count === 0) miss(`none of the ${what} was completed.`)
    }
    if (stalled.p99Ms > quiet.p99Ms * timesMax) {
      miss(`the p99 was ${stalled.p99Ms.toFixed(1)} ms, and ${quiet.p99Ms.toFixed(1)} ms without.`)
    }
    if (stalled.health.p99Ms > Math.max(healthMsMax, quiet.health.p99Ms * healthTimesMax)) {
      miss(`the p99 of /healthz was ${stalled.health.p99Ms.toFixed(1)} ms.`)
    }
    return measured
  } finally {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Response times of ordinary requests and health checks. */
interface Phase extends Others {
  readonly health: Others
}

/** Ordinary requests of 32 clients and health checks, for some seconds. */
const runPhase = async (target: Target, phase: number, seconds: number): Promise<Phase> => {
  const { url, ordinaryKeys: keys } = target
  const [ordinary, health] = await Promise.all([
    askOthers({
      ...{ url, keys, seconds, clients: 32, pauseMs: 20 },
      pathAt: (n) => `${basePath}/brands/${brand}/${ordinaryPath(target, n + phase * 1_000_000)}`,
    }),
    askOthers({ url, keys: [''], seconds, pauseMs: 20, pathAt: () => '/healthz' }),
  ])
  return { ...ordinary, health }
}

/** Single records, and pages of the items of an order, spread so that few responses are cached. */
const ordinaryPath = ({ rows, seed }: Target, n: number): string =>
  n % 4 === 0
    ? `order-items/${itemId(mix(n, seed) % rows)}`
    : `order-items?orderId=${orderId(mix(n, seed) % ordersOf(rows))}&limit=${5 + (n % 20)}`
