import { check } from './check.ts'
import { engines } from './crash/import-states.ts'
import { killImports } from './crash/kills.ts'
import { sumsOf } from './crash/sums.ts'

interface Size {
  readonly kills: Readonly<Record<(typeof engines)[number], number>>
  /** Order items in each of the two states. */
  readonly items: number
}

export default check<Size>({
  id: 'R6',
  claim: 'An import that is killed is applied completely or not at all.',
  target:
    'kill -9 at 200 random times during an import on each engine: no partial import, no lost import that was reported as complete, no total that differs from a count, and the next import succeeds.',
  sizes: {
    short: { kills: { sqlite: 10, postgres: 4 }, items: 2_400 },
    full: { kills: { sqlite: 200, postgres: 200 }, items: 2_400 },
  },
  try: async ({ kills, items }, task) => {
    const all = await Promise.all(
      engines.map((engine) => killImports(engine, { kills: kills[engine], items }, task)),
    )
    const counts = {
      imports: kills.sqlite + kills.postgres,
      killed: all.reduce((total, each) => total + each.killed, 0),
      ...sumsOf(all),
    }
    return {
      measured: `${kills.sqlite} imports on SQLite and ${kills.postgres} on PostgreSQL, ${counts.killed} killed before they completed: ${counts.before} left the state before the import, ${counts.after} the state after it, ${counts.half} a partial state; ${counts.lost} lost, ${counts.wrongTotals} wrong totals.`,
      counts,
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})
