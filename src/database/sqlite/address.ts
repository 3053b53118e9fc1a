/** A parsed SQLite address: `sqlite:./data/selvedge.db?query-ms=1000`. */
export interface SqliteAddress {
  readonly file: string
  /** How long a read in steps may take; undefined if the address does not say. */
  readonly queryMs: number | undefined
}

// Any other question mark is part of the file's name.
const form = /^sqlite:(?<file>.+?)(?:\?query-ms=(?<queryMs>.*))?$/s

/** The range of `query-ms`, the same as in the address of a PostgreSQL database. */
const [queryMsLeast, queryMsMost] = [10, 60_000]

/** Parses an address, or returns what is wrong with it, as part of a sentence. */
export const readSqliteAddress = (url: string): SqliteAddress | string => {
  const { groups } = form.exec(url) ?? {}
  if (!groups) return 'must be sqlite:<file>, such as sqlite:./data/selvedge.db'
  const { file = '', queryMs } = groups
  if (queryMs === undefined) return { file, queryMs }
  const ms = /^\d{1,7}$/.test(queryMs) ? Number(queryMs) : Number.NaN
  return ms >= queryMsLeast && ms <= queryMsMost
    ? { file, queryMs: ms }
    : `has a query-ms that is not a whole number from ${queryMsLeast} to ${queryMsMost}`
}
