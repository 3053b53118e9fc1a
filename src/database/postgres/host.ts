import pg from 'pg'
import { type Deadline, openDeadline, type SharedTimeout, withTimeout } from '#concurrency'
import type { Query, Results, Row } from '../database.ts'
import { DatabaseError, ReadLimitError, SnapshotLimitError } from '../errors.ts'
import type { PoolFigures, UseFigures } from '../figures.ts'
import type { HoldLimits } from '../held-snapshots.ts'
import type { LongReads, RunningRead, TimeLeft } from '../long-read.ts'
import type { PostgresAddress } from './address.ts'
import { connectTooSlow, isCancelled, queryTooSlow, toDatabaseError, tooSlow } from './errors.ts'
import { createHeldRows, replacedRows } from './held-rows.ts'
import { openPipeline, type Pipeline } from './pipeline.ts'
import { createPipelinePool } from './pipeline-pool.ts'
import {
  beginReading,
  CancelledEarlyError,
  forPostgres,
  openReader,
  ownerSetting,
  type Reader,
  servingSettings,
} from './reader.ts'
import { bytesType } from './row-decoder.ts'
import { createWriterConnections, type WriterConnection } from './writer-connection.ts'

/** The time a request has left. Its caller stops waiting when that is over. */
type RequestTimeout = Pick<SharedTimeout, 'leftMs'>

/** One server of a PostgreSQL address: connections that serve requests, and a pool for the rest. */
export interface PostgresHost {
  readonly name: string
  /**
   * Runs a request's queries against one state, as the serving role, for an owner. Slow queries run
   * on a separate connection, unless the read is brief.
   */
  read(
    queries: readonly Query[],
    owner: number,
    timeout: RequestTimeout,
    isBrief: boolean,
  ): Promise<Results>
  /** Lets a request read from one snapshot on a separate connection, with the rights of `read`. */
  readAlone<T>(
    owner: number,
    timeLeft: TimeLeft,
    work: (all: ReadAll) => Promise<T>,
    long?: LongRead,
  ): Promise<T>
  /** Runs a query on a connection that is used for nothing else. */
  poll(query: Query): Promise<Row>
  /** A connection from the pool. */
  connect(): Promise<pg.PoolClient>
  /** A connection for a writer: an idle one of an earlier writer if possible. */
  connectWriter(): Promise<WriterConnection>
  /** A connection outside the pools; the caller ends it. */
  dedicatedClient(): Promise<pg.Client>
  figures(): UseFigures
  close(): Promise<void>
}

/** Runs queries one after the other, sent together. */
export type ReadAll = (...queries: readonly Query[]) => Promise<Results>

/** A read that may be ended, because vacuum cannot remove what was replaced during it. */
export interface LongRead {
  readonly onEnded: (() => void) | undefined
}

/** Concurrent long reads, on connections that are closed when idle. */
export const longReadsMax = 4

/** Concurrent writers. Those of one brand, and those of the queue, wait for each other by locks. */
const writersMax = 100

/** Maximum number of requests in flight on one shared connection. */
const inFlightMax = 512
/** Idle pool connections are closed after this time. */
const idleMs = 30_000
/** Delay before a failed reader is reopened, while others are usable. */
const reopenMs = 1_000
/** Delay before the shared connections try a slow brief query again. */
const briefAgainMs = 10_000
/** A step that began in time may end this late: its connection can then be used again. */
const lateMs = 500
/** A statement is slow after this share of a request's time. */
const slowPart = 0.2
/** A server may be silent for this share of it; the rest is for a retry elsewhere. */
const silentPart = 0.5

