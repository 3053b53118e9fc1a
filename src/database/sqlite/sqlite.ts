import { closeSync, existsSync, mkdirSync, openSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import { setImmediate as immediate, setTimeout as wait } from 'node:timers/promises'
import { createMutex } from '#concurrency'
import {
  type Database,
  DatabaseBusyError,
  DatabaseError,
  DatabaseMissingError,
  type Dialect,
  type Query,
  quote,
  type Row,
  type RowSlices,
  type Session,
  type SqlValue,
} from '../database.ts'
import { createLongReads } from '../long-read.ts'
import { sliceColumns, sliceWidth } from '../row-slices.ts'
import { requireSqlite } from './version.ts'
import { createWalFlush } from './wal-flush.ts'

export interface SqliteOptions {
  /** How long a writer waits for another one. */
  readonly writeWaitMs?: number
  /** Whether a file that is not there is created; it is by default. */
  readonly creates?: boolean
  /** Opened for reading alone: no file is created and nothing can be written. */
  readonly readOnly?: boolean
  /** How long a read in steps may take, once it is its turn. */
  readonly queryMs?: number
}

/** The same as the default of `query-ms` in the address of a PostgreSQL database. */
const queryMsDefault = 1_000
/** A step of a long read. The event loop is blocked meanwhile. */
const stepMs = 4
/** Long reads in progress: each has a connection of its own, with 4 MB of cache. */
const longReadsMax = 4

const openWaitMs = 5_000
/** Commits of other processes are looked for so often, those of this one at once. */
const lookEveryMs = 2
/** A statement that took longer has written much. */
const longStatementMs = 100
/** The log is copied into the database by the commit that finds it longer, in pages. */
const logPagesMax = 1_000
const pageBytes = 16_384
/** A log that is longer after a transaction was rolled back is given back to the disk. */
const leftoverBytes = 2 ** 20
const truncateTries = 40
const truncatePauseMs = 25

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  text: 'text',
  integer: 'integer',
  // Rows are kept in the order of the primary key, so that a page is one stretch of the file.
  tableOptions: ' without rowid',
  // Without statistics the planner may walk the whole collection for the sake of its order.
  indexedBy: (table, alias, index) => `${quote(table)} as ${alias} indexed by ${quote(index)}`,
  jsonText: (column, path) => `json_extract(${column}, '$.${path.join('.')}')`,
  textsIn: (parameter, alias) => `json_each(${parameter}) as ${alias}`,
  // They come in the order of the subquery they are read from; asked for, it would sort them again.
  concat: (column) => `group_concat(${column}, ',')`,
  // With a bare parameter SQLite prepares the statement anew at every execution.
  limit: (parameter) => `+${parameter}`,
  joinsInOrder: true,
  joinsLaterally: false,
  rebuildsIndexes: true,
  randomInt: 'abs(random() % 1000000)',
  orderKey: (column) => `+${column}`,
  temporaryIndex: (name) => `temp.${quote(name)}`,
  lockTimeout: [],
  reusePlan: [],
  rowLevelSecurity: null,
}

/**
 * Records, the hashes of keys and the secret that signs are nobody else's to read: a file that is
 * not there yet is made for its owner alone. SQLite gives the files beside it the same mode.
 */
const createPrivately = (file: string): void => {
  mkdirSync(dirname(file), { recursive: true })
  try {
    closeSync(openSync(file, 'wx', 0o600))
  } catch {
    // It is there, with the mode its owner gave it; or SQLite will say what is wrong.
  }
}

