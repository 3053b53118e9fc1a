import { rmSync } from 'node:fs'
import { watchMemory } from '../../bench/process-usage.ts'
import { openBrandsModel } from '../../test/support/brands.ts'
import { openPostgres } from '../../test/support/postgres.ts'
import type { Outcome, Task } from '../check.ts'
import { patient, prepareBrands } from '../server-process.ts'
import { openWatchedServer, type WatchedServer } from '../watched.ts'
import { fill, issueKeys } from './brand.ts'
import { type Phase, runPhase, type Target } from './ordinary.ts'

export interface StallSize {
  readonly rows: number
  readonly seconds: number
  /** How many times its quiet value the p99 of ordinary requests may have meanwhile. */
  readonly timesMax: number
  /** How long the p99 of health checks may take, in milliseconds. */
  readonly healthMsMax: number
  /** Whether queries on PostgreSQL may take as long as they need: other tests run at the same time. */
  readonly isPatient: boolean
}

export const stallSizes = {
  short: { rows: 20_000, seconds: 2, timesMax: Infinity, healthMsMax: Infinity, isPatient: true },
  full: { rows: 1_000_000, seconds: 20, timesMax: 3, healthMsMax: 20, isPatient: false },
} satisfies Record<string, StallSize>

/** What expensive requests came to. */
export interface Attacked {
  /** By what they asked for. */
  readonly completed: Readonly<Record<string, number>>
  readonly requests: number
  readonly failed: readonly string[]
}

/** Sends expensive requests without a pause until it is stopped. */
export type OpenAttack = (target: Target) => { stop(): Promise<Attacked> }

/** Measures on both engines how expensive requests delay ordinary ones. */
export const measureStall = async (
  size: StallSize,
  openAttack: OpenAttack,
  task: Task,
): Promise<Outcome> => {
  const misses: string[] = []
  const sqlite = await measureOn('SQLite', {}, size, openAttack, task, misses)
  const server = await openPostgres()
  try {
    const url = await server.url('stall')
    const environment = { DATABASE_URL: size.isPatient ? patient(url) : url }
    const postgres = await measureOn('PostgreSQL', environment, size, openAttack, task, misses)
    return {
      measured: `SQLite: ${describe(sqlite)}. PostgreSQL: ${describe(postgres)}.`,
      counts: { ...countsOf('sqlite', sqlite), ...countsOf('postgres', postgres) },
      misses,
    }
  } finally {
    await server.close()
  }
}

interface Measured {
  readonly quiet: Phase
  readonly stalled: Phase
  /** What of the expensive was completed, and the requests that this took. */
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
    `p99 of /healthz ${quiet.healthP99Ms.toFixed(1)} and ${stalled.healthP99Ms.toFixed(1)} ms (at most ${quiet.healthMaxMs.toFixed(1)} and ${stalled.healthMaxMs.toFixed(1)} ms)`,
    `private memory at most ${quietMb} and ${stalledMb} MB`,
  ].join('; ')
}

const countsOf = (engine: string, { quiet, stalled, expensiveRequests, stalledMb }: Measured) => ({
  [`${engine}QuietP99Us`]: Math.round(quiet.p99Ms * 1_000),
  [`${engine}StalledP99Us`]: Math.round(stalled.p99Ms * 1_000),
  [`${engine}HealthP99Us`]: Math.round(stalled.healthP99Ms * 1_000),
  [`${engine}ExpensiveRequests`]: expensiveRequests,
  [`${engine}PrivateMb`]: stalledMb,
})

/** Measures ordinary requests on one engine, without and with the expensive ones. */
const measureOn = async (
  engine: string,
  environment: { readonly [name: string]: string },
  { rows, seconds, timesMax, healthMsMax }: StallSize,
  openAttack: OpenAttack,
  { seed, log }: Task,
  misses: string[],
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
    const { completed, requests: expensiveRequests, failed } = await attack.stop()
    const stalledMb = memory.stop()
    const measured = { quiet, stalled, completed, expensiveRequests, quietMb, stalledMb }
    log(`${engine}: ${describe(measured)}`)
    misses.push(...[...failures, ...failed].map((each) => `${engine}: ${each}`))
    for (const [what, count] of Object.entries(completed)) {
      if (count === 0) misses.push(`${engine}: none of the ${what} was completed.`)
    }
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
