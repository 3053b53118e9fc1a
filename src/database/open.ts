import type { Database } from './database.ts'
import { openPostgres } from './postgres.ts'
import { readPostgresAddress } from './postgres-address.ts'
import { openSqlite } from './sqlite.ts'

export interface OpenOptions {
  /** How long a writer waits for another one. */
  readonly writeWaitMs?: number
  /** Whether a file that is not there is created; it is by default. */
  readonly creates?: boolean
}

/** What is wrong with a database address, in a sentence; nothing when it can be used. */
export const checkDatabaseUrl = (url: string): string | undefined => {
  if (/^sqlite:.+/.test(url)) return undefined
  if (!/^postgres(ql)?:/.test(url)) {
    return 'must be sqlite:<file>, such as sqlite:./data/selvedge.db, or postgres://user:password@host:5432/database'
  }
  const address = readPostgresAddress(url)
  return typeof address === 'string' ? address : undefined
}

/** Opens the database at an address: `sqlite:./data/selvedge.db`, or `postgres://…`. */
export const openDatabase = (url: string, options: OpenOptions = {}): Database => {
  const problem = checkDatabaseUrl(url)
  if (problem) throw new RangeError(`The database address ${problem}.`)
  return url.startsWith('sqlite:')
    ? openSqlite(url.slice('sqlite:'.length), options)
    : openPostgres(url, options)
}