/** A database in one file, through Node's own SQLite: one connection to read, one to write. */
export const openSqlite = (file: string, options: SqliteOptions = {}): Database => {
  requireSqlite()
  if (options.creates === false && !existsSync(file)) throw new DatabaseMissingError(resolve(file))
  const { writeWaitMs = 5_000, readOnly = false, queryMs = queryMsDefault } = options
  const connect = () => {
    if (!readOnly) createPrivately(file)
    // Whoever opens or closes the file holds it for a moment; that is worth waiting for. Later on,
    // waiting is ours.
    const connection = new DatabaseSync(file, { timeout: openWaitMs, readOnly })
    if (!readOnly) connection.exec(`pragma page_size = ${pageBytes}; pragma journal_mode = wal`)
    connection.exec('pragma temp_store = file; pragma busy_timeout = 0')
    return connection
  }
  const writer = guarded(() => {
    const connection = connect()
    if (!readOnly) {
      // The file does not stay as long as the largest transaction has made it.
      const limit = `pragma journal_size_limit = ${logPagesMax * pageBytes}`
      connection.exec(`pragma synchronous = full; ${limit}`)
    }
    connection.exec('pragma cache_size = -8192; pragma threads = 2')
    return connection
  })
  const reader = guarded(() => {
    const connection = connect()
    connection.exec('pragma cache_size = -16384; pragma query_only = on')
    return connection
  })
  const reads = statements(reader)
  const writes = statements(writer)
  const [begins, commits] = [reader.prepare('begin'), reader.prepare('commit')]
  const writeMutex = createMutex()
  const longReads = createLongReads(longReadsMax, queryMs)
  /** Connections for long reads that are not in use. */
  const idle: LongReader[] = []
  const openLongReader = (): LongReader => {
    const connection = guarded(connect)
    guarded(() => connection.exec('pragma cache_size = -4096; pragma query_only = on'))
    return { connection, all: statements(connection).all }
  }
  let isClosed = false
  /** What this process itself has committed. */
  let ownCommits = 0
  const walFlush = createWalFlush(file)
  /** Whether the transaction that is under way has written much. */
  let isLarge = false
  /** Whether a large transaction has left the log long. */
  let leftLog = false

  const begin = async () => {
    const deadline = performance.now() + writeWaitMs
    for (;;) {
      try {
        writer.exec('begin immediate')
        return
      } catch (error) {
        if (!isBusy(error)) throw unavailable(error)
        if (performance.now() > deadline) {
          throw new DatabaseBusyError('Another import or command is writing to the database.', {
            cause: error,
          })
        }
      }
      // The wait is ours and not SQLite's, whose busy handler would stop the event loop.
      await wait(25)
    }
  }

  const commit = () => {
    if (!isLarge) {
      guarded(() => writer.exec('commit'))
      return
    }
    // What is in the log is committed. Copying it takes as long as writing it did, and can wait
    // until whoever wrote it has been told.
    writer.exec('pragma wal_autocheckpoint = 0')
    try {
      guarded(() => writer.exec('commit'))
      leftLog = true
    } finally {
      writer.exec(`pragma wal_autocheckpoint = ${logPagesMax}`)
    }
  }

  /** Copies what a large transaction has left in the log, as far as readers let it. */
  const copyLog = () => {
    if (!leftLog || !writer.isOpen) return
    leftLog = false
    try {
      writer.exec('pragma wal_checkpoint(passive)')
    } catch {
      // The log is as good as the database; the next one to commit copies it.
    }
  }

  /**
   * Gives back the room that a transaction has taken in the log before it was rolled back: a full
   * disk would stay full. Readers are not waited for; as long as one is in the way, it is tried again.
   */
  const truncateLog = async () => {
    for (let tries = 0; tries < truncateTries; tries += 1) {
      try {
        if (statSync(`${file}-wal`).size <= leftoverBytes) return
        writer.exec('pragma wal_checkpoint(truncate)')
      } catch {
        // There is no log, or what is committed in it cannot be copied yet.
        return
      }
      await wait(tries === 0 ? 0 : truncatePauseMs)
    }
  }

  const session: Session = {
    all: async (query) => guarded(() => writes.all(query)),
    run: async (query) => {
      const began = performance.now()
      const changes = guarded(() => writes.run(query))
      if (performance.now() - began > longStatementMs) {
        isLarge = true
        // One that is done is heard of here, so that the next can begin.
        await immediate()
        walFlush.begin()
      }
      return changes
    },
    bulkInsert: async (table, columns, rows) =>
      guarded(() => {
        const marks = columns.map((_, index) => `?${index + 1}`)
        const text = `insert into ${quote(table)} (${columns.map(quote)}) values (${marks})`
        const statement = writes.prepare(text)
        for (const row of rows) statement.run(...row)
      }),
    bulkInsertSlices: async (table, rows) =>
      guarded(() => bulkInsertSlices(writes.prepare, table, rows)),
  }

  return {
    dialect: sqliteDialect,
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
    readInSteps: (brand, work) =>
      longReads.run(brand, async (timeLeft) => {
        const longReader = idle.pop() ?? openLongReader()
        const { connection, all } = longReader
        try {
          guarded(() => connection.exec('begin'))
          let tookMs = 0
          return await work({
            stepMs,
            get tookMs() {
              return tookMs
            },
            all: async (query) => {
              timeLeft()
              if (isClosed) throw new DatabaseError('The database was closed.')
              const began = performance.now()
              const rows = guarded(() => all(query))
              tookMs = performance.now() - began
              await immediate()
              return rows
            },
          })
        } finally {
          if (connection.isTransaction) connection.exec('commit')
          if (isClosed) connection.close()
          else idle.push(longReader)
        }
      }),
    write: (work) =>
      writeMutex(async () => {
        await begin()
        isLarge = false
        let isCommitting = false
        try {
          const result = await work(session)
          isCommitting = true
          commit()
          ownCommits += 1
          return result
        } catch (error) {
          // SQLite has rolled back by itself when the disk was full or failed.
          if (writer.isTransaction) writer.exec('rollback')
          if (isCommitting) overwriteFailed(writer)
          await truncateLog()
          throw error
        }
      }),
    snapshot: async (work) => {
      // On a connection of its own, so that nobody else's reading ends the transaction.
      const own = guarded(connect)
      try {
        const { all } = statements(own)
        guarded(() => own.exec('pragma query_only = on; begin'))
        return await work(async (query) => guarded(() => all(query)))
      } finally {
        own.close()
      }
    },
    listen: async (onCommit) => {
      // The number changes with every commit of another connection; asking costs a microsecond.
      const state = reads.prepare('pragma data_version')
      let askedAt = Number.NEGATIVE_INFINITY
      let commitsSeen = ownCommits
      const ask = () => {
        askedAt = performance.now()
        commitsSeen = ownCommits
        return (state.get() as unknown as Row)[0] as number
      }
      let seen: number | null = null
      let telling: Promise<void> | null = null
      const tell = (now: number) => {
        telling ??= onCommit()
          .then(
            () => {
              seen = now
            },
            () => {
              seen = null
            },
          )
          .finally(() => {
            telling = null
          })
        return telling
      }
      await tell(guarded(ask))
      return {
        isCurrent: () => {
          if (telling || !reader.isOpen) return false
          const isFresh = commitsSeen === ownCommits && performance.now() - askedAt < lookEveryMs
          if (seen !== null && isFresh) return true
          try {
            const now = ask()
            if (now === seen) return true
            void tell(now)
          } catch {
            seen = null
          }
          return false
        },
        close: async () => {
          await telling
        },
      }
    },
    tables: async () =>
      guarded(() => {
        const names = reads.all({
          text: "select name from sqlite_schema where type = 'table' order by name",
          values: [],
        })
        return new Map(
          names.map(([name]) => {
            const columns = reads.all({
              text: 'select name from pragma_table_info(?1) order by cid',
              values: [name as string],
            })
            return [name as string, columns.map(([column]) => column as string)]
          }),
        )
      }),
    indexes: async () =>
      guarded(() => {
        const text = "select name from sqlite_schema where type = 'index'"
        return new Set(reads.all({ text, values: [] }).map(([name]) => name as string))
      }),
    // It is a file: whoever could open it can read it.
    checkServing: async () => undefined,
    explain: async ({ text, values }) =>
      guarded(() =>
        reads
          .all({ text: `explain query plan ${text}`, values })
          .map(([, , , detail]) => detail as string),
      ),
    close: async () => {
      await writeMutex(async () => undefined)
      await walFlush.settle()
      copyLog()
      isClosed = true
      const open = [reader, writer, ...idle.splice(0).map(({ connection }) => connection)]
      for (const connection of open) if (connection.isOpen) connection.close()
    },
  }
}

