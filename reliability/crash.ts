/** Imports interrupted by a kill, between statements, by their server or by a full disk. */
import { setTimeout as wait } from 'node:timers/promises'
import { ownerNumber } from '#store'
import { ndjson, type Ran, type Started } from '../test/support/command.ts'
import { idOf, recordsAt, seeded } from '../test/support/model.ts'
import { check, type Task } from './check.ts'
import {
  committed,
  importColor,
  opened,
  openWorld,
  type Took,
  type Word,
  type World,
  type WorldOptions,
  wrongBeside,
} from './crash/import-states.ts'
import { type Engine, engines } from './engine.ts'
import { sumsOf } from './sums.ts'

/** The outcomes of interrupted imports, by their published names. */
interface Judged {
  /** The complete state before the import. */
  before: number
  /** The complete state after the import. */
  after: number
  /** A partial import. */
  half: number
  /** Reported as complete, but missing. */
  lost: number
  /** Stored totals that differ from the counts. */
  wrongTotals: number
  /** Imports that were interrupted before they completed. */
  interrupted: number
  readonly misses: string[]
}

/** A database that interrupted imports switch between two states. */
interface Trial {
  readonly world: World
  readonly judged: Judged
  /** Imports a state without interruption and returns its timings. */
  usual(): Promise<Took>
  /** Starts the import of the other state. */
  start(environment?: NodeJS.ProcessEnv): Started
  /**
   * Checks the result after another import has succeeded: only then has the server noticed that the
   * client is gone.
   */
  judge(where: string, ran: Ran): Promise<void>
}

const inTrial = async (
  engine: Engine,
  size: WorldOptions,
  work: (trial: Trial) => Promise<void>,
): Promise<Judged> => {
  const world = await openWorld(engine, size)
  const sums = { before: 0, after: 0, half: 0, lost: 0, wrongTotals: 0, interrupted: 0 }
  const judged: Judged = { ...sums, misses: [] }
  let now: Word = 'after'
  let round = 0
  const other = (): Word => (now === 'before' ? 'after' : 'before')
  try {
    await work({
      world,
      judged,
      usual: () => {
        now = 'before'
        return world.importWhole(now)
      },
      start: (environment) => world.place.start(world.importing(other()), environment),
      judge: (where, ran) =>
        world.withRecords(async (open) => {
          const miss = (sentence: string) =>
            judged.misses.push(`${engine}, ${where}: ${sentence} ${ran.stderr.slice(-300)}`.trim())
          const next = other()
          round += 1
          await importColor(world, open, round)
          const word = await world.wordIn(open)
          if (word === null) {
            judged.half += 1
            miss('it left something in between.')
          } else judged[word === next ? 'after' : 'before'] += 1
          if ((ran.code === 0 || ran.stdout.includes(committed)) && word !== next) {
            judged.lost += 1
            miss('what it said was done is not there.')
          }
          const wrong = await wrongBeside(open)
          judged.wrongTotals += wrong.length
          wrong.forEach(miss)
          now = word ?? next
        }),
    })
    return judged
  } finally {
    await world.close()
  }
}

interface Moment {
  readonly name: string
  come(said: Started['said']): Promise<void>
}

/** Moments spread over the whole run, over the transaction, and between commit and exit. */
const momentOf = (
  { startMs, writeMs }: Took,
  { round, of, share }: { round: number; of: number; share: number },
): Moment => {
  const spread = (share + round / of) / 2
  if (round % 5 < 2) {
    const ms = (startMs + writeMs) * (0.2 + 0.9 * spread)
    return { name: `${ms.toFixed(0)} ms after its start`, come: () => wait(ms) }
  }
  if (round % 5 < 4) {
    const ms = writeMs * 1.1 * spread
    return {
      name: `${ms.toFixed(0)} ms after it began to read`,
      come: async (said) => {
        await said(opened)
        await wait(ms)
      },
    }
  }
  return { name: 'after it was done', come: (said) => said(committed) }
}

type OnEngines = Readonly<Record<Engine, number>>

const sumsOfAll = (all: readonly Judged[]) =>
  sumsOf(all, 'before', 'after', 'half', 'lost', 'wrongTotals')

