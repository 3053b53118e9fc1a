import { realpathSync } from 'node:fs'
import { join, parse } from 'node:path'
import { loadModule } from '#installation'
import type { Database } from './database.ts'
import type { HoldLimits } from './held-snapshots.ts'
import type { HostMemory } from './hosts.ts'
import { readPostgresAddress } from './postgres/address.ts'
import type { openPostgres } from './postgres/postgres.ts'
import type { openPostgresState as OpenPostgresState } from './postgres/table-copy.ts'
import { readSqliteAddress, type SqliteAddress } from './sqlite/address.ts'
import { finishReplacement, type ReplacedFiles } from './sqlite/replace-files.ts'
import { inspectSqlite, openSqlite, type SqliteOptions } from './sqlite/sqlite.ts'

export interface OpenOptions {
  /** How long a writer waits for another writer. */
  readonly writeWaitMs?: number
  /** Whether to create a missing file; true by default. */
  readonly creates?: boolean
  /** Time limit of a read on SQLite, unless the address has `query-ms`. */
  readonly queryMs?: number
  /** Page cache of the SQLite writer in megabytes; 8 by default. */
  readonly writeCacheMb?: number
  /** Whether a thread runs the WAL checkpoints of a SQLite file; false by default. */
  readonly checkpointsInThread?: boolean
  /** When long reads are ended because of what is written during them; by default, see the engine. */
  readonly holdLimits?: HoldLimits
  /** Keeps the highest timeline of PostgreSQL servers; closed with the database. */
  readonly memory?: HostMemory
  /** Receives sentences for the log about PostgreSQL servers. */
  readonly onNotice?: (level: 'info' | 'warn', sentence: string) => void
}

/** The problem with a database address, as part of a sentence; undefined if it is valid. */
export const checkDatabaseUrl = (url: string): string | undefined => {
  if (!/^(sqlite:.|postgres(ql)?:)/s.test(url)) {
    return 'must be sqlite:<file>, such as sqlite:./data/selvedge.db, or postgres://user:password@host:5432/database'
  }
  const address = isSqlite(url) ? readSqliteAddress(url) : readPostgresAddress(url)
  return typeof address === 'string' ? address : undefined
}

/** A database that is only looked at. */
export type InspectedDatabase = Pick<
  Database,
  'tables' | 'read' | 'checkServing' | 'hosts' | 'close'
>

/**
 * Fixes one state of the tables of a PostgreSQL database whose names pass. Loaded on demand, as
 * `openPostgres` is.
 */
export const openPostgresState: typeof OpenPostgresState = async (...parts) =>
  (await import('./postgres/table-copy.ts')).openPostgresState(...parts)

/** Opens a database to look at it. Writes nothing, and leaves no files beside one of SQLite. */
export const inspectDatabase = (url: string, options: OpenOptions = {}): InspectedDatabase =>
  isSqlite(url) ? inspectSqlite(restoredFileOf(url)) : openDatabase(url, options)

/** Opens the database at an address: `sqlite:./data/selvedge.db`, or `postgres://…`. */
export const openDatabase = (url: string, options: OpenOptions = {}): Database => {
  const problem = checkDatabaseUrl(url)
  if (problem) throw new RangeError(`The database address ${problem}.`)
  if (!isSqlite(url)) return loadPostgres().openPostgres(url, options)
  const { queryMs } = sqliteAddress(url)
  return openSqlite(restoredFileOf(url), { ...options, ...(queryMs !== undefined && { queryMs }) })
}

const isSqlite = (url: string): boolean => url.startsWith('sqlite:')

const sqliteAddress = (url: string): SqliteAddress => {
  const address = readSqliteAddress(url)
  if (typeof address === 'string') throw new RangeError(`The database address ${address}.`)
  return address
}

/** The file of a SQLite address. */
export const sqliteFileOf = (url: string): string => sqliteAddress(url).file

/**
 * The file of a SQLite address, after a restore that was killed at its end has been completed. For
 * everything that opens the files, or asks whether they exist.
 */
export const restoredFileOf = (url: string): string => {
  const file = sqliteFileOf(url)
  finishReplacement(realPathOf(file), () => replacedFilesOf(url))
  return file
}

/** The files of a SQLite address, by the names that they have in the folder of a restore. */
export const replacedFilesOf = (url: string): ReplacedFiles => {
  const file = sqliteFileOf(url)
  return {
    'records.keys.db': keyFileOf(file),
    'records.queue.db': queueFileOf(file),
    'records.db': realPathOf(file),
  }
}

/** Loaded on demand: it takes 5 MB, and more time than opening a SQLite file. */
const loadPostgres = () =>
  loadModule('database/postgres/postgres.ts') as { readonly openPostgres: typeof openPostgres }

/**
 * Opens the key database. Keys must not wait for an import, which holds the records' write lock
 * from its first row to its last. SQLite locks a whole file, so keys have a separate file beside
 * the records. In PostgreSQL they are in the same database, under another lock. `records` must stay
 * open while this is in use.
 */
export const openKeyDatabase = (
  url: string,
  records: Database,
  options: OpenOptions = {},
): Database =>
  isSqlite(url)
    ? openSqlite(keyFileOf(restoredFileOf(url)), options)
    : {
        ...records,
        write: (work) => records.write(work, 'keys'),
        close: async () => undefined,
      }

/** `selvedge.keys.db` for `selvedge.db`. A link to the database leads to the same key file. */
export const keyFileOf = (file: string): string => fileBeside(file, 'keys')

/**
 * Opens the database of units of work. Accepting a batch must not wait for an import, so the queue
 * is separate from the records, like the keys.
 */
export const openQueueDatabase = (
  url: string,
  records: Database,
  options: Pick<SqliteOptions, 'creates' | 'readOnly'> = {},
): Database =>
  isSqlite(url)
    ? openSqlite(queueFileOf(restoredFileOf(url)), options)
    : {
        ...records,
        write: (work) => records.write(work, 'queue'),
        close: async () => undefined,
      }

/** The files of a SQLite address, by what they contain; none on PostgreSQL. */
export const sqliteFilesOf = (url: string): { readonly [database: string]: string } => {
  if (!isSqlite(url)) return {}
  const file = sqliteFileOf(url)
  return { records: realPathOf(file), keys: keyFileOf(file), queue: queueFileOf(file) }
}

const queueFileOf = (file: string): string => fileBeside(file, 'queue')

const fileBeside = (file: string, what: string): string => {
  const { dir, name, ext } = parse(realPathOf(file))
  return join(dir, `${name}.${what}${ext}`)
}

const realPathOf = (file: string): string => {
  try {
    return realpathSync(file)
  } catch {
    // It does not exist yet.
    return file
  }
}
