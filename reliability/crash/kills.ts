import { setTimeout as wait } from 'node:timers/promises'
import type { Started } from '../../test/support/command.ts'
import { seeded } from '../../test/support/model.ts'
import type { Task } from '../check.ts'
import { committed, type Engine, opened, openWorld, type Took, type Word } from './import-states.ts'
import { type Judged, judge, nothingJudged, other } from './judge.ts'

/** A moment in the life of an import. */
interface Moment {
  readonly name: string
  come(said: Started['said']): Promise<void>
}

/** Spread over the whole run, over its transaction, and right after that, before its end. */
export const momentOf = (
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

interface Killed extends Judged {
  killed: number
}

/** Imports one state after the other and kills each at another moment. */
export const killImports = async (
  engine: Engine,
  { kills, items }: { readonly kills: number; readonly items: number },
  { seed, log }: Task,
): Promise<Killed> => {
  const world = await openWorld(engine, { tags: items / 8, items })
  try {
    const usual = await world.importWhole('before')
    const draw = seeded(seed)
    const judged: Killed = Object.assign(nothingJudged(), { killed: 0 })
    let now: Word = 'before'
    for (let round = 0; round < kills; round += 1) {
      const next = other(now)
      const { child, ended, said } = world.place.start(world.importing(next))
      const moment = momentOf(usual, { round, of: kills, share: draw(1_000) / 1_000 })
      await Promise.race([moment.come(said), ended])
      child.kill('SIGKILL')
      const ran = await ended
      if (ran.signal === 'SIGKILL') judged.killed += 1
      const where = `seed ${seed}, kill ${round} ${moment.name}`
      now = await judge(world, judged, { where, next, ran, round })
      if ((round + 1) % 20 === 0) log(`${engine}: ${round + 1} of ${kills} kills`)
    }
    // A bench that always came too early, or always too late, would have tried nothing.
    // On a busy machine the times of a few kills may all be too late, so the short form needs one.
    const killedMin = kills < 20 ? 1 : kills / 3
    if (judged.killed < killedMin) judged.misses.push(`Only ${judged.killed} were killed.`)
    for (const state of ['old', 'new'] as const) {
      if (kills < 20 || judged[state] >= 3) continue
      judged.misses.push(`Only ${judged[state]} on ${engine} left the ${state} state.`)
    }
    return judged
  } finally {
    await world.close()
  }
}
