import { check } from './check.ts'
import { type Engine, forEngines } from './engine.ts'
import { sumsOf } from './sums.ts'
import { killWatch } from './watch-kill/kills.ts'

interface Size {
  readonly kills: Readonly<Record<Engine, number>>
  /** Files dropped for each kill; an even number. */
  readonly files: number
  readonly rows: number
}

export default check<Size>({
  id: 'R38',
  claim:
    'A file that is dropped into a watched folder is imported once, whenever the watch is killed.',
  target:
    'kill -9 at 100 random times while a folder is watched with a mapping and parking, on each engine: every file is in processed/ once and recorded once, its records are stored as the last file has them, no row is parked any more, and nothing is left in working/ or failed/.',
  sizes: {
    short: { kills: { sqlite: 3, postgres: 2 }, files: 2, rows: 40 },
    full: { kills: { sqlite: 100, postgres: 100 }, files: 2, rows: 40 },
  },
  try: async ({ kills, files, rows }, task) => {
    const all = await forEngines((engine) =>
      killWatch(engine, { kills: kills[engine], files, rows }, task),
    )
    const counts = sumsOf(all, 'killed', 'files', 'processed', 'leftInWorking')
    return {
      measured: `${counts.killed} kills on SQLite and PostgreSQL while ${counts.files} files were dropped: ${counts.leftInWorking} kills left a file in working/, and ${counts.processed} files were processed once.`,
      counts,
      misses: all.flatMap(({ misses }) => misses),
    }
  },
})