/** Imports the two states in turn and kills each import at a different moment. */
const killImports = (engine: Engine, kills: number, items: number, { seed, log }: Task) =>
  inTrial(engine, { tags: items / 8, items }, async ({ judged, usual, start, judge }) => {
    const took = await usual()
    const draw = seeded(seed)
    for (let round = 0; round < kills; round += 1) {
      const { child, ended, said } = start()
      const moment = momentOf(took, { round, of: kills, share: draw(1_000) / 1_000 })
      await Promise.race([moment.come(said), ended])
      child.kill('SIGKILL')
      const ran = await ended
      if (ran.signal === 'SIGKILL') judged.interrupted += 1
      await judge(`seed ${seed}, kill ${round} ${moment.name}`, ran)
      if ((round + 1) % 20 === 0) log(`${engine}: ${round + 1} of ${kills} kills`)
    }
    // Kills that are all too early or all too late would test nothing. On a busy machine a few
    // kills may all be late, so the short form requires only one.
    const killedMin = kills < 20 ? 1 : kills / 3
    if (judged.interrupted < killedMin)
      judged.misses.push(`Only ${judged.interrupted} were killed.`)
    for (const state of ['before', 'after'] as const) {
      if (kills < 20 || judged[state] >= 3) continue
      judged.misses.push(`Only ${judged[state]} on ${engine} left the state ${state} the import.`)
    }
  })

