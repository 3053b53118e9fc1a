import { findDebianPostgres } from '../test/support/debian-postgres.ts'
import { type KillFigures, type KillSize, killBackups } from './backup/kills.ts'
import { senders } from './backup/load.ts'
import { copies, copyNames } from './backup/place.ts'
import { type RecoverySize, recover } from './backup/recovery.ts'
import { check } from './check.ts'
import { type Engine, engineNames, engines, forEngines } from './engine.ts'
import { sumsOf } from './sums.ts'

export const backup = check<KillSize>({
  id: 'R47',
  claim:
    'Every backup that looks complete restores one committed state of records, units and keys.',
  target: `kill -9 of the command at 50 random moments with SQLite, with PostgreSQL, and with PostgreSQL and Debian's pg_dump, once or again and again with --every, and of the server in every second run, while ${senders} senders send batches, imports run and keys are issued: every file with the name of a backup is restored into an empty place and verified; it has every write that was acknowledged before the backup began, none in part, and none that began after the acknowledgement of one that it has not; accepted batches are stored or wait in it, and a server stores and serves them; no unfinished file or folder is left by the next backup.`,
  sizes: { short: { kills: 2, orders: 5 }, full: { kills: 50, orders: 200 } },
  missing: async () => {
    const program = await findDebianPostgres()
    return 'missing' in program ? program.missing : undefined
  },
  try: async (size, task) => {
    const all: KillFigures[] = []
    for (const copy of copyNames) all.push(await killBackups(copy, size, task))
    const misses = all.flatMap((each) => each.misses)
    const counts = {
      ...sumsOf(all, 'kills', 'serverKills', 'complete', 'waiting', 'writes'),
      violations: misses.length,
    }
    return {
      measured: `${counts.kills} backups and ${counts.serverKills} servers killed with ${Object.values(copies).join(', ')}, beside ${counts.writes.toLocaleString('en')} writes: ${counts.complete} backups were complete, restored, verified and served, with ${counts.waiting} accepted batches that waited in them; ${counts.violations} violations.`,
      counts,
      misses: misses.slice(0, 20),
    }
  },
})

/** A minute of which most is the transfer of the archive is no longer than a person needs to notice. */
const servedMsMax = 600_000

export const recovery = check<RecoverySize>({
  id: 'R47',
  claim: 'After the loss of a disk, a million records are served again within minutes.',
  target: `A million records with SQLite and with PostgreSQL, backups with --every 1m while ${senders} senders send batches, and the disk is lost at the worst moment, just before the next backup is complete: what is lost is not older than the interval and the time of one backup, and at most ${servedMsMax / 60_000} minutes after the start of selvedge restore --verify on an empty machine a server answers with all records.`,
  sizes: { short: { rows: 2_000, backups: 2 }, full: { rows: 1_000_000, backups: 4 } },
  try: async (size, task) => {
    const all = await forEngines((engine) => recover(engine, size, task))
    const misses = all.flatMap((each) => each.misses)
    const seconds = (ms: number) => (ms / 1_000).toFixed(0)
    const of = (words: (figures: (typeof all)[number]) => string) =>
      engines.map((engine, index) => {
        const figures = all[index]
        return figures ? `${words(figures)} with ${engineNames[engine]}` : ''
      })
    for (const [index, { servedMs }] of all.entries()) {
      const engine: Engine = engines[index] ?? 'sqlite'
      if (servedMs > servedMsMax) {
        misses.push(`${engineNames[engine]}: served after ${seconds(servedMs)} s.`)
      }
    }
    const [sqlite, postgres] = all
    return {
      measured: `${size.rows.toLocaleString('en')} records and a backup every 60 s: at most ${of(({ lostMs }) => `${seconds(lostMs)} s`).join(' and ')} were lost, and the records were served again ${of(({ servedMs }) => `${seconds(servedMs)} s`).join(' and ')} after the start of the restore. A backup took ${of(({ backupMs }) => `${seconds(backupMs)} s`).join(' and ')}.`,
      counts: {
        rows: size.rows,
        sqliteLostMs: Math.round(sqlite?.lostMs ?? 0),
        postgresLostMs: Math.round(postgres?.lostMs ?? 0),
        sqliteServedMs: Math.round(sqlite?.servedMs ?? 0),
        postgresServedMs: Math.round(postgres?.servedMs ?? 0),
        sqliteBackupMs: Math.round(sqlite?.backupMs ?? 0),
        postgresBackupMs: Math.round(postgres?.backupMs ?? 0),
      },
      misses,
    }
  },
})
