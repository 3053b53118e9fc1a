import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { formatHead, type RecordAudit, verifyChain } from '#audit'
import { catalog } from '#contract'
import {
  type Database,
  type Dialect,
  databaseIn,
  findSqliteDamage,
  lockSqliteFiles,
  openDatabase,
  openKeyDatabase,
  openQueueDatabase,
  quote,
  replacedFilesOf,
  replaceFiles,
  type Session,
} from '#database'
import { countRecords, findAdditions, readTotals, recordRestore } from '#store'
import { readArchive } from './archive-reader.ts'
import { BackupError, damaged } from './backup-error.ts'
import { type LoadProgress, loadPostgres, loadSqlite, unpackSqlite } from './load-archive.ts'
import type { BackupManifest } from './manifest.ts'
import { isBackedUp, isLeftOut } from './postgres-source.ts'
import { countDifference } from './state.ts'
import { createTableLoader } from './table-loader.ts'
import { openTemporaryFolder } from './temporary-folder.ts'

/** The databases of an installation. On PostgreSQL they are one. */
export interface InstallationDatabases {
  readonly records: Database
  readonly keys: Database
  readonly queue: Database
}

export interface RestoreParts {
  readonly databaseUrl: string
  /** Opens the database at the address, as a server does. */
  readonly open: () => Database
  /** Reads the archive from its beginning. */
  readonly archive: () => AsyncIterable<Uint8Array>
  readonly secret: Uint8Array | null
  /** Creates all tables of this version in empty databases. */
  readonly createTables: (databases: InstallationDatabases) => Promise<void>
  /** Makes units of a restored queue wait that were worked on when the backup was made. */
  readonly forgetClaims: (queue: Database) => Promise<void>
  readonly recordAudit: (dialect: Dialect) => RecordAudit
  /** The number of the last change of the database that is replaced; 0 if it is not known. */
  readonly newestChange: number
  /** Whether to check everything, which reads all rows. */
  readonly checksAll: boolean
  readonly temporaryFolder: string
  readonly now: () => number
  readonly onProgress: LoadProgress
}

/**
 * Replaces an installation by a backup, of either engine. Reads and checks the whole archive first.
 * Until the end, a killed process leaves the installation as it was. Throws `BackupError`.
 */
export const restoreBackup = async (parts: RestoreParts): Promise<BackupManifest> => {
  const manifest = await readArchive(parts.archive(), { secret: parts.secret })
  await (parts.databaseUrl.startsWith('sqlite:')
    ? restoreToSqlite(parts, manifest)
    : restoreToPostgres(parts, manifest))
  return manifest
}