export const crash = check({
  id: 'R6',
  claim: 'An import that is killed is applied completely or not at all.',
  target:
    'kill -9 at 200 random times during an import on each engine: no partial import, no lost import that was reported as complete, no total that differs from a count, and the next import succeeds.',
  sizes: {
    short: { kills: { sqlite: 5, postgres: 3 } as OnEngines, items: 2_400 },
    full: { kills: { sqlite: 200, postgres: 200 } as OnEngines, items: 2_400 },
  },
  try: async ({ kills, items }, task) => {
    const all = await Promise.all(
      engines.map((engine) => killImports(engine, kills[engine], items, task)),
    )
    const counts = {
      imports: kills.sqlite + kills.postgres,
      killed: sumsOf(all, 'interrupted').interrupted,
      ...sumsOfAll(all),
    }
    return {
      measured: `${kills.sqlite} imports on SQLite and ${kills.postgres} on PostgreSQL, ${counts.killed} killed before they completed: ${counts.before} left the state before the import, ${counts.after} the state after it, ${counts.half} a partial state; ${counts.lost} lost, ${counts.wrongTotals} wrong totals.`,
      counts,
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})

const boundariesMax = 2_000

/**
 * Stops an import at each boundary between statements in turn, until an import completes because it
 * has no more boundaries. With `steps` above 1, skips a random number of boundaries.
 */
const stopAtBoundaries = (engine: Engine, steps: number, { seed, log }: Task) =>
  inTrial(engine, { tags: 3, items: 4 }, async ({ judged, start, judge }) => {
    const draw = seeded(seed)
    for (let at = 1 + draw(steps); ; at += 1 + draw(steps * 2 - 1)) {
      if (at > boundariesMax) throw new Error(`An import has more than ${boundariesMax}.`)
      const ran = await start({
        NODE_OPTIONS: `--import=${new URL('crash/boundary.ts', import.meta.url)}`,
        KILL_AT: String(at),
      }).ended
      await judge(`boundary ${at}`, ran)
      if (ran.signal !== 'SIGKILL') {
        if (ran.code !== 0) judged.misses.push(`Boundary ${at} on ${engine}: ${ran.stderr}`)
        break
      }
      judged.interrupted += 1
      if (judged.interrupted % 20 === 0) log(`${engine}: ${judged.interrupted} boundaries`)
    }
    if (judged.before === 0) judged.misses.push(`None on ${engine} left the state of before.`)
  })

export const crashStatements = check({
  id: 'R6',
  claim: 'An import that is killed between any two statements is applied completely or not at all.',
  target:
    'An import that is killed between every two of its statements, on each engine, leaves the state before or after it, with correct totals, and the next import succeeds.',
  /** The average step between tested boundaries. */
  sizes: {
    short: { sqlite: 35, postgres: 55 } as OnEngines,
    full: { sqlite: 1, postgres: 1 } as OnEngines,
  },
  try: async (steps, task) => {
    const all = await Promise.all(
      engines.map((engine) => stopAtBoundaries(engine, steps[engine], task)),
    )
    const [sqlite, postgres] = all.map(({ interrupted }) => interrupted)
    const counts = { boundaries: sumsOf(all, 'interrupted').interrupted, ...sumsOfAll(all) }
    return {
      measured: `${sqlite} boundaries on SQLite and ${postgres} on PostgreSQL, a kill at each: ${counts.half} partial imports, ${counts.lost} lost, ${counts.wrongTotals} wrong totals.`,
      counts,
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})

export const crashServer = check({
  id: 'R6',
  claim: 'An import whose PostgreSQL server crashes is applied completely or not at all.',
  target:
    'kill -9 of the PostgreSQL server at 20 random times during an import: no partial import, no lost import, no wrong total; the import reports the failure, and the next one succeeds.',
  sizes: { short: { kills: 2 }, full: { kills: 20 } },
  try: async ({ kills }, { seed, log }) => {
    const draw = seeded(seed)
    let killed = 0
    const judged = await inTrial('postgres', { tags: 300, items: 2_400 }, async (trial) => {
      const { world, judged: now, usual, start, judge } = trial
      const took = await usual()
      // On a busy machine an import may finish before the measured time.
      while (now.interrupted < kills && killed < 5 * kills) {
        const { ended, said } = start()
        // A moment within the transaction.
        const moment = momentOf(took, { round: 2, of: 4, share: draw(1_000) / 1_000 })
        await Promise.race([moment.come(said), ended])
        await world.postgres?.kill()
        killed += 1
        const ran = await ended
        await world.postgres?.start()
        const where = `seed ${seed}, server killed ${moment.name}`
        if (ran.code !== 0) {
          now.interrupted += 1
          if (ran.code !== 1 || !/database/i.test(ran.stderr)) {
            now.misses.push(`${where}: the import ended with ${ran.code}: ${ran.stderr}`)
          }
        }
        await judge(where, ran)
        if (killed % 5 === 0) {
          log(`${now.interrupted} of ${kills} imports in progress were interrupted`)
        }
      }
    })
    const { interrupted: failed, half, lost, wrongTotals, misses } = judged
    if (failed < kills)
      misses.push(`Of ${kills} imports only ${failed} were in progress in ${killed} kills.`)
    return {
      measured: `${killed} kills of the server, ${failed} imports in progress: ${half} partial, ${lost} lost, ${wrongTotals} wrong totals.`,
      counts: { kills: killed, failed, half, lost, wrongTotals },
      misses,
    }
  },
})

const manyTags = 4_000
/** With this many extra pages, the import of these tags almost succeeds. */
const pagesMax = 90

export const crashDisk = check({
  id: 'R6',
  claim: 'An import that runs out of disk space changes nothing and reports the reason.',
  target:
    'Imports on SQLite with too little disk space, from none to almost enough: each exits with code 1 and the reason, none leaves a change, and with enough space the same import succeeds.',
  sizes: { short: { rounds: 3 }, full: { rounds: 40 } },
  try: async ({ rounds }, { seed, log }) => {
    const draw = seeded(seed)
    let [full, left] = [0, 0]
    const { misses } = await inTrial('sqlite', { tags: 3, items: 4 }, async (trial) => {
      const { world, judged } = trial
      const miss = (sentence: string) => judged.misses.push(sentence)
      const countTags = () =>
        world.withRecords(async (open) => {
          judged.misses.push(...(await wrongBeside(open)))
          const text = 'select count(*) from "tags" where "owner" = ?1'
          const [rows] = await open.database.read([{ text, values: [ownerNumber(world.brand)] }])
          return Number(rows?.[0]?.[0])
        })
      /** Imports with room for this many extra pages, and returns the number of stored tags. */
      const importWithin = async (pages: number) => {
        const { ended } = world.place.start(['import', 'many', '--brand', world.brand], {
          NODE_OPTIONS: `--import=${new URL('crash/full-disk.ts', import.meta.url)}`,
          MORE_PAGES: String(pages),
        })
        return { ...(await ended), added: (await countTags()) - before }
      }
      const [tag] = recordsAt('tags')
      const many = Array.from({ length: manyTags }, (_, n) => ({
        ...tag,
        ...{ id: idOf(50_000 + n), name: `many ${n}` },
      }))
      world.place.put({ 'many/tags.ndjson': ndjson(many) })
      const before = await countTags()
      for (let round = 0; round < rounds; round += 1) {
        const pages = Math.floor((round / rounds) * pagesMax) + draw(2)
        const { code, stderr, added } = await importWithin(pages)
        if (code === 1 && /full/.test(stderr)) full += 1
        else miss(`With ${pages} pages it ended with ${code}: ${stderr}`)
        if (added !== 0) {
          left += 1
          miss(`With ${pages} pages it left ${added} tags.`)
        }
        if ((round + 1) % 10 === 0) log(`${round + 1} of ${rounds} imports`)
      }
      const { code, stderr, added } = await importWithin(100_000)
      if (code !== 0) miss(`With enough room it ended with ${code}: ${stderr}`)
      if (added !== manyTags) miss('With enough room not all came in.')
    })
    return {
      measured: `${rounds} imports with too little disk space: ${full} reported it and exited, ${left} left a change; with enough space the import succeeded.`,
      counts: { imports: rounds, full, left },
      misses,
    }
  },
})
