import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as wait } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { createMutex, type Release } from '#concurrency'
import type { Database, Row, Steps } from '../database.ts'
import {
  DatabaseBusyError,
  DatabaseMissingError,
  QueryTimeoutError,
  SnapshotLimitError,
} from '../errors.ts'
import type { HeldSnapshots, HoldLimits } from '../held-snapshots.ts'
import { createLongReads, type RunningRead } from '../long-read.ts'
import { openCommitListener } from './commit-listener.ts'
import { connect, connectReader, threadDataFor } from './connection.ts'
import { sqliteDialect } from './dialect.ts'
import { guarded, isBusy, toDatabaseError } from './errors.ts'
import { createHeldWal } from './held-wal.ts'
import { createMarkedCommit } from './marked-commit.ts'
import { createReaderThreads, type ReaderThreads } from './reader-threads.ts'
import { createStatements, type Statements } from './statements.ts'
import { requireSqlite } from './version.ts'
import { createWalCheckpoint } from './wal-checkpoint.ts'
import { createWalPolicy, fullSync, lengthOf } from './wal-policy.ts'
import { createWriteSession } from './write-session.ts'

export interface SqliteOptions {
  /** How long a writer waits for another writer. */
  readonly writeWaitMs?: number
  /** Whether to create a missing file; true by default. */
  readonly creates?: boolean
  /** Read-only: creates no file and writes nothing. */
  readonly readOnly?: boolean
  /** Processor time of a read in steps. */
  readonly queryMs?: number
  /** Page cache of the writer in megabytes; 8 by default. */
  readonly writeCacheMb?: number
  /**
   * Whether a thread runs WAL checkpoints, so that no commit waits for one: for a process that
   * writes continually. False by default.
   */
  readonly checkpointsInThread?: boolean
  /** When long reads are ended because the WAL grows behind them. */
  readonly holdLimits?: HoldLimits
}

/** The default of `query-ms`, as in a PostgreSQL address. */
const queryMsDefault = 1_000
/** A read may take this many times its processor time, waiting for a processor or a disk. */
const waitFactor = 4
/** Duration of a long read's step: others on its thread wait for it, the event loop does not. */
const stepMs = 20
/** Maximum number of concurrent long reads: each has its connection, with 2 MB of cache. */
const longReadsMax = 4
/** Poll interval for the write lock of another process. */
const lockPollMs = 25
/** After a longer transaction, the lock stays free for two polls: another process may wait for it. */
const longLockMs = 500
/** Page caches of the connection that serves requests, and of a snapshot. */
const readerCacheKb = 16_384
const snapshotCacheKb = 2_000

