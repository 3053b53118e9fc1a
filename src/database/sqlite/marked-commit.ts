import type { DatabaseSync } from 'node:sqlite'
import { crc32 } from 'node:zlib'
import { guarded } from './errors.ts'

/**
 * Commits. An error does not mean that nothing was committed: SQLite writes the temporary tables
 * after the database, and that may fail. So each transaction sets a number that identifies it.
 */
export interface MarkedCommit {
  /** Sets the transaction's number. */
  mark(): void
  /** Commits. Throws only if nothing was committed. */
  execute(): void
  /**
   * A commit that fails during its flush may be complete in the WAL. The next process that opens
   * the database would find it there, although it was reported as failed. This overwrites it in the
   * WAL with a transaction that changes nothing.
   */
  overwriteFailed(): void
}

/** SQLite's maximum for this number. */
const maxMark = 0x7fffffff
/** A disk that fails intermittently lets one of this many attempts succeed. */
const attemptsMax = 10

export const createMarkedCommit = (writer: DatabaseSync): MarkedCommit => {
  /** Number of transactions so far. */
  let marks = 0
  let current = 0

  const readMark = (): number =>
    (writer.prepare('pragma user_version').get() as { user_version: number }).user_version

  /** Whether the last committed transaction is the current one. */
  const isCommitted = (): boolean => {
    if (writer.isTransaction) return false
    for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
      try {
        return readMark() === current
      } catch {
        // The same disk may fail to read; retry.
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
