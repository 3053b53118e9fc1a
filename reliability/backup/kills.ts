import { existsSync, mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { seeded } from '../../test/support/model.ts'
import type { Task } from '../check.ts'
import { judgeBackup, type MadeBackup } from './judge.ts'
import { type Load, startLoad } from './load.ts'
import { type BackupPlace, type CopyName, copies, onBackupPlace, temporaryIn } from './place.ts'

export interface KillSize {
  /** Backups that are killed before they have ended. */
  readonly kills: number
  /** The size of the database, in orders of the demo. */
  readonly orders: number
}

export interface KillFigures {
  readonly kills: number
  readonly serverKills: number
  /** Backups that were complete, and restored. */
  readonly complete: number
  /** Accepted batches that were in these backups and not stored yet. */
  readonly waiting: number
  readonly writes: number
  readonly misses: readonly string[]
}

/** Every so many runs the command makes backups again and again. */
const everyRun = 3
/** A backup is killed within this part of the time that one takes. */
const killedWithin = 1.25
/** In a row, of which none was killed before it had ended. */
const runsMax = 10

/** Kills backups under load again and again, then restores each one that looks complete. */
export const killBackups = (
  copy: CopyName,
  { kills, orders }: KillSize,
  { seed, log }: Task,
): Promise<KillFigures> =>
  onBackupPlace(copy, { orders }, async (place) => {
    const { server } = place
    const draw = seeded(seed)
    const misses: string[] = []
    const miss = (sentence: string) => misses.push(`${copies[copy]}, seed ${seed}: ${sentence}`)
    await server.ready()
    const load = startLoad(place)
    const runs = createRuns(place, copy, miss)
    let [killed, serverKills] = [0, 0]
    try {
      await untilAllWrite(load)
      const usualMs = await runs.complete()
      log(`${copies[copy]}: a backup takes ${usualMs.toFixed(0)} ms`)
      for (let run = 1; killed < kills && run < kills * runsMax; run += 1) {
        const afterMs = draw(Math.ceil(usualMs * killedWithin))
        const serverMs = run % 2 === 0 ? draw(Math.ceil(usualMs)) : null
        const [wasKilled] = await Promise.all([
          runs.killed(afterMs, { isScheduled: run % everyRun === 0 }),
          serverMs !== null && wait(serverMs).then(server.kill),
        ])
        if (wasKilled) killed += 1
        if (serverMs !== null) serverKills += 1
        if (wasKilled && killed % 10 === 0) log(`${copies[copy]}: ${killed} of ${kills} kills`)
      }
      await runs.complete()
    } finally {
      await load.stop()
    }
    await server.close()
    runs.expectNothingLeft()
    if (killed < kills) miss(`only ${killed} backups were killed`)

    let waiting = 0
    for (const [index, made] of runs.made().entries()) {
      const judged = await place.restored((empty) => judgeBackup(empty, made, load))
      waiting += judged.waiting
      for (const each of judged.misses) miss(`backup ${index + 1}: ${each}`)
    }
    return {
      ...{ kills: killed, serverKills, waiting, complete: runs.made().length, misses },
      writes: load.writers.reduce((sum, { writes }) => sum + writes.length, 0),
    }
  })

/** Waits until every writer has had a write acknowledged. */
const untilAllWrite = async ({ writers }: Load): Promise<void> => {
  while (!writers.every(({ writes }) => writes.some(({ ackedAt }) => ackedAt !== undefined))) {
    await wait(20)
  }
}

const isBackup = (name: string): boolean => /^selvedge-.*\.backup$/.test(name)

/** Runs of `selvedge backup`, and the files that they leave. */
const createRuns = ({ sandbox }: BackupPlace, copy: CopyName, miss: (sentence: string) => void) => {
  const temporary = temporaryIn(sandbox)
  const main = join(sandbox.folder, 'backups')
  for (const folder of [temporary, main]) mkdirSync(folder)
  const environment = { TMPDIR: temporary }
  const made = new Map<string, MadeBackup>()
  let runs = 0
  /** What the command has reported, by its lines. */
  const judgeReports = (stdout: string): number => {
    const reports = stdout.split('\n').filter((line) => line.endsWith('}'))
    for (const report of reports) {
      const { place, method } = JSON.parse(report)
      if (!existsSync(place)) miss(`${place} was reported and is not there`)
      if (copy === 'pg_dump' && method !== copy) miss(`${place} was made by ${method}`)
    }
    return reports.length
  }
  const collect = (folder: string, beganAt: number) => {
    for (const name of readdirSync(folder).filter(isBackup)) {
      const file = join(folder, name)
      if (!made.has(file)) made.set(file, { file, beganAt })
    }
  }
  return {
    made: () => [...made.values()],
    /** Makes a backup without a kill. Returns its duration in milliseconds. */
    complete: async (): Promise<number> => {
      const beganAt = performance.now()
      const { code, stdout, stderr } = await sandbox.start(['backup', main, '--json'], environment)
        .ended
      const took = performance.now() - beganAt
      if (code !== 0 || judgeReports(stdout) !== 1) miss(`a backup failed: ${stderr}${stdout}`)
      collect(main, beganAt)
      return took
    },
    /** Returns whether the command was killed before it had made a backup. */
    killed: async (afterMs: number, { isScheduled }: { readonly isScheduled: boolean }) => {
      runs += 1
      const folder = isScheduled ? join(sandbox.folder, `backups-${runs}`) : main
      if (isScheduled) mkdirSync(folder)
      const beganAt = performance.now()
      const schedule = isScheduled ? ['--every', '1m'] : []
      const args = ['backup', folder, '--json', ...schedule]
      const { child, ended } = sandbox.start(args, environment)
      await Promise.race([wait(afterMs), ended])
      child.kill('SIGKILL')
      const { code, stdout, stderr } = await ended
      if (code !== null && code !== 0) miss(`a backup failed: ${stderr}`)
      const before = made.size
      collect(folder, beganAt)
      const reported = judgeReports(stdout)
      if (code === 0 && reported !== 1) miss('a backup has succeeded and was not reported')
      if (reported > made.size - before) miss('a backup was reported that has no file')
      return made.size === before
    },
    expectNothingLeft: () => {
      const left = [
        ...readdirSync(main).filter((name) => !isBackup(name)),
        ...readdirSync(temporary),
      ]
      if (left.length > 0) miss(`the last backup has left ${left.join(', ')}`)
    },
  }
}
