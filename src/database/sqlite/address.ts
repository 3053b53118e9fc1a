/** A parsed SQLite address: `sqlite:./data/selvedge.db?query-ms=1000`. */
export interface SqliteAddress {
  readonly file: string
  /** Time limit of a read in steps; undefined if the address has none. */
  readonly queryMs: number | undefined
}

// Any other question mark is part of the file name.
const form = /^sqlite:(?<file>.+?)(?:\?query-ms=(?<queryMs>.*))?$/s

/** The range of `query-ms`, as in a PostgreSQL address. */
const [queryMsLeast, queryMsMost] = [10, 60_000]

/** Parses an address, or returns its problem as part of a sentence. */
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
