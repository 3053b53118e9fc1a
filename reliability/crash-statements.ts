import { check } from './check.ts'
import { engines } from './crash/import-states.ts'
import { stopAtBoundaries } from './crash/statements.ts'
import { sumsOf } from './crash/sums.ts'

interface Size {
  /** About every how manyth boundary is tried. */
  readonly steps: Readonly<Record<(typeof engines)[number], number>>
}

export default check<Size>({
  id: 'R6',
  claim: 'An import that is killed between any two statements is applied completely or not at all.',
  target:
    'An import that is killed between every two of its statements, on each engine, leaves the state before or after it, with correct totals, and the next import succeeds.',
  sizes: {
    short: { steps: { sqlite: 25, postgres: 40 } },
    full: { steps: { sqlite: 1, postgres: 1 } },
  },
  try: async ({ steps }, task) => {
    const [sqlite, postgres] = await Promise.all(
      engines.map((engine) => stopAtBoundaries(engine, { steps: steps[engine] }, task)),
    )
    const all = [sqlite, postgres].filter((each) => each !== undefined)
    const counts = {
      boundaries: all.reduce((total, each) => total + each.boundaries, 0),
      ...sumsOf(all),
    }
    return {
      measured: `${sqlite?.boundaries} boundaries on SQLite and ${postgres?.boundaries} on PostgreSQL, a kill at each: ${counts.half} partial imports, ${counts.lost} lost, ${counts.wrongTotals} wrong totals.`,
      counts,
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})
