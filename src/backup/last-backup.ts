import type { Database, Session } from '#database'

/** The last backup that was verified. */
export interface LastBackup {
  /** The time of the state that it has. */
  readonly takenAt: string
  readonly finishedAt: string
  /** Where it is, without secrets. */
  readonly place: string
  readonly bytes: number
  readonly durationMs: number
  /** The interval of the command that made it; null if it ran once. */
  readonly everySeconds: number | null
}

const table = 'selvedge_backups'
const columns =
  '"taken_at", "finished_at", "place", "bytes", "duration_ms", "every_seconds"' as const

/** Creates the table in the database of the keys, so that writing to it waits for no import. */
export const createBackupTable = async (database: Database): Promise<void> => {
  if ((await database.tables()).has(table)) return
  const { integer } = database.dialect
  await database.write((session) =>
    session.runAll([
      `create table if not exists "${table}" (
        "id" ${integer} primary key,
        "taken_at" text not null,
        "finished_at" text not null,
        "place" text not null,
        "bytes" ${integer} not null,
        "duration_ms" ${integer} not null,
        "every_seconds" ${integer}
      )`,
    ]),
  )
}

/** Stores a backup as the last one, in a table that exists. */
export const storeLastBackup = async (session: Session, backup: LastBackup): Promise<void> => {
  await session.run({
    text: `insert into "${table}" ("id", ${columns})
      values (1, ?1, ?2, ?3, ?4, ?5, ?6)
      on conflict ("id") do update
      set "taken_at" = excluded."taken_at",
        "finished_at" = excluded."finished_at",
        "place" = excluded."place",
        "bytes" = excluded."bytes",
        "duration_ms" = excluded."duration_ms",
        "every_seconds" = excluded."every_seconds"`,
    values: [
      backup.takenAt,
      backup.finishedAt,
      backup.place,
      backup.bytes,
      backup.durationMs,
      backup.everySeconds,
    ],
  })
}

/** Reads the last backup, null if there was none, again and again at little cost. */
export const createLastBackupReader = (
  database: Pick<Database, 'tables' | 'read'>,
): (() => Promise<LastBackup | null>) => {
  let hasTable = false
  return async () => {
    hasTable ||= (await database.tables()).has(table)
    return hasTable ? readRow(database) : null
  }
}

/** Null if there was none. */
export const readLastBackup = (
  database: Pick<Database, 'tables' | 'read'>,
): Promise<LastBackup | null> => createLastBackupReader(database)()

const readRow = async (database: Pick<Database, 'read'>): Promise<LastBackup | null> => {
  const [rows = []] = await database.read([
    { text: `select ${columns} from "${table}" where "id" = 1`, values: [] },
  ])
  const [row] = rows
  if (!row) return null
  const [takenAt, finishedAt, place, bytes, durationMs, everySeconds = null] = row
  return {
    ...{ takenAt: String(takenAt), finishedAt: String(finishedAt), place: String(place) },
    ...{ bytes: Number(bytes), durationMs: Number(durationMs) },
    everySeconds: everySeconds === null ? null : Number(everySeconds),
  }
}

/** Two intervals: one that failed is tried again at the next. */
const lateFactor = 2

export const backupAgeSeconds = ({ takenAt }: LastBackup, now: number): number =>
  Math.max(0, Math.round((now - Date.parse(takenAt)) / 1_000))

/** Whether a schedule has failed, or has ended. */
export const isBackupLate = (backup: LastBackup, now: number): boolean =>
  backup.everySeconds !== null && backupAgeSeconds(backup, now) > lateFactor * backup.everySeconds