/**
 * Gives SQLite the bytes of each row once, and the offsets of its parts in them: what need not be a
 * string of ours need not be made, converted and thrown away.
 */
const bulkInsertSlices = (
  prepare: (text: string) => StatementSync,
  table: string,
  rows: RowSlices,
): void => {
  const { bytes, offsets, parts, numbered, numbersOf } = rows
  const whole = numbered.length + 1
  const values = [
    ...numbered.map((_, index) => `?${index + 1}`),
    ...parts.map(({ integer }, index) => {
      const from = whole + 1 + index * 2
      return `cast(substr(?${whole}, ?${from}, ?${from + 1}) as ${integer ? 'integer' : 'text'})`
    }),
    `cast(?${whole} as text)`,
  ]
  const statement = prepare(
    `insert into ${quote(table)} (${sliceColumns(rows).map(quote)}) values (${values})`,
  )
  const width = sliceWidth(rows)
  for (let row = 0, at = 0; at < offsets.length; row += 1, at += width) {
    const begin = offsets[at] as number
    const cells: SqlValue[] = [...numbersOf(row), bytes.subarray(begin, offsets[at + 1])]
    for (let part = at + 2; part < at + width; part += 2) {
      const from = offsets[part] as number
      // The first byte is number 1.
      if (from < 0) cells.push(null, null)
      else cells.push(from - begin + 1, (offsets[part + 1] as number) - from)
    }
    statement.run(...cells)
  }
}

