import type { Database } from './database.ts'
import { openSqlite, type SqliteOptions } from './sqlite.ts'

/** What is wrong with a database address, in a sentence; nothing when it can be used. */
export const checkDatabaseUrl = (url: string): string | undefined =>
  /^sqlite:.+/.test(url) ? undefined : 'must be sqlite:<file>, such as sqlite:./data/selvedge.db'

/** Opens the database at an address such as `sqlite:./data/selvedge.db`. */
export const openDatabase = (url: string, options: SqliteOptions = {}): Database => {
  const problem = checkDatabaseUrl(url)
  if (problem) throw new RangeError(`The database address ${problem}.`)
  return openSqlite(url.slice('sqlite:'.length), options)
}