/** The driver decodes values like `row-decoder.ts`. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    // Counts and totals fit a number; the driver would return text.
    if (oid === 20) return Number
    if (oid === bytesType) return (text: string) => Buffer.from(text)
    return pg.types.getTypeParser(oid, format as 'text')
  }) as typeof pg.types.getTypeParser,
}

export interface HostParts {
  readonly longReads: LongReads
  readonly holdLimits: HoldLimits | undefined
}

export const openHost = (
  address: PostgresAddress,
  { host, port }: PostgresAddress['hosts'][number],
  { longReads, holdLimits }: HostParts,
): PostgresHost => {
  const { connectMs, queryMs } = address
  const config: pg.ClientConfig = {
    host,
    port,
    user: address.user,
    password: address.password,
    database: address.database,
    ssl: address.ssl === 'disable' ? false : { rejectUnauthorized: address.ssl === 'verify-full' },
    connectionTimeoutMillis: connectMs,
    application_name: 'selvedge',
    keepAlive: true,
    types,
  }
  const openPool = (max: number, options: pg.ClientConfig = {}): pg.Pool => {
    const pool = new pg.Pool({ ...config, ...options, max, idleTimeoutMillis: idleMs })
    // Without a listener, an idle connection that breaks would end the process.
    pool.on('error', () => undefined)
    pool.on('connect', (client) => client.on('error', () => undefined))
    return pool
  }
  const connectTo = async (pool: pg.Pool): Promise<pg.PoolClient> => {
    try {
      return await pool.connect()
    } catch (error) {
      throw toDatabaseError(error)
    }
  }
  const pool = openPool(address.pool)
  // Separate from the others: a writer may read outside its transaction.
  const writers = openPool(writersMax, { pipeline: true })
  const alone = createPipelinePool(
    () => openPipeline({ config, connectMs, preparation: servingSettings }),
    idleMs,
  )
  const slowMs = Math.ceil(queryMs * slowPart)
  const slow = createSlowQueries()
  const readers = openReaders(address.readers, () =>
    openReader({
      config,
      connectMs,
      statementMs: slowMs,
      silentMs: Math.ceil(queryMs * silentPart),
      cancel: (processId) => void cancel(processId),
    }),
  )
  const readReplaced = async () => Number((await poll(replacedRows))[0] ?? 0)
  const held = createHeldRows(readReplaced, holdLimits)
  let isClosed = false

  const isAnswered = async (rollback: Promise<Results>): Promise<boolean> => {
    try {
      await withTimeout(connectMs, rollback)
      return true
    } catch {
      return false
    }
  }

  const readAlone: PostgresHost['readAlone'] = async (owner, timeLeft, work, long) => {
    const read = async ({ run, destroy }: Pipeline) => {
      let isEnded = false
      let isRunning = false
      let rollback: Promise<Results> | undefined
      const limited = async (...queries: readonly Query[]): Promise<Results> => {
        if (isEnded) throw new SnapshotLimitError()
        const limitMs = Math.ceil(timeLeft()) + lateMs
        const tooLate = () => {
          isRunning = true
          return queryTooSlow(queryMs)
        }
        try {
          return await withTimeout(limitMs, run(queries), tooLate)
        } catch (error) {
          throw toDatabaseError(error)
        }
      }
      const release = await (long &&
        held.begin(() => {
          isEnded = true
          rollback = run([query('rollback')])
          // A failure also ends the transaction.
          rollback.catch(() => undefined)
          long.onEnded?.()
        }))
      try {
        const limit = statementLimit(Math.ceil(timeLeft()))
        await limited(query(beginReading), ownerSetting(owner), limit)
        const result = await work(async (...each) => {
          const results = await limited(...each)
          // A statement that was still being prepared runs after the rollback, without its owner.
          if (isEnded) throw new SnapshotLimitError()
          return results
        })
        if (!isEnded) await limited(query('commit'))
        // The next read has the connection: no step and no rollback of this one may reach it.
        isEnded = true
        if (rollback && !(await isAnswered(rollback))) destroy()
        return { result }
      } catch (error) {
        isEnded = true
        // Statements are prepared for each connection, which takes longer than most reads.
        if (isRunning || !(await isAnswered(abandon(run)))) throw error
        return { error }
      } finally {
        release?.()
      }
    }
    const outcome = await alone.use(read)
    if ('error' in outcome) throw outcome.error
    return outcome.result
  }

  /** Reads on a separate connection, so that no other request waits behind it. */
  const readSlowly = (
    queries: readonly Query[],
    owner: number,
    { leftMs }: RequestTimeout,
  ): Promise<Results> => {
    const run = async ({ timeLeft, share }: RunningRead) => {
      const began = performance.now()
      const results = await readAlone(owner, timeLeft, async (all) => {
        const read: (readonly Row[])[] = []
        for (const query of queries) read.push(...(await all(query)))
        return read
      })
      const tookMs = performance.now() - began
      share.charge(tookMs)
      if (tookMs < slowMs / 2) slow.delete(textOf(queries), owner)
      return results
    }
    return longReads.run(owner, run, { requestLeftMs: leftMs })
  }

  /**
   * Cancels the statement of a server process: a query found to be slow after it was sent. The
   * cancellation may come too late and hit the next request, which is then retried.
   */
  const cancel = async (processId: number): Promise<void> => {
    try {
      await pool.query('select pg_cancel_backend($1)', [processId])
    } catch {
      // The server cancels it at its statement timeout.
    }
  }

  const dedicatedClient = async (): Promise<pg.Client> => {
    const client = new pg.Client(config)
    client.on('error', () => undefined)
    try {
      await client.connect()
      return client
    } catch (error) {
      client.end().catch(() => undefined)
      throw toDatabaseError(error)
    }
  }

  let pollClient: pg.Client | null = null
  const openPollClient = async (deadline: Deadline): Promise<pg.Client> => {
    const opening = dedicatedClient()
    try {
      return await deadline.race(opening)
    } catch (error) {
      // A connection that opens after the deadline is not used: the next poll opens another.
      opening.then(
        (late) => late.connection.stream.destroy(),
        () => undefined,
      )
      throw error
    }
  }
  const pollWith = async (query: Query, deadline: Deadline): Promise<Row> => {
    pollClient ??= await openPollClient(deadline)
    if (isClosed) await pollClient.end()
    const result = pollClient.query({ ...forPostgres(query), rowMode: 'array' })
    const { rows } = await deadline.race(result)
    return rows[0] as Row
  }
  const poll: PostgresHost['poll'] = async (query) => {
    const deadline = openDeadline(connectMs, connectTooSlow)
    try {
      return await pollWith(query, deadline)
    } catch (error) {
      const broken = pollClient
      pollClient = null
      broken?.connection.stream.destroy()
      throw toDatabaseError(error)
    } finally {
      deadline.close()
    }
  }

  const name = `${host}:${port}`
  const figuresOf = (pool: PoolFigures['pool'], each: pg.Pool): PoolFigures => ({
    ...{ host: name, pool, size: each.options.max, waiting: each.waitingCount },
    inUse: each.totalCount - each.idleCount,
  })

  return {
    name,
    read: async (queries, owner, timeout, isBrief) => {
      const text = isBrief ? (queries.at(-1)?.text ?? '') : textOf(queries)
      const isSlow = () => slow.has(text, owner)
      while (!isSlow()) {
        // A retry may begin when the time is already over.
        if (timeout.leftMs() === 0) throw tooSlow(queryMs)
        const next = readers.take()
        const reader = next instanceof Promise ? await next : next
        try {
          return await reader.ask(queries, owner, isSlow)
        } catch (error) {
          if (error instanceof CancelledEarlyError) continue
          if (!isCancelled(error)) throw toDatabaseError(error)
          slow.add(text, owner, isBrief ? performance.now() + briefAgainMs : Infinity)
        }
      }
      if (isBrief) throw queryTooSlow(slowMs)
      return readSlowly(queries, owner, timeout)
    },
    readAlone,
    poll,
    connect: () => connectTo(pool),
    connectWriter: createWriterConnections(() => connectTo(writers)),
    dedicatedClient,
    figures: () => ({
      pools: [
        { host: name, pool: 'requests', ...readers.figures() },
        figuresOf('writers', writers),
        figuresOf('commands', pool),
      ],
      heldSnapshots: held.figures(),
    }),
    close: async () => {
      if (isClosed) return
      isClosed = true
      await Promise.all([
        readers.close(),
        alone.close(),
        pool.end(),
        writers.end(),
        pollClient?.end().catch(() => undefined),
      ])
    },
  }
}

