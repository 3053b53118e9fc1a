import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { guarded } from './errors.ts'

/**
 * Commits. An error does not mean that nothing was committed: the temporary tables are written after
 * the database, and that may fail. So each transaction sets a number, by which it is recognised.
 */
export interface MarkedCommit {
  /** Sets the number of the transaction. */
  mark(): void
  /** Commits. Throws only if nothing was committed. */
  execute(): void
  /**
   * A commit that fails while it is flushed to the disk may be complete in the WAL. The next process
   * that opens the database would find it there, although it was reported as failed. A transaction that
   * changes nothing takes its place in the WAL.
   */
  overwriteFailed(): void
}

/** The largest number that SQLite stores for a database. */
const maxMark = 0x7fffffff
/** A disk that fails now and then lets one of so many attempts succeed. */
const attemptsMax = 10

export const createMarkedCommit = (writer: DatabaseSync): MarkedCommit => {
  /** Numbers of transactions that were given out. */
  let marks = 0
  /** The number of the current transaction. */
  let current = 0

  const readMark = (): number =>
    (writer.prepare('pragma user_version').get() as { user_version: number }).user_version

  /** Whether the last transaction that was committed is the current one. */
  const isCommitted = (): boolean => {
    if (writer.isTransaction) return false
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      try {
        return readMark() === current
      } catch {
        // The same disk may fail to be read; it is asked again.
      }
    }
    return false
  }

  return {
    mark: () => {
      current = crc32(`${process.pid} ${performance.timeOrigin} ${marks++}`) & maxMark
      guarded(() => writer.exec(`pragma user_version = ${current}`))
    },
    execute: () => {
      try {
        guarded(() => writer.exec('commit'))
      } catch (error) {
        if (!isCommitted()) throw error
      }
    },
    overwriteFailed: () => {
      for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
        try {
          // Setting it writes its page, even if the number stays the same.
          writer.exec(`begin immediate; pragma user_version = ${readMark()}; commit`)
          return
        } catch {
          if (writer.isTransaction) writer.exec('rollback')
        }
      }
    },
  }
}