const restoreToSqlite = async (parts: RestoreParts, manifest: BackupManifest): Promise<void> => {
  const files = replacedFilesOf(parts.databaseUrl)
  const records = files['records.db'] ?? ''
  await mkdir(dirname(records), { recursive: true })
  const unlock = lockSqliteFiles(Object.values(files))
  try {
    await removeLeftOver(records)
    // On the same disk, so that the files can be renamed. Only its owner can open it.
    const folder = await mkdtemp(`${records}.restoring-`)
    try {
      if (manifest.engine === 'sqlite') {
        requireSame(manifest, await unpackSqlite(loadOf(parts), folder))
      }
      await withDatabases(folder, async (databases) => {
        if (manifest.engine === 'postgres') await fillSqlite(parts, manifest, databases)
        await migrate(parts, manifest, databases)
        await databases.records.write((session) =>
          complete(parts, manifest, databases.records, session),
        )
        await parts.forgetClaims(databases.queue)
        await removeLeftOut(databases.keys)
        await check(parts, manifest, databases)
      })
      if (parts.checksAll) checkFiles(folder, Object.keys(files))
      replaceFiles(folder, records, files)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  } finally {
    unlock()
  }
}

/** Folders of restores that were killed. No other restore runs: the files are locked. */
const removeLeftOver = async (records: string): Promise<void> => {
  const folder = dirname(records)
  const prefix = `${basename(records)}.restoring-`
  for (const name of await readdir(folder)) {
    if (name.startsWith(prefix)) await rm(join(folder, name), { recursive: true, force: true })
  }
}

/** Opens the files in a folder, and closes them, so that no other files stay beside them. */
const withDatabases = async <T>(
  folder: string,
  work: (databases: InstallationDatabases) => Promise<T>,
): Promise<T> => {
  const url = `sqlite:${join(folder, 'records.db')}`
  const records = openDatabase(url)
  const keys = openKeyDatabase(url, records)
  const queue = openQueueDatabase(url, records)
  try {
    return await work({ records, keys, queue })
  } finally {
    for (const database of [queue, keys, records]) await database.close()
  }
}

/** Lets an earlier version's tables become those of this one, and creates missing ones. */
const migrate = async (
  { createTables }: RestoreParts,
  manifest: BackupManifest,
  databases: InstallationDatabases,
): Promise<void> => {
  await refuseNewer(manifest, databases.records)
  await createTables(databases)
}

const refuseNewer = async (manifest: BackupManifest, records: Database): Promise<void> => {
  const additions = await findAdditions(catalog, records)
  if (additions.length === 0) return
  throw new BackupError(
    `The backup was made by a newer version of Selvedge (${manifest.release}), which has added ${additions.slice(0, 3).join(', ')}. Nothing was restored. Upgrade this program, then try again.`,
  )
}

/** The archive is read twice. A backup that is made meanwhile may have replaced it. */
const requireSame = (checked: BackupManifest, loaded: BackupManifest): void => {
  if (JSON.stringify(loaded) === JSON.stringify(checked)) return
  throw new BackupError(
    'The backup was replaced by another one while it was read. Nothing was restored. Try again.',
  )
}

const fillSqlite = async (
  parts: RestoreParts,
  manifest: BackupManifest,
  { records, keys, queue }: InstallationDatabases,
): Promise<void> => {
  await parts.createTables({ records, keys, queue })
  await keys.write((keySession) =>
    queue.write((queueSession) =>
      records.write(async (session) => {
        const loader = await createTableLoader({
          keys: { database: keys, session: keySession },
          queue: { database: queue, session: queueSession },
          records: { database: records, session },
        })
        requireSame(manifest, await loadPostgres(loadOf(parts), loader))
      }),
    ),
  )
}

const restoreToPostgres = async (parts: RestoreParts, manifest: BackupManifest): Promise<void> => {
  const database = parts.open()
  const folder =
    manifest.engine === 'sqlite'
      ? await openTemporaryFolder(parts.temporaryFolder, parts.now())
      : null
  try {
    await refuseOthers(database)
    if (folder) {
      requireSame(manifest, await unpackSqlite(loadOf(parts), folder.path))
      await withDatabases(folder.path, (databases) => migrate(parts, manifest, databases))
    }
    await database.write(async (session) => {
      const inside = databaseIn(database, session)
      const databases = { records: inside, keys: inside, queue: inside }
      await dropTables(inside, session)
      await parts.createTables(databases)
      const target = { database: inside, session }
      const loader = await createTableLoader({ records: target, keys: target, queue: target })
      if (folder) await loadSqlite(folder.path, target, loader, parts.onProgress)
      else requireSame(manifest, await loadPostgres(loadOf(parts), loader))
      await migrate(parts, manifest, databases)
      await complete(parts, manifest, inside, session)
      await parts.forgetClaims(inside)
      await removeLeftOut(inside)
      await check(parts, manifest, databases)
    })
  } finally {
    await folder?.close()
    await database.close()
  }
}

/** Connections that are older than this process belong to others. */
const refuseOthers = async (database: Database): Promise<void> => {
  const [[row = []] = []] = await database.read([
    {
      text: [
        'select count(*)',
        'from pg_stat_activity',
        "where datname = current_database() and application_name = 'selvedge'",
        "and backend_start < clock_timestamp() - ?1 * interval '1 millisecond'",
      ].join('\n'),
      values: [Math.ceil(performance.now()) + 1],
    },
  ])
  const others = Number(row[0] ?? 0)
  if (others === 0) return
  throw new BackupError(
    `Servers or commands use the database: it has ${others} other connections of Selvedge. Nothing was restored. Stop them, then try again.`,
  )
}

const dropTables = async (database: Database, session: Session): Promise<void> => {
  const names = [...(await database.tables()).keys()].filter(isBackedUp)
  if (names.length === 0) return
  await session.run({ text: `drop table ${names.map(quote).join(', ')}`, values: [] })
}

/** What a restored database has besides the rows of the backup. */
const complete = async (
  { newestChange, recordAudit }: RestoreParts,
  manifest: BackupManifest,
  records: Database,
  session: Session,
): Promise<void> => {
  await recordRestore(session, records.dialect, newestChange)
  const { takenAt, release, engine, method, change } = manifest
  await recordAudit(records.dialect)(session, {
    action: 'database.restored',
    details: { takenAt, release, engine, method, change, replacedChange: newestChange },
  })
}

/** Sessions of operators end with a restore, and the last backup has another state. */
const removeLeftOut = async (keys: Database): Promise<void> => {
  const names = [...(await keys.tables()).keys()].filter(isLeftOut)
  if (names.length === 0) return
  await keys.write((session) => session.runAll(names.map((name) => `delete from ${quote(name)}`)))
}

const check = async (
  { checksAll }: RestoreParts,
  { counts }: BackupManifest,
  { records, keys }: InstallationDatabases,
): Promise<void> => {
  const all = async (query: Parameters<Session['all']>[0]) => (await records.read([query]))[0] ?? []
  const counted = { tables: records.tables, all }
  const difference =
    countDifference(counts, await readTotals(counted)) ??
    (checksAll ? countDifference(counts, await countRecords(catalog, counted)) : undefined)
  if (difference !== undefined) throw damaged(difference)
  if (!checksAll) return
  const { problem, head } = await verifyChain(keys)
  if (problem)
    throw damaged(`its audit log is not whole after ${formatHead(head)}: ${problem.reason}`)
}

const checkFiles = (folder: string, names: readonly string[]): void => {
  for (const name of names) {
    const [problem] = findSqliteDamage(join(folder, name))
    if (problem !== undefined) throw damaged(`SQLite finds in ${name}: ${problem}`)
  }
}

const loadOf = ({ archive, secret, onProgress }: RestoreParts) => ({
  archive: archive(),
  secret,
  onProgress,
})