const query = (text: string): Query => ({ text, values: [] })

/**
 * Also releases the lock of a step that failed: separately, since an aborted transaction accepts no
 * statement but its end.
 */
const abandon = async (run: Pipeline['run']): Promise<Results> => {
  await run([query('rollback')])
  return run([query('select pg_advisory_unlock_all()')])
}

/** The server cancels a statement of this transaction that takes longer. */
const statementLimit = (ms: number): Query => ({
  text: "select set_config('statement_timeout', ?1, true)",
  values: [String(ms)],
})

/** The shared connections of a host, opened on demand. */
interface Readers {
  /** The ready connection with the fewest requests in flight; otherwise one that is opening. */
  take(): Reader | Promise<Reader>
  /** Requests wait behind others on the same connection. */
  figures(): Pick<PoolFigures, 'size' | 'inUse' | 'waiting'>
  close(): Promise<void>
}

interface ReaderSlot {
  reader: Reader | null
  /** Earliest time to reopen it. */
  openFrom: number
}

const openReaders = (count: number, open: () => Reader): Readers => {
  const slots = Array.from({ length: count }, (): ReaderSlot => ({ reader: null, openFrom: 0 }))
  let closed = false

  const fill = (slot: ReaderSlot): Reader => {
    const reader = open()
    slot.reader = reader
    reader.ready.catch(() => {
      slot.openFrom = performance.now() + reopenMs
    })
    return reader
  }

  /** Opens one more, unless one is opening or has just failed. */
  const openMore = (isNeeded: boolean): Reader | undefined => {
    const opening = slots.find(({ reader }) => reader && !reader.isClosed && !reader.isReady)
    if (opening?.reader) return opening.reader
    const vacant = slots.filter(({ reader }) => !reader || reader.isClosed)
    const now = performance.now()
    const slot =
      vacant.find(({ openFrom }) => openFrom <= now) ?? (isNeeded ? vacant[0] : undefined)
    return slot && fill(slot)
  }

  const whenReady = async (reader: Reader): Promise<Reader> => {
    try {
      await reader.ready
    } catch (error) {
      throw toDatabaseError(error)
    }
    if (reader.inFlight < inFlightMax) return reader
    throw new ReadLimitError('Too many queries are waiting for the database.')
  }

  return {
    take: () => {
      if (closed) throw new DatabaseError('The database was closed.')
      let best: Reader | undefined
      let fewest = inFlightMax
      let areAllReady = true
      for (const { reader } of slots) {
        if (!reader?.isReady) {
          areAllReady = false
          continue
        }
        const { inFlight } = reader
        if (inFlight >= fewest) continue
        best = reader
        fewest = inFlight
      }
      if (best && (fewest === 0 || areAllReady)) return best
      const other = openMore(best === undefined)
      if (best) return best
      if (!other) throw new ReadLimitError('Too many queries are waiting for the database.')
      return whenReady(other)
    },
    figures: () => {
      const inFlight = slots.map(({ reader }) => reader?.inFlight ?? 0)
      const inUse = inFlight.filter((count) => count > 0).length
      const waiting = inFlight.reduce((sum, count) => sum + count, 0) - inUse
      return { size: count, inUse, waiting }
    },
    close: async () => {
      closed = true
      await Promise.all(slots.map(({ reader }) => reader?.close()))
    },
  }
}

