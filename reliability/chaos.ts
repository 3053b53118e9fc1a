import { findMariadb } from '../test/support/mariadb.ts'
import { runChaos, senders } from './chaos/kills.ts'
import { check } from './check.ts'
import { forEngines } from './engine.ts'
import { sumsOf } from './sums.ts'

export default check({
  id: 'R43',
  claim: 'Neither bad records nor killed processes stop a source or lose a good record.',
  target: `kill -9 at 100 random times on each engine, of the server or of one of five commands, while ${senders} senders, 3 watched folders, a sync of PostgreSQL and one of MariaDB send colours of 3 brands, every second unit with one of a wrong format, length, code or repeated key, or one that the engine refuses: every good batch and every good row of a file or table is stored once, after an operator has retried those that were killed three times; every bad batch is refused and every other bad row is in quarantine, with a reason that names the field; and after the bad rows were corrected, those of a folder by one file, the records are those that were sent, and nothing waits or is in quarantine.`,
  sizes: { short: { kills: 4 }, full: { kills: 100 } },
  missing: async () => {
    const program = await findMariadb()
    return 'missing' in program ? program.missing : undefined
  },
  try: async ({ kills }, task) => {
    const all = await forEngines((engine) => runChaos(engine, kills, task))
    const misses = all.flatMap((each) => each.misses)
    const counts = {
      ...sumsOf(all, 'kills', 'units', 'bad', 'retried'),
      settledMs: Math.round(Math.max(...all.map(({ settledMs }) => settledMs))),
      violations: misses.length,
    }
    const seconds = (counts.settledMs / 1_000).toFixed(1)
    return {
      measured: `${counts.kills} kills on SQLite and PostgreSQL while ${counts.units} batches, files and rows were sent, ${counts.bad} of them bad and ${counts.retried} retried after three kills; ${seconds} s after the last kill, all were corrected and nothing waited: ${counts.violations} violations.`,
      counts,
      misses: misses.slice(0, 20),
    }
  },
})