/** A database in one file, through Node's SQLite: one connection reads, one writes. */
export const openSqlite = (file: string, options: SqliteOptions = {}): Database => {
  requireSqlite()
  if (options.creates === false && !existsSync(file)) throw new DatabaseMissingError(resolve(file))
  const { writeWaitMs = 5_000, readOnly = false, queryMs = queryMsDefault } = options
  const { writeCacheMb = 8, checkpointsInThread = false } = options
  const writer = guarded(() => {
    const connection = connect(file, { readOnly })
    connection.exec(`pragma cache_size = -${writeCacheMb * 1_024}; pragma threads = 2`)
    return connection
  })
  const wal = guarded(() =>
    createWalPolicy({ file, writer, readOnly, inThread: checkpointsInThread }),
  )
  const reader = guarded(() => connectReader(file, readerCacheKb, { readOnly }))
  const reads = createStatements(reader)
  const writes = createStatements(writer)
  const dataVersion = reads.prepare('pragma data_version')
  const [begins, commits] = [reader.prepare('begin'), reader.prepare('commit')]
  const markedCommit = createMarkedCommit(writer)
  const writeMutex = createMutex()
  const longReads = createLongReads(longReadsMax, queryMs, waitFactor * queryMs)
  const threads = createReaderThreads(threadDataFor(file, { readOnly }))
  const copying = createWalCheckpoint({ file, setup: fullSync })
  const held = createHeldWal({
    readLength: () => lengthOf(reader),
    copy: copying.run,
    ...(options.holdLimits && { limits: options.holdLimits }),
  })
  /** Number of commits by this process. */
  let ownCommits = 0
  /** When this process may take the write lock again. */
  let freeUntil = 0

  /** Runs a statement that takes the write lock, once no other process holds it. */
  const whenUnlocked = async (statement: string) => {
    const deadline = performance.now() + writeWaitMs
    for (;;) {
      try {
        writer.exec(statement)
        return
      } catch (error) {
        if (!isBusy(error)) throw toDatabaseError(error)
        if (performance.now() > deadline) {
          throw new DatabaseBusyError('Another import or command is writing to the database.', {
            cause: error,
          })
        }
      }
      // SQLite's busy handler would block the event loop.
      await wait(lockPollMs)
    }
  }

  return {
    dialect: sqliteDialect,
    queryMs,
    read: async (queries) =>
      guarded(() => {
        const [only] = queries
        if (queries.length === 1 && only) return [reads.all(only)]
        begins.run()
        try {
          return queries.map(reads.all)
        } finally {
          commits.run()
        }
      }),
    readInSteps: (owner, isCancelled, work, options = {}) =>
      longReads.run(
        owner,
        (read) => {
          const { timeMs = queryMs, onEnded } = options
          const isLong = options.timeMs !== undefined
          const limits = { ...read, processorMs: timeMs, held: isLong ? held : null, onEnded }
          return readSteps(threads, limits, work)
        },
        { isCancelled, ...options },
      ),
    // Every read sees the newest state.
    readAfter: async ({ query, isMet }, work) =>
      isMet(guarded(() => reads.all(query))[0]) ? { result: await work() } : null,
    write: (work) =>
      writeMutex(async () => {
        await wal.prepare()
        const freeMs = freeUntil - performance.now()
        if (freeMs > 0) await wait(freeMs)
        await whenUnlocked('begin immediate')
        const lockedAt = performance.now()
        const { session, requireTransaction } = createWriteSession(writer, writes, wal.wrote)
        let isCommitting = false
        try {
          const result = await work(session)
          requireTransaction()
          isCommitting = true
          markedCommit.mark()
          wal.commit(markedCommit.execute)
          ownCommits += 1
          return result
        } catch (error) {
          // SQLite has already rolled back if the disk was full or failed.
          if (writer.isTransaction) writer.exec('rollback')
          if (isCommitting) markedCommit.overwriteFailed()
          await wal.truncate()
          throw error
        } finally {
          const now = performance.now()
          if (now - lockedAt > longLockMs) freeUntil = now + 2 * lockPollMs
        }
      }),
    snapshot: async (work) => {
      // Finding a page in a WAL of gigabytes takes far longer than reading it from the database.
      wal.checkpoint()
      // A separate connection, so that no other read ends the transaction.
      const own = guarded(() => connectReader(file, snapshotCacheKb, { readOnly }))
      try {
        const { all } = createStatements(own)
        guarded(() => own.exec('begin'))
        return await work(async (query) => guarded(() => all(query)))
      } finally {
        own.close()
      }
    },
    listen: (onCommit) =>
      openCommitListener({
        onCommit,
        readVersion: () => (dataVersion.get() as unknown as Row)[0] as number,
        ownCommits: () => ownCommits,
        isOpen: () => reader.isOpen,
      }),
    tables: async () => guarded(() => readTables(reads)),
    indexes: async () =>
      guarded(() => {
        const text = "select name from sqlite_schema where type = 'index'"
        return new Set(reads.all({ text, values: [] }).map(([name]) => name as string))
      }),
    reclaimSpace: () =>
      writeMutex(async () => {
        try {
          // First, so that the WAL does not contain the same pages twice.
          guarded(() => writer.exec('pragma wal_checkpoint(truncate)'))
          await whenUnlocked('vacuum')
          guarded(() => writer.exec('pragma wal_checkpoint(truncate)'))
          wal.forget()
        } catch (error) {
          await wal.truncate()
          throw error
        }
      }),
    // A large insert recreates them.
    compactIndexes: async () => undefined,
    // A file that could be opened can be read.
    checkServing: async () => undefined,
    hosts: null,
    figures: () => ({ pools: [longReads.figures()], heldSnapshots: held.figures() }),
    explain: async ({ text, values }) =>
      guarded(() =>
        reads
          .all({ text: `explain query plan ${text}`, values })
          .map(([, , , detail]) => detail as string),
      ),
    close: async () => {
      await writeMutex(async () => undefined)
      await Promise.all([threads.close(), wal.close(), copying.close()])
      for (const connection of [reader, writer]) if (connection.isOpen) connection.close()
    },
  }
}

