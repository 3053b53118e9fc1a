import { check } from './check.ts'
import { forEngines, onEngine, patient } from './engine.ts'
import { runHistories } from './histories/run.ts'
import { sumsOf } from './sums.ts'

export default check({
  id: 'R44',
  claim: 'After any history of a source, its records are those of its last state.',
  target:
    'On each engine, 30 random histories of 20 rounds in which rows of four tables are bad, corrected, repeated and deleted, references come late and the mapping changes: after each round that is written, every row that has nothing to do with a bad one is stored; after the last correction, nothing is in quarantine, and the records are those of an import of the last state.',
  sizes: { short: { histories: 4, rounds: 8 }, full: { histories: 30, rounds: 20 } },
  try: async (size, { seed, log }) => {
    const all = await forEngines((engine) =>
      onEngine(engine, (url) => runHistories({ ...size, seed, url: url && patient(url), log })),
    )
    const misses = all.flatMap((each) => each.misses)
    const counts = {
      ...sumsOf(all, 'histories', 'rounds', 'changes', 'quarantined', 'refused'),
      violations: misses.length,
    }
    return {
      measured: `${counts.histories} histories with ${counts.changes} changes in ${counts.rounds} rounds on SQLite and PostgreSQL, ${counts.refused} of which were refused because a deleted record was still referred to; ${counts.quarantined} rows in quarantine, summed over all rounds: ${counts.violations} violations.`,
      counts,
      // Each has the whole history.
      misses: misses.slice(0, 3),
    }
  },
})
