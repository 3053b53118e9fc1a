import { realpathSync } from 'node:fs'
import { join, parse } from 'node:path'
import { loadModule } from '#installation'
import type { Database } from './database.ts'
import { readPostgresAddress } from './postgres/address.ts'
import type { openPostgres } from './postgres/postgres.ts'
import { readSqliteAddress, type SqliteAddress } from './sqlite/address.ts'
import { openSqlite } from './sqlite/sqlite.ts'

export interface OpenOptions {
  /** How long a writer waits for another one. */
  readonly writeWaitMs?: number
  /** Whether a file that does not exist is created; true by default. */
  readonly creates?: boolean
  /** How long a read may take on SQLite, unless the address has `query-ms`. */
  readonly queryMs?: number
  /** Megabytes of pages that the writer of a SQLite file keeps in memory; 8 by default. */
  readonly writeCacheMb?: number
  /** Whether a thread copies the write-ahead log of a SQLite file into it; false by default. */
  readonly checkpointsInThread?: boolean
}

/** What is wrong with a database address, as part of a sentence; undefined when it can be used. */
export const checkDatabaseUrl = (url: string): string | undefined => {
  if (!/^(sqlite:.|postgres(ql)?:)/s.test(url)) {
    return 'must be sqlite:<file>, such as sqlite:./data/selvedge.db, or postgres://user:password@host:5432/database'
  }
  const address = isSqlite(url) ? readSqliteAddress(url) : readPostgresAddress(url)
  return typeof address === 'string' ? address : undefined
}

/** Opens the database at an address: `sqlite:./data/selvedge.db`, or `postgres://…`. */
export const openDatabase = (url: string, options: OpenOptions = {}): Database => {
  const problem = checkDatabaseUrl(url)
  if (problem) throw new RangeError(`The database address ${problem}.`)
  if (!isSqlite(url)) return loadPostgres().openPostgres(url, options)
  const { file, queryMs } = sqliteAddress(url)
  return openSqlite(file, { ...options, ...(queryMs !== undefined && { queryMs }) })
}

const isSqlite = (url: string): boolean => url.startsWith('sqlite:')

const sqliteAddress = (url: string): SqliteAddress => {
  const address = readSqliteAddress(url)
  if (typeof address === 'string') throw new RangeError(`The database address ${address}.`)
  return address
}

/** The file of the address of a SQLite database. */
export const sqliteFileOf = (url: string): string => sqliteAddress(url).file

/** Loaded when it is needed: it takes 5 MB, and more time than opening a SQLite file. */
const loadPostgres = () =>
  loadModule('database/postgres/postgres.ts') as { readonly openPostgres: typeof openPostgres }

/**
 * Opens the database of the keys. They must not wait for an import, which holds the records' write
 * lock from its first row to its last. SQLite locks a whole file, so keys have a file of their own
 * beside the records. In PostgreSQL they are in the same database, under another lock. `records` must
 * stay open as long as this is in use.
 */
export const openKeyDatabase = (
  url: string,
  records: Database,
  options: OpenOptions = {},
): Database =>
  isSqlite(url)
    ? openSqlite(keyFileOf(sqliteFileOf(url)), options)
    : {
        ...records,
        write: (work) => records.write(work, 'keys'),
        close: async () => undefined,
      }

/** `selvedge.keys.db` for `selvedge.db`: one file, also where the database is opened by a link. */
export const keyFileOf = (file: string): string => fileBeside(file, 'keys')

/**
 * Opens the database of the batches that wait to be stored. Accepting one must not wait for an import,
 * so they are kept apart from the records in the same way as the keys.
 */
export const openQueueDatabase = (url: string, records: Database): Database =>
  isSqlite(url)
    ? openSqlite(fileBeside(sqliteFileOf(url), 'queue'))
    : {
        ...records,
        write: (work) => records.write(work, 'queue'),
        close: async () => undefined,
      }

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