/**
 * Reads a file without creating the files beside it, which would belong to another user than that of
 * the server. They are there while a process uses the database; otherwise nothing changes it.
 */
export const inspectSqlite = (
  file: string,
): Pick<Database, 'tables' | 'read' | 'checkServing' | 'hosts' | 'close'> => {
  requireSqlite()
  const isUsed = existsSync(`${file}-shm`)
  const address = pathToFileURL(resolve(file))
  if (!isUsed) address.searchParams.set('immutable', '1')
  const connection = guarded(() => new DatabaseSync(address, { readOnly: true }))
  const reads = createStatements(connection)
  return {
    tables: async () => guarded(() => readTables(reads)),
    read: async (queries) => guarded(() => queries.map(reads.all)),
    checkServing: async () => undefined,
    hosts: null,
    close: async () => connection.close(),
  }
}

interface StepLimits extends RunningRead {
  readonly processorMs: number
  /** Null if the read is too short to hold much of the WAL. */
  readonly held: HeldSnapshots | null
  readonly onEnded: (() => void) | undefined
}

/** Runs work on a thread; all its queries read one snapshot. */
const readSteps = async <T>(
  threads: ReaderThreads,
  { timeLeft, share, processorMs, held, onEnded }: StepLimits,
  work: (steps: Steps) => Promise<T>,
): Promise<T> => {
  const { all, end } = threads.begin(share)
  let isEnded = false
  let release: Release | undefined
  try {
    release = await held?.begin(() => {
      isEnded = true
      end()
      onEnded?.()
    })
    let tookMs = 0
    let usedMs = 0
    return await work({
      stepMs,
      get tookMs() {
        return tookMs
      },
      all: async (query) => {
        if (isEnded) throw new SnapshotLimitError()
        const elapsedMs = timeLeft()
        if (usedMs >= processorMs) {
          throw new QueryTimeoutError(`A read used more than ${processorMs} ms of processor time.`)
        }
        const leftMs = processorMs - usedMs
        const read = await all(query, { processorMs: leftMs, elapsedMs }).catch(
          (error: unknown) => {
            if (error instanceof QueryTimeoutError) share.charge(leftMs)
            throw isEnded ? new SnapshotLimitError() : error
          },
        )
        tookMs = read.tookMs
        usedMs += read.processorMs
        share.charge(read.processorMs)
        return read.rows
      },
    })
  } finally {
    release?.()
    end()
  }
}

/** All tables, with their columns in order. */
const readTables = ({ all }: Statements): ReadonlyMap<string, readonly string[]> => {
  const columns = all({
    text: `select s.name, c.name from sqlite_schema s join pragma_table_info(s.name) c
      where s.type = 'table' order by s.name, c.cid`,
    values: [],
  })
  const byTable = Map.groupBy(columns, ([table]) => table as string)
  return new Map(
    [...byTable].map(([table, rows]) => [table, rows.map(([, column]) => column as string)]),
  )
}
