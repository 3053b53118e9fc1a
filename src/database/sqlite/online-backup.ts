import { resolve } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { DatabaseBusyError } from '../errors.ts'
import { connect } from './connection.ts'
import { guarded, isBusy, toDatabaseError } from './errors.ts'
import { requireSqlite } from './version.ts'

/** One state of several SQLite files, held by a read transaction on each until it is closed. */
export interface SqliteState {
  /** When it was the newest one. */
  readonly at: number
  /** Size of all copies. */
  readonly bytes: number
  /** Copies a file, and calls `onCopied` with the bytes of it so far. Writers continue meanwhile. */
  copy(file: string, to: string, onCopied: (bytes: number) => void): Promise<void>
  close(): void
}

export interface SqliteStateParts {
  /** The file whose writers are not waited for: an import holds its lock for as long as it takes. */
  readonly unlocked: string
  /** Files with short transactions only. Their writers are kept out while the state is fixed. */
  readonly locked: readonly string[]
  readonly now: () => number
  /** How long to wait for the locks. */
  readonly waitMs: number
}

const lockPollMs = 5
/** Pages of 16 KB that a thread copies at once. More would not be faster. */
const pagesPerStep = 256

/**
 * Fixes one state of all files. SQLite has no transaction over several files in which readers
 * continue, so it takes the write locks of all but one for the moment in which the read
 * transactions begin: what is committed to that one meanwhile is in the state or is not.
 */
export const openSqliteState = async (parts: SqliteStateParts): Promise<SqliteState> => {
  requireSqlite()
  const { unlocked, locked, now } = parts
  const opened: DatabaseSync[] = []
  const open = (file: string) => {
    const connection = connect(file, { readOnly: false })
    opened.push(connection)
    return connection
  }
  const closeAll = () => {
    for (const connection of opened) if (connection.isOpen) connection.close()
  }
  try {
    const sources = new Map([...locked, unlocked].map((file) => [file, guarded(() => open(file))]))
    const locks = locked.map((file) => guarded(() => open(file)))
    await lockAll(locks, parts)
    const at = now()
    guarded(() => {
      for (const connection of sources.values()) {
        // The transaction begins with the first read.
        connection.exec('begin; select count(*) from sqlite_schema')
      }
    })
    for (const connection of locks) connection.close()
    const bytes = [...sources.values()].reduce((sum, each) => sum + bytesOf(each), 0)
    return {
      at,
      bytes,
      copy: async (file, to, onCopied) => {
        const source = sources.get(file) as DatabaseSync
        const pageBytes = numberOf(source, 'page_size')
        // Steps read in the transaction of the connection, so that a commit does not begin it again.
        await backup(source, to, {
          rate: pagesPerStep,
          progress: ({ totalPages, remainingPages }) =>
            onCopied((totalPages - remainingPages) * pageBytes),
        }).catch((error: unknown) => {
          throw toDatabaseError(error)
        })
        // The last step is not reported.
        onCopied(bytesOf(source))
      },
      close: closeAll,
    }
  } catch (error) {
    closeAll()
    throw error
  }
}

/** Takes all write locks. Holds none while it waits for another. */
const lockAll = async (
  connections: readonly DatabaseSync[],
  { waitMs }: SqliteStateParts,
): Promise<void> => {
  const deadline = performance.now() + waitMs
  for (;;) {
    const failure = lockOnce(connections)
    if (failure === null) return
    if (performance.now() > deadline) {
      throw new DatabaseBusyError('Another command is writing keys or units.', { cause: failure })
    }
    await wait(lockPollMs)
  }
}

/** Null if all locks were taken; otherwise none is. */
const lockOnce = (connections: readonly DatabaseSync[]): unknown => {
  try {
    for (const connection of connections) connection.exec('begin immediate')
    return null
  } catch (error) {
    for (const connection of connections) if (connection.isTransaction) connection.exec('rollback')
    if (!isBusy(error)) throw toDatabaseError(error)
    return error
  }
}

const bytesOf = (connection: DatabaseSync): number =>
  numberOf(connection, 'page_count') * numberOf(connection, 'page_size')

const numberOf = (connection: DatabaseSync, pragma: string): number =>
  Number(Object.values(connection.prepare(`pragma ${pragma}`).get() ?? {})[0])

/** What SQLite finds wrong with a file that nothing else uses; empty if it is sound. */
export const findSqliteDamage = (file: string): readonly string[] => {
  const address = pathToFileURL(resolve(file))
  address.searchParams.set('immutable', '1')
  try {
    const connection = new DatabaseSync(address, { readOnly: true })
    try {
      const rows = connection.prepare('pragma integrity_check(10)').all()
      const lines = rows.map((row) => String(Object.values(row)[0]))
      return lines.filter((line) => line !== 'ok')
    } finally {
      connection.close()
    }
  } catch (error) {
    return [(error as Error).message]
  }
}
