import { DatabaseError } from '../errors.ts'

/**
 * Before this version, several writing processes could corrupt a database when its write-ahead log
 * restarted from its beginning.
 */
const oldestSqlite = '3.51.3'

/** Refuses to open a file with a SQLite that can corrupt it. */
export const requireSqlite = (version: string | undefined = process.versions['sqlite']): void => {
  if (version !== undefined && numberOf(version) >= numberOf(oldestSqlite)) return
  throw new DatabaseError(
    `This Node (${process.versions.node}) carries SQLite ${version ?? 'of an unknown version'}, which can corrupt a database that several processes use. Selvedge needs SQLite ${oldestSqlite} or newer. Run it with bin/selvedge.mjs after npm install, which brings a Node that fits, or install the newest Node.`,
  )
}

/** Converts 3.51.3 to 3051003, SQLite's own version number. */
const numberOf = (version: string): number => {
  const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number)
  return major * 1_000_000 + minor * 1_000 + patch
}
