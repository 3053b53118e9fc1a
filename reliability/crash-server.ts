import { seeded } from '../test/support/model.ts'
import { check } from './check.ts'
import { openWorld, type Word } from './crash/import-states.ts'
import { type Judged, judge, nothingJudged, other } from './crash/judge.ts'
import { momentOf } from './crash/kills.ts'

interface Size {
  readonly kills: number
}

export default check<Size>({
  id: 'R6',
  claim: 'An import whose PostgreSQL server crashes is applied completely or not at all.',
  target:
    'kill -9 of the PostgreSQL server at 20 random times during an import: no partial import, no lost import, no wrong total; the import reports the failure, and the next one succeeds.',
  sizes: { short: { kills: 2 }, full: { kills: 20 } },
  try: async ({ kills }, { seed, log }) => {
    const world = await openWorld('postgres', { tags: 300, items: 2_400 })
    const { postgres, place } = world
    const judged: Judged = nothingJudged()
    const draw = seeded(seed)
    let failed = 0
    let killed = 0
    try {
      const usual = await world.importWhole('before')
      let now: Word = 'before'
      // On a busy machine an import may be done before the time that was measured for another.
      for (let round = 0; failed < kills && round < 5 * kills; round += 1) {
        const next = other(now)
        const { ended, said } = place.start(world.importing(next))
        // Those moments that lie within the transaction.
        const moment = momentOf(usual, { round: 2, of: 4, share: draw(1_000) / 1_000 })
        await Promise.race([moment.come(said), ended])
        await postgres?.kill()
        killed += 1
        const ran = await ended
        await postgres?.start()
        const where = `seed ${seed}, server killed ${moment.name}`
        if (ran.code !== 0) {
          failed += 1
          if (ran.code !== 1 || !/database/i.test(ran.stderr)) {
            judged.misses.push(`${where}: the import ended with ${ran.code}: ${ran.stderr}`)
          }
        }
        now = await judge(world, judged, { where, next, ran, round })
        if ((round + 1) % 5 === 0) log(`${failed} of ${kills} imports in progress were interrupted`)
      }
    } finally {
      await world.close()
    }
    if (failed < kills)
      judged.misses.push(`Of ${kills} imports only ${failed} were in progress in ${killed} kills.`)
    const { half, lost, wrongTotals, misses } = judged
    return {
      measured: `${killed} kills of the server, ${failed} imports in progress: ${half} partial, ${lost} lost, ${wrongTotals} wrong totals.`,
      counts: { kills: killed, failed, half, lost, wrongTotals },
      misses,
    }
  },
})
