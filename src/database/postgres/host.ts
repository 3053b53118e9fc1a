import pg from 'pg'
import { type Deadline, openDeadline } from '#concurrency'
import { DatabaseError, type Query, type Results, type Row } from '../database.ts'
import type { LongReads, TimeLeft } from '../long-read.ts'
import type { PostgresAddress } from './address.ts'
import { connectTooSlow, isCancelled, toDatabaseError } from './errors.ts'
import {
  beginReading,
  ConnectionDroppedError,
  forPostgres,
  openReader,
  type Reader,
  takeRole,
} from './reader.ts'

/** One server of a PostgreSQL address: connections that serve requests, and a pool for the rest. */
export interface PostgresHost {
  readonly name: string
  /**
   * Runs a request's queries against one state, as the serving role, for a brand. Queries that turn
   * out to be slow run on a connection of their own.
   */
  read(queries: readonly Query[], brand: string, deadline: Deadline): Promise<Results>
  /** Lets a request read one state on a connection of its own, as `read` does. */
  readAlone<T>(
    brand: string,
    timeLeft: TimeLeft,
    work: (all: (query: Query) => Promise<readonly Row[]>) => Promise<T>,
  ): Promise<T>
  /** Runs a query on a connection that is used for nothing else. */
  poll(query: Query): Promise<Row>
  /** A connection from the pool. */
  connect(): Promise<pg.PoolClient>
  /** A connection outside the pool; the caller ends it. */
  dedicatedClient(): Promise<pg.Client>
  close(): Promise<void>
}

/** Long reads at the same time, on connections that are closed when they are idle. */
export const longReadsMax = 4

/** Requests in flight on one shared connection. */
const inFlightMax = 512
/** Idle connections of a pool are closed after this. */
const idleMs = 30_000
/** How long after a failure a reader is opened again, while others can be used. */
const reopenMs = 1_000
/** The part of a request's time after which a statement is taken to be slow. */
const slowPart = 0.2
/** The part of it that a server may be silent for; the rest is for reading again elsewhere. */
const silentPart = 0.5

