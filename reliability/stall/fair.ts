import { rmSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { queryBasePath } from '#contract'
import type { Records } from '#server'
import { openBrandsModel, story } from '../../test/support/brands.ts'
import type { Form, Outcome, Task } from '../check.ts'
import { engineNames, engines, onEngine, patient } from '../engine.ts'
import { askOthers, joinOthers, type Others } from '../others.ts'
import { prepareBrands, type Serving, startServing } from '../server-process.ts'
import { brand, fill } from './brand.ts'
import type { Counts, OpenAttack } from './measure.ts'

export interface FairSize {
  readonly rows: number
  readonly seconds: number
  /** Maximum ratio of the p99 of a kind of request to its quiet value, if it is much more. */
  readonly timesMax: number
  /** Whether PostgreSQL queries have no time limit, since other tests run at the same time. */
  readonly isPatient: boolean
}

export const fairSizes: Readonly<Record<Form, FairSize>> = {
  short: { rows: 20_000, seconds: 2, timesMax: Infinity, isPatient: true },
  // Long enough for 300 requests of each kind, so that the p99 is not the slowest one.
  full: { rows: 300_000, seconds: 80, timesMax: 3, isPatient: false },
}

/** Quiet and attacked phases alternate, so that what else the machine does adds to both. */
const rounds = 4
/** Not measured at the begin of an attack: the server does not know yet that its key is heavy. */
const firstMs = 1_000
/** The pause of a key between two requests of a kind. */
const pauseMs = 200
/** A p99 that exceeds its quiet value by less is not a miss: two steps of a long read. */
const moreMsMax = 100

/** A key that sends few requests: of another brand, or of the brand that is attacked. */
interface Innocent {
  readonly name: string
  readonly brand: string
}

const innocents: readonly Innocent[] = [
  { name: 'another brand', brand: 'birkholm' },
  { name: 'another key', brand },
]

const orderIds = (story['orders'] ?? []).map(({ id }) => String(id))
/** The day of the nth request for Today: none is used twice. */
const dayAt = (n: number): string =>
  new Date(Date.UTC(2026, 9, 31) - n * 86_400_000).toISOString().slice(0, 10)

/** The path of the nth request of each kind. None is answered from a cache. */
const kinds: Readonly<Record<string, (n: number) => string>> = {
  today: (n) => `today?asOf=${dayAt(n)}`,
  document: (n) => `orders/${orderIds[n % orderIds.length]}/document?asOf=${dayAt(n)}`,
  summary: (n) => `invoices/summary?sum=totalAmount&by=status&totalAmount.gte=${n}`,
}

/** Measures how much the queries of one key delay those of others, on both engines. */
export const measureFairness = async (
  size: FairSize,
  openAttack: OpenAttack,
  task: Task,
): Promise<Outcome> => {
  const misses: string[] = []
  const measured: string[] = []
  const counts: Record<string, number> = {}
  for (const engine of engines) {
    await onEngine(engine, async (url) => {
      const databaseUrl = url && size.isPatient ? patient(url) : url
      const { folder, variables, records } = await prepareBrands(openBrandsModel(1), {
        LOG_LEVEL: 'error',
        ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      })
      try {
        task.log(`${engine}: filling a brand with ${size.rows} order items`)
        await fill(records, size.rows)
        const keys = await issueKeys(records)
        await records.close()
        for (const workers of [1, 2]) {
          const server = await startServing(folder, { ...variables, WORKERS: String(workers) })
          const where = `${engineNames[engine]}${workers > 1 ? `, ${workers} workers` : ''}`
          const result = await measureServer(server, keys, size, openAttack, task)
          task.log(`${where}: ${result.measured}`)
          measured.push(`${where}: ${result.measured}.`)
          misses.push(...result.misses.map((each) => `${where}: ${each}`))
          for (const [name, count] of Object.entries(result.counts)) {
            counts[`${engine}${workers}${name}`] = count
          }
        }
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    })
  }
  return { measured: measured.join(' '), counts, misses }
}

/** The key of the attacker, and those of the innocent. */
interface IssuedKeys {
  readonly attacker: string
  readonly innocents: readonly (Innocent & { readonly key: string })[]
}

const issueKeys = async ({ keys }: Records): Promise<IssuedKeys> => {
  const issue = async (name: string, of: string): Promise<string> => {
    const rights = { brands: [of], global: false, expiresAt: null }
    return (await keys.issue({ name, ...rights, perSecond: null, burst: null })).key
  }
  const attacker = await issue('attacker', brand)
  const issued: (Innocent & { readonly key: string })[] = []
  for (const each of innocents) issued.push({ ...each, key: await issue(each.name, each.brand) })
  return { attacker, innocents: issued }
}

const measureServer = async (
  server: Serving,
  keys: IssuedKeys,
  { rows, seconds, timesMax }: FairSize,
  openAttack: OpenAttack,
  { seed }: Task,
): Promise<Outcome> => {
  const { url } = server
  try {
    await runPhase(url, keys, 0, seconds / 4)
    const quietPhases: Phase[] = []
    const attackedPhases: Phase[] = []
    const completed: Record<string, number> = {}
    let begun: Counts = {}
    let requests = 0
    for (let round = 0; round < rounds; round += 1) {
      quietPhases.push(await runPhase(url, keys, 2 * round + 1, seconds / rounds))
      const attack = openAttack({ url, key: keys.attacker, ordinaryKeys: [], rows, seed, begun })
      await wait(firstMs)
      attackedPhases.push(await runPhase(url, keys, 2 * round + 2, seconds / rounds))
      const result = await attack.stop()
      requests += result.requests
      begun = result.begun
      for (const [what, count] of Object.entries(result.completed)) {
        completed[what] = (completed[what] ?? 0) + count
      }
    }
    const [quiet, attacked] = [joinPhases(quietPhases), joinPhases(attackedPhases)]
    const misses: string[] = []
    const words: string[] = []
    const counts: Record<string, number> = { AttackerRequests: requests }
    for (const [name, before] of Object.entries(quiet)) {
      const after = attacked[name] as Others
      misses.push(...before.failed, ...after.failed)
      const times = after.p99Ms / before.p99Ms
      words.push(
        `${name} ${before.p99Ms.toFixed(0)} and ${after.p99Ms.toFixed(0)} ms (p50 ${before.p50Ms.toFixed(1)} and ${after.p50Ms.toFixed(1)} ms, ${after.requests} requests)`,
      )
      counts[`${name} p99 %`] = Math.round(times * 100)
      if (times > timesMax && after.p99Ms - before.p99Ms > moreMsMax) {
        misses.push(`the p99 of ${name} was ${times.toFixed(1)} times its quiet value.`)
      }
    }
    const done = Object.entries(completed).map(([what, count]) => `${count} ${what}`)
    const measured = `p99 without and with ${done.join(' and ')} of one key: ${words.join(', ')}`
    return { measured, counts, misses }
  } finally {
    await server.stop()
  }
}

/** The requests of some seconds, by their kind. */
type Phase = Readonly<Record<string, Others>>

const joinPhases = (phases: readonly Phase[]): Phase =>
  Object.fromEntries(
    Object.keys(phases[0] ?? {}).map((name) => [
      name,
      joinOthers(phases.map((each) => each[name] as Others)),
    ]),
  )

/** Requests of every kind of the innocent keys, one at a time each, for some seconds. */
const runPhase = async (
  url: string,
  keys: IssuedKeys,
  phase: number,
  seconds: number,
): Promise<Phase> => {
  const requests = keys.innocents.flatMap(({ name, brand: of, key }) =>
    Object.entries(kinds).map(async ([kind, pathAt]) => {
      const others = await askOthers({
        ...{ url, keys: [key], seconds, pauseMs },
        pathAt: (n) => `${queryBasePath}/brands/${of}/${pathAt(n + phase * 1_000)}`,
      })
      return [`${kind} of ${name}`, others] as const
    }),
  )
  return Object.fromEntries(await Promise.all(requests))
}
