import { stat, statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { backupAgeSeconds, isBackupLate, type LastBackup, readLastBackup } from '#backup'
import type { OperatorBackup, OperatorStorage } from '#contract'
import { type Database, DatabaseError, sqliteFilesOf } from '#database'
import type { OperatorParts } from './parts.ts'

type StorageParts = Pick<OperatorParts, 'database' | 'databaseUrl'>

/** Sizes of files and tables, as the file system and the engine know them: nothing is counted. */
export const readStorage = async (
  parts: StorageParts & Pick<OperatorParts, 'keyDatabase' | 'now'>,
): Promise<OperatorStorage> => {
  const isSqlite = parts.database.dialect.name === 'sqlite'
  const sizes = isSqlite ? await readFiles(parts) : await readServer(parts)
  const backup = await readLastBackup(parts.keyDatabase)
  return { ...sizes, lastBackup: backup && describeBackup(backup, parts.now()) }
}

/** A backup is stored as the last one when it has been verified. */
const describeBackup = (backup: LastBackup, now: number): OperatorBackup => ({
  at: backup.takenAt,
  target: backup.place,
  bytes: backup.bytes,
  verifiedAt: backup.finishedAt,
  ageSeconds: backupAgeSeconds(backup, now),
  isLate: isBackupLate(backup, now),
})

/** Bytes of the records with their indexes. */
export const recordsBytes = async ({ database, databaseUrl }: StorageParts): Promise<number> => {
  const { records } = sqliteFilesOf(databaseUrl)
  if (records !== undefined) return sizeOf(records)
  const [[row] = []] = await database.read([databaseSize])
  return Number(row?.[0] ?? 0)
}

const readFiles = async ({
  databaseUrl,
}: StorageParts): Promise<Omit<OperatorStorage, 'lastBackup'>> => {
  const named = Object.entries(sqliteFilesOf(databaseUrl))
  const files = await Promise.all(
    named.map(async ([name, path]) => ({
      name: name === 'queue' ? 'units' : name,
      path,
      bytes: await sizeOf(path),
      walBytes: await sizeOf(`${path}-wal`),
    })),
  )
  const folder = dirname(named[0]?.[1] ?? '.')
  const disk = await statfs(folder).catch(() => null)
  const sum = (read: (file: (typeof files)[number]) => number) =>
    files.reduce((before, file) => before + read(file), 0)
  return {
    engine: 'sqlite',
    files,
    freeBytes: disk && disk.bavail * disk.bsize,
    bytes: sum(({ bytes }) => bytes),
    walBytes: sum(({ walBytes }) => walBytes),
    tables: [],
    oldestSnapshotSeconds: null,
  }
}

/** A file that is missing takes no space. */
const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

/** More tables than this are left out. */
const listedTables = 20

const databaseSize = { text: 'select pg_database_size(current_database())', values: [] }

const readServer = async ({
  database,
}: StorageParts): Promise<Omit<OperatorStorage, 'lastBackup'>> => {
  const [[size] = [], tables = [], [activity] = [], [wal] = []] = await database.read([
    databaseSize,
    {
      text: [
        'select c.relname, pg_total_relation_size(c.oid), c.reltuples',
        'from pg_class as c',
        "where c.relkind in ('r', 'p') and c.relnamespace = current_schema()::regnamespace",
        'order by 2 desc, 1',
        `limit ${listedTables}`,
      ].join('\n'),
      values: [],
    },
    {
      // Of other users, the times are null unless this one may read all statistics.
      text: [
        'select extract(epoch from max(now() - xact_start))',
        'from pg_stat_activity',
        'where backend_xmin is not null and pid <> pg_backend_pid()',
        'and datname = current_database()',
      ].join('\n'),
      values: [],
    },
    { text: "select has_function_privilege('pg_ls_waldir()', 'execute')::int", values: [] },
  ])
  const mayReadWal = Number(wal?.[0]) === 1
  return {
    engine: 'postgres',
    files: [],
    freeBytes: null,
    bytes: Number(size?.[0] ?? 0),
    walBytes: mayReadWal ? await readWalBytes(database) : null,
    tables: tables.map(([name, bytes, rows]) => ({
      name: String(name),
      aboutBytes: Number(bytes),
      // -1 before the first statistics.
      aboutRows: Math.max(0, Math.round(Number(rows))),
    })),
    oldestSnapshotSeconds: Math.round(Number(activity?.[0] ?? 0)),
  }
}

const readWalBytes = async (database: Database): Promise<number | null> => {
  try {
    const text = 'select coalesce(sum(size), 0) from pg_ls_waldir()'
    const [[row] = []] = await database.read([{ text, values: [] }])
    return Number(row?.[0] ?? 0)
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error
    return null
  }
}