const types: pg.CustomTypesConfig = {
  // Counts and totals fit a number; the driver would return them as text.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export const openHost = (
  address: PostgresAddress,
  { host, port }: PostgresAddress['hosts'][number],
  longReads: LongReads,
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
  const openPool = (max: number): pg.Pool => {
    const pool = new pg.Pool({ ...config, max, idleTimeoutMillis: idleMs })
    // Without a listener an idle connection that breaks would end the process.
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
  const alone = openPool(longReadsMax)
  const slowMs = Math.ceil(queryMs * slowPart)
  const readers = openReaders(address.readers, () =>
    openReader({
      config,
      connectMs,
      statementMs: slowMs,
      silentMs: Math.ceil(queryMs * silentPart),
    }),
  )
  const slow = createSlowQueries()
  let isClosed = false

  const readAlone: PostgresHost['readAlone'] = async (brand, timeLeft, work) => {
    const client = await connectTo(alone)
    const all = async (query: Query): Promise<readonly Row[]> => {
      const limit = { query_timeout: Math.ceil(timeLeft()), rowMode: 'array' as const }
      try {
        return (await client.query({ ...forPostgres(query), ...limit })).rows
      } catch (error) {
        throw toDatabaseError(error)
      }
    }
    try {
      await all({ text: beginReading, values: [] })
      await all(settingsOf(brand, Math.ceil(timeLeft())))
      await all({ text: takeRole('transaction'), values: [] })
      const result = await work(all)
      await all({ text: 'commit', values: [] })
      client.release()
      return result
    } catch (error) {
      client.release(true)
      throw error
    }
  }

  /** Reads on a connection of its own, so that no other request waits behind it. */
  const readSlowly = (
    queries: readonly Query[],
    brand: string,
    deadline: Deadline,
  ): Promise<Results> => {
    const run = async (timeLeft: TimeLeft) => {
      const began = performance.now()
      const results = await readAlone(brand, timeLeft, async (all) => {
        const read: (readonly Row[])[] = []
        for (const query of queries) read.push(await all(query))
        return read
      })
      if (performance.now() - began < slowMs / 2) slow.delete(queries, brand)
      return results
    }
    return deadline.race(longReads.run(brand, run, deadline.leftMs))
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
      // One that opens after the deadline is not used: the next poll opens its own.
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

  return {
    name: `${host}:${port}`,
    read: async (queries, brand, deadline) => {
      // A burst of one slow query drops several readers, each of which may have this one in flight.
      while (!slow.has(queries, brand)) {
        const reader = await deadline.race(readers.take())
        try {
          return await deadline.race(reader.ask(queries, brand))
        } catch (error) {
          if (error instanceof ConnectionDroppedError && deadline.leftMs() > 0) continue
          if (!isCancelled(error)) throw toDatabaseError(error)
          slow.add(queries, brand)
          // The others of its kind would each take as long, one after the other.
          reader.dropIfInFlight(queries, brand)
        }
      }
      return readSlowly(queries, brand, deadline)
    },
    readAlone,
    poll: async (query) => {
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
    },
    connect: () => connectTo(pool),
    dedicatedClient,
    close: async () => {
      if (isClosed) return
      isClosed = true
      await Promise.all([
        readers.close(),
        alone.end(),
        pool.end(),
        pollClient?.end().catch(() => undefined),
      ])
    },
  }
}

/** Settings of one transaction that serves a request on a connection of its own. */
const settingsOf = (brand: string, statementMs: number): Query => ({
  text: [
    "select set_config('selvedge.brand', ?1, true), set_config('statement_timeout', ?2, true),",
    "set_config('enable_seqscan', 'off', true)",
  ].join(' '),
  values: [brand, String(statementMs)],
})

/** The shared connections of a host. They are opened as they are needed. */
interface Readers {
  /** The ready one with the fewest requests in flight; otherwise one that is being opened. */
  take(): Promise<Reader>
  close(): Promise<void>
}

interface ReaderSlot {
  reader: Reader | null
  /** When it may be opened again. */
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

  /** Opens one more, unless one is being opened or has just failed. */
  const openMore = (isNeeded: boolean): Reader | undefined => {
    const opening = slots.find(({ reader }) => reader && !reader.isClosed && !reader.isReady)
    if (opening?.reader) return opening.reader
    const vacant = slots.filter(({ reader }) => !reader || reader.isClosed)
    const now = performance.now()
    const slot =
      vacant.find(({ openFrom }) => openFrom <= now) ?? (isNeeded ? vacant[0] : undefined)
    return slot && fill(slot)
  }

  return {
    take: async () => {
      if (closed) throw new DatabaseError('The database was closed.')
      let best: Reader | undefined
      for (const { reader } of slots) {
        if (reader?.isReady && reader.inFlight < (best?.inFlight ?? inFlightMax)) best = reader
      }
      if (best?.inFlight === 0) return best
      const other = openMore(best === undefined)
      if (best) return best
      if (!other) throw new DatabaseError('Too many queries are waiting for the database.')
      try {
        await other.ready
      } catch (error) {
        throw toDatabaseError(error)
      }
      if (other.inFlight < inFlightMax) return other
      throw new DatabaseError('Too many queries are waiting for the database.')
    },
    close: async () => {
      closed = true
      await Promise.all(slots.map(({ reader }) => reader?.close()))
    },
  }
}

/** Which queries took too long on a shared connection, for which brand. Values do not matter. */
interface SlowQueries {
  has(queries: readonly Query[], brand: string): boolean
  add(queries: readonly Query[], brand: string): void
  delete(queries: readonly Query[], brand: string): void
}

const slowQueriesMax = 1_000

const createSlowQueries = (): SlowQueries => {
  // By text first: it is long, but always the same string object, whose hash is computed once.
  const brands = new Map<string, Set<string>>()
  let count = 0
  const textOf = ([first]: readonly Query[]): string => first?.text ?? ''
  return {
    has: (queries, brand) => count > 0 && brands.get(textOf(queries))?.has(brand) === true,
    add: (queries, brand) => {
      // They are added again as soon as they are slow again.
      if (count >= slowQueriesMax) brands.clear()
      const text = textOf(queries)
      brands.set(text, (brands.get(text) ?? new Set()).add(brand))
      count = [...brands.values()].reduce((sum, { size }) => sum + size, 0)
    },
    delete: (queries, brand) => {
      const ofText = brands.get(textOf(queries))
      if (ofText?.delete(brand)) count -= 1
      if (ofText?.size === 0) brands.delete(textOf(queries))
    },
  }
}
