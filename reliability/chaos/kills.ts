import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Unit } from '#intake'
import type { Sandbox } from '../../test/support/command.ts'
import { type Erp, openErp } from '../../test/support/erp.ts'
import { findMariadb, openMariadb } from '../../test/support/mariadb.ts'
import { seeded } from '../../test/support/model.ts'
import { openPostgres } from '../../test/support/postgres.ts'
import type { Task } from '../check.ts'
import { type Engine, engineNames } from '../engine.ts'
import { faultAt, faults, type SentUnit, unitOf } from './colours.ts'
import { listed, settle, waitingSources } from './judge.ts'
import { type Command, onPlace, type Place } from './place.ts'
import { coloursTable, createBatches, createFolder, createTable, type Feed } from './sources.ts'

const brands = ['aldermoor', 'birkholm', 'corvane'] as const
export const senders = 8
/** The longest pause between two batches of a sender. */
const batchMs = 200
/** The longest pause between two files, or inserts into a table: so that a run has about 60 of each. */
const unitMsOf = (kills: number): number => Math.max(1_000, 50 * kills)
/** A process is killed this long after it is ready at most, or while it takes longer to start. */
const killedWithinMs = 2_000
const startMs = 5_000

export interface ChaosFigures {
  readonly kills: number
  readonly units: number
  readonly bad: number
  /** Units that were quarantined because they were killed three times. */
  readonly retried: number
  /** From the last kill until everything was corrected and stored, or refused. */
  readonly settledMs: number
  readonly misses: readonly string[]
}

/** Kills one process after the other while every source sends good and bad units. */
export const runChaos = async (
  engine: Engine,
  kills: number,
  { seed, log }: Task,
): Promise<ChaosFigures> => {
  const program = await findMariadb()
  if ('missing' in program) throw new Error(program.missing)
  const [mariadb, postgres] = await Promise.all([openMariadb(program), openPostgres()])
  try {
    const databases = [await openErp(postgres, 'erp'), mariadb]
    for (const { run } of databases) await run(coloursTable)
    return await onPlace(engine, brands, async (place) => {
      const { feeds, commands } = openSources(place, databases)
      const draw = seeded(seed)
      const processes = [place.server, ...commands]
      const killAll = async () => {
        for (let killed = 1; killed <= kills; killed += 1) {
          const process = processes[draw(processes.length)]
          await Promise.race([process?.ready(), wait(draw(startMs))])
          await wait(draw(killedWithinMs))
          await process?.kill()
          if (killed % 10 === 0) log(`${engineNames[engine]}: ${killed} of ${kills} kills`)
        }
      }
      const pause = (name: string) => draw(name.startsWith('b') ? batchMs : unitMsOf(kills))
      const { left, ...figures } = await sendDuring(place, feeds, pause, killAll)
      const units = [...feeds.values()].flatMap(({ sent }) => sent)
      return {
        ...{ kills, units: units.length, ...figures },
        misses: left.map((each) => `${engine}, seed ${seed}: ${each}`),
      }
    })
  } finally {
    await Promise.all([mariadb.close(), postgres.close()])
  }
}

/** The sources by their names, and the commands that read files and rows. */
const openSources = (place: Place, databases: readonly Erp[]) => {
  const { sandbox, server, key } = place
  const brandOf = (index: number) => brands[index % brands.length] ?? brands[0]
  const feeds = new Map<string, Feed>()
  const commands: Command[] = []
  for (let index = 0; index < senders; index += 1) {
    const sender = { url: server.url, key, brand: brandOf(index), waits: index % 2 === 0 }
    feeds.set(`b${index}`, createBatches(sender))
  }
  for (const [index, brand] of brands.entries()) {
    feeds.set(`f${index}`, createFolder(join(sandbox.folder, `in-${brand}`), brand))
    commands.push(place.watch(`in-${brand}`, brand))
  }
  for (const [index, { url, run }] of databases.entries()) {
    feeds.set(`s${index}`, createTable(run, brandOf(index)))
    commands.push(place.sync(url, brandOf(index)))
  }
  return { feeds, commands }
}

/**
 * Lets all sources send during some work, until each has sent every fault, and judges the result
 * before and after the bad rows were corrected.
 */
const sendDuring = async (
  place: Place,
  feeds: ReadonlyMap<string, Feed>,
  pause: (name: string) => number,
  work: () => Promise<void>,
) => {
  const { sandbox } = place
  let [isOver, isSettled, endedMs, bad] = [false, false, 0, 0]
  const send = async ([name, feed]: readonly [string, Feed]) => {
    for (let n = 0; !isOver || !hasAllFaults(feed.sent); n += 1) {
      await feed.send(unitOf(name, n, faultAt(n)))
      await wait(pause(name))
    }
  }
  const retrying = retryQuarantined(sandbox, () => isSettled)
  const left: string[] = []
  try {
    const working = work().finally(() => {
      isOver = true
      endedMs = performance.now()
    })
    await Promise.all([working, ...[...feeds].map(send)])
    const all = [...feeds.values()]
    bad = all.flatMap(({ sent }) => sent.filter(({ fault }) => fault)).length
    left.push(...(await settle(place, all)).values())
    for (const feed of all) await feed.correct()
    left.push(...(await settle(place, all)).values())
    endedMs = performance.now() - endedMs
  } finally {
    isSettled = true
  }
  const retried = await retrying
  await place.stop()
  left.push(...(await waitingSources(sandbox)).values())
  return { left, bad, retried, settledMs: endedMs }
}

const hasAllFaults = (sent: readonly SentUnit[]): boolean =>
  faults.every((fault) => sent.some((unit) => unit.fault === fault))

/** Retries units in quarantine, as their reasons tell an operator. Returns how many. */
const retryQuarantined = async (sandbox: Sandbox, isOver: () => boolean): Promise<number> => {
  let retried = 0
  while (!isOver()) {
    const units = await listed<Unit>(sandbox, ['intake', '--state', 'quarantined', '--json'])
    for (const { id } of units) await sandbox.run(['intake', 'retry', id])
    retried += units.length
    await wait(1_000)
  }
  return retried
}
