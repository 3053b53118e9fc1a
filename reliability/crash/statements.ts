import { seeded } from '../../test/support/model.ts'
import type { Task } from '../check.ts'
import { type Engine, openWorld, type Word } from './import-states.ts'
import { type Judged, judge, nothingJudged, other } from './judge.ts'

interface Stopped extends Judged {
  /** Imports that were ended, each at another boundary. */
  boundaries: number
}

const mostBoundaries = 2_000

/**
 * Ends an import at one boundary after the other, until one comes to its end because it has no
 * more. With `steps` above 1 some are passed over, another number of them each time.
 */
export const stopAtBoundaries = async (
  engine: Engine,
  { steps }: { readonly steps: number },
  { seed, log }: Task,
): Promise<Stopped> => {
  const world = await openWorld(engine, { tags: 3, items: 4 })
  const draw = seeded(seed)
  const stopped: Stopped = Object.assign(nothingJudged(), { boundaries: 0 })
  const environment = (at: number) => ({
    NODE_OPTIONS: `--import=${new URL('boundary.ts', import.meta.url)}`,
    KILL_AT: String(at),
  })
  try {
    let now: Word = 'after'
    for (let at = 1 + draw(steps); ; at += 1 + draw(steps * 2 - 1)) {
      if (at > mostBoundaries) throw new Error(`An import has more than ${mostBoundaries}.`)
      const next = other(now)
      const ran = await world.place.start(world.importing(next), environment(at)).ended
      now = await judge(world, stopped, { where: `boundary ${at}`, next, ran, round: at })
      if (ran.signal !== 'SIGKILL') {
        if (ran.code !== 0) stopped.misses.push(`Boundary ${at} on ${engine}: ${ran.stderr}`)
        break
      }
      stopped.boundaries += 1
      if (stopped.boundaries % 20 === 0) log(`${engine}: ${stopped.boundaries} boundaries`)
    }
    if (stopped.old === 0) stopped.misses.push(`None on ${engine} left the state of before.`)
    return stopped
  } finally {
    await world.close()
  }
}