/**
 * A commit that fails while it is brought to the disk may stand whole in the log, and whoever opens
 * the database next would find it there, although it was said to have failed. A transaction that
 * changes nothing takes its place in the log.
 */
const overwriteFailed = (writer: DatabaseSync): void => {
  try {
    const found = writer.prepare('pragma user_version').get() as { user_version: number }
    // Setting it writes the page it is on, also to what it was.
    writer.exec(`begin immediate; pragma user_version = ${found.user_version}; commit`)
  } catch {
    if (writer.isTransaction) writer.exec('rollback')
  }
}

/** A connection on which long reads are run, one at a time. */
interface LongReader {
  readonly connection: DatabaseSync
  readonly all: (query: Query) => readonly Row[]
}

const preparedMax = 1_000

/** Prepared statements of a connection, by their text. */
const statements = (connection: DatabaseSync) => {
  const prepared = new Map<string, StatementSync>()
  const prepare = (text: string): StatementSync => {
    const known = prepared.get(text)
    if (known) return known
    const statement = connection.prepare(text)
    statement.setReturnArrays(true)
    // Filters and includes combine into more texts than there is room for; the oldest goes.
    if (prepared.size >= preparedMax) {
      for (const oldest of prepared.keys()) {
        prepared.delete(oldest)
        break
      }
    }
    prepared.set(text, statement)
    return statement
  }
  return {
    prepare,
    all: ({ text, values }: Query): readonly Row[] =>
      prepare(text).all(...values) as unknown as readonly Row[],
    run: ({ text, values }: Query): number => Number(prepare(text).run(...values).changes),
  }
}

const guarded = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw unavailable(error)
  }
}

const unavailable = (error: unknown): unknown =>
  isSqliteError(error) || isClosedError(error)
    ? new DatabaseError(`The database failed: ${error.message}.`, { cause: error })
    : error

const isSqliteError = (error: unknown): error is Error & { errcode: number } =>
  error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR'

const isClosedError = (error: unknown): error is Error =>
  error instanceof Error && 'code' in error && error.code === 'ERR_INVALID_STATE'

const busyCode = 5

const isBusy = (error: unknown): boolean =>
  isSqliteError(error) && (error.errcode & 0xff) === busyCode