/** The query that identifies a read. */
const textOf = ([first]: readonly Query[]): string => first?.text ?? ''

/** The queries that were too slow on a shared connection, per owner. Values do not matter. */
interface SlowQueries {
  has(text: string, owner: number): boolean
  /** Adds a query until a time on the `performance.now` clock. */
  add(text: string, owner: number, until: number): void
  delete(text: string, owner: number): void
}

const slowQueriesMax = 1_000

const createSlowQueries = (): SlowQueries => {
  // Keyed by text first: the text is long, but always the same string object, hashed once.
  const owners = new Map<string, Map<number, number>>()
  let count = 0
  return {
    has: (text, owner) => {
      if (count === 0) return false
      const until = owners.get(text)?.get(owner)
      return until !== undefined && until > performance.now()
    },
    add: (text, owner, until) => {
      // Slow queries are added again as soon as they are slow again.
      if (count >= slowQueriesMax) owners.clear()
      owners.set(text, (owners.get(text) ?? new Map<number, number>()).set(owner, until))
      count = [...owners.values()].reduce((sum, { size }) => sum + size, 0)
    },
    delete: (text, owner) => {
      const ofText = owners.get(text)
      if (ofText?.delete(owner)) count -= 1
      if (ofText?.size === 0) owners.delete(text)
    },
  }
}
