import { check } from './check.ts'
import { type Engine, forEngines } from './engine.ts'
import { sumsOf } from './sums.ts'
import { type UpgradeSize, upgradeUnderLoad } from './upgrade/upgrade.ts'

export default check<Readonly<Record<Engine, UpgradeSize>>>({
  id: 'R18',
  claim:
    'A newer version can migrate a database while it is being served, and the older version cannot damage it.',
  target:
    'A million records on SQLite and 300,000 on PostgreSQL are migrated to a version with one more field, two more filters, and one more field to sort by and to search for while 8 clients read: no request fails; a migration that is killed leaves the old records or the new ones, with their search index; of two concurrent migrations, one runs. The new filters find records that the older version imported before the migration; an import by the older version after it is rejected with the reason; readers of the older version, running or started after it, find every record.',
  sizes: {
    short: {
      sqlite: { rows: 2_000, kills: 1, killMs: 100 },
      postgres: { rows: 1_000, kills: 1, killMs: 300 },
    },
    full: {
      sqlite: { rows: 1_000_000, kills: 5, killMs: 15_000 },
      postgres: { rows: 300_000, kills: 3, killMs: 15_000 },
    },
  },
  try: async (sizes, task) => {
    const all = await forEngines((engine) => upgradeUnderLoad(engine, sizes[engine], task))
    const sums = sumsOf(all, 'kills', 'imported', 'refused', 'answered', 'failed')
    const [sqlite, postgres] = all
    const slowestMs = Math.max(...all.map((each) => each.slowestMs))
    return {
      measured: `${sizes.sqlite.rows.toLocaleString('en')} records on SQLite in ${sqlite?.seconds.toFixed(1)} s, ${sizes.postgres.rows.toLocaleString('en')} on PostgreSQL in ${postgres?.seconds.toFixed(1)} s, ${sums.kills} migrations killed before: ${sums.answered.toLocaleString('en')} requests served in the meantime, the slowest in ${slowestMs.toFixed(0)} ms, ${sums.failed} failed. Of imports by the older version ${sums.imported} came before the upgrade was done and were found by the new filter, and ${sums.refused} came after it and were refused.`,
      counts: {
        rows: sizes.sqlite.rows + sizes.postgres.rows,
        ...sums,
        slowestMs: Math.round(slowestMs),
      },
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})
