import { createHash } from 'node:crypto'
import pg from 'pg'
import {
  DatabaseBusy,
  DatabaseUnavailable,
  type Query,
  type Row,
  type SqlValue,
} from './database.ts'
import type { PostgresAddress } from './postgres-address.ts'

/** The role that serves requests: it sees a brand's rows only while that brand has been named. */
export const readerRole = 'selvedge_reader'

/**
 * Takes the serving role, for the whole connection or for one transaction. Taken only where it may
 * be taken and may read; without it there is one wall, not two.
 */
export const takeRole = (until: 'connection' | 'transaction'): string =>
  [
    `select set_config('role', rolname, ${until === 'transaction'}) from pg_roles`,
    `where rolname = '${readerRole}' and pg_has_role(oid, 'member')`,
    "and coalesce(has_table_privilege(oid, to_regclass('public.selvedge_collections'), 'select'), false)",
  ].join(' ')

/** One server of a PostgreSQL address: connections that serve requests, and a pool for the rest. */
export interface PostgresHost {
  readonly name: string
  /** Runs a request's queries against one state, as the serving role, for the brand it names. */
  read(queries: readonly Query[], brand: string): Promise<readonly (readonly Row[])[]>
  /** A connection for work of its own. */
  connect(): Promise<pg.PoolClient>
  /** A connection that nobody else waits for, to be kept. */
  dedicate(): Promise<pg.Client>
  close(): Promise<void>
}

const inFlightMax = 512
const namedMax = 500

const types: pg.CustomTypesConfig = {
  // Counts and totals fit a number; the driver would hand them over as text.
  getTypeParser: ((oid: number, format?: 'text' | 'binary') =>
    oid === 20
      ? Number
      : pg.types.getTypeParser(oid, format as 'text')) as typeof pg.types.getTypeParser,
}

export const openHost = (
  address: PostgresAddress,
  { host, port }: PostgresAddress['hosts'][number],
): PostgresHost => {
  const config: pg.ClientConfig = {
    host,
    port,
    user: address.user,
    password: address.password,
    database: address.database,
    ssl: address.ssl === 'disable' ? false : { rejectUnauthorized: address.ssl === 'verify-full' },
    connectionTimeoutMillis: address.connectMs,
    application_name: 'selvedge',
    keepAlive: true,
    types,
  }
  const pool = new pg.Pool({ ...config, max: address.pool, idleTimeoutMillis: 30_000 })
  // Without a listener an idle connection that breaks would end the process.
  pool.on('error', () => undefined)
  pool.on('connect', (client) => client.on('error', () => undefined))
  const readers = Array.from({ length: address.readers }, () =>
    openReader(
      {
        ...config,
        // Requests have a limit of their own, over all that they ask.
        query_timeout: 0,
        // The server itself ends a slow statement a little earlier, and the connection lives on.
        statement_timeout: Math.ceil(address.queryMs * 0.9),
      },
      address.queryMs,
    ),
  )
  let turn = 0
  let closed = false

  return {
    name: `${host}:${port}`,
    read: (queries, brand) => {
      turn = (turn + 1) % readers.length
      return (readers[turn] as Reader).read(queries, brand)
    },
    connect: async () => {
      try {
        return await pool.connect()
      } catch (error) {
        throw unavailable(error)
      }
    },
    dedicate: async () => {
      const client = new pg.Client(config)
      client.on('error', () => undefined)
      try {
        await client.connect()
        return client
      } catch (error) {
        client.end().catch(() => undefined)
        throw unavailable(error)
      }
    },
    close: async () => {
      if (closed) return
      closed = true
      await Promise.all([...readers.map((reader) => reader.close()), pool.end()])
    },
  }
}

interface Reader {
  read(queries: readonly Query[], brand: string): Promise<readonly (readonly Row[])[]>
  close(): Promise<void>
}

/**
 * One connection that many requests share: their statements are sent without waiting for each
 * other's answers. Those of one request stand next to each other, in a transaction of their own.
 */
const openReader = (config: pg.ClientConfig, limitMs: number): Reader => {
  let connection: Connection | null = null
  let inFlight = 0
  const named = new Map<string, { readonly name: string; readonly text: string }>()

  const connect = (): Connection => {
    const client = new pg.Client({ ...config, pipeline: true } as pg.ClientConfig)
    const mine = { client, ready: prepare(client) }
    const forget = () => {
      if (connection === mine) connection = null
    }
    client.on('error', forget)
    client.on('end', forget)
    mine.ready.catch(() => {
      forget()
      cutOff(mine)
    })
    return mine
  }

  const prepare = async (client: pg.Client): Promise<void> => {
    await client.connect()
    // Whatever a request reads has an index in its order. Where many rows match, the planner would
    // sometimes rather walk the table in the hope of meeting one soon.
    await client.query('set enable_seqscan = off')
    await client.query(takeRole('connection'))
  }

  /** A statement under a name, which the server then parses once. */
  const prepared = ({ text, values }: Query): pg.QueryConfig => {
    const known = named.get(text)
    if (known) return { ...known, values: values as SqlValue[] }
    const query = forPostgres({ text, values })
    if (named.size >= namedMax) return query
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 24)
    named.set(text, { name, text: query.text })
    return { ...query, name }
  }

  let isCorked = false

  /** Lets what all requests of this moment have to say go out together: one system call, not many. */
  const together = ({ connection: { stream } }: pg.Client): void => {
    if (isCorked) return
    isCorked = true
    stream.cork()
    setImmediate(() => {
      isCorked = false
      stream.uncork()
    })
  }

  /** Sends the statements of a request next to each other. The last to be answered tells for all. */
  const ask = (client: pg.Client, queries: readonly Query[], brand: string) =>
    new Promise<readonly (readonly Row[])[]>((resolve, reject) => {
      const statements = queries.map((query) => ({ ...prepared(query), rowMode: 'array' as const }))
      const results: (readonly Row[])[] = []
      let failure: unknown
      const note = (error: unknown) => {
        failure ??= error
      }
      together(client)
      // One message for both: each costs the two processes as much as a short statement.
      const brandText = pg.escapeLiteral(brand)
      void client.query(
        `begin isolation level repeatable read read only; set local selvedge.brand = ${brandText}`,
        note,
      )
      for (const [index, statement] of statements.entries()) {
        void client.query(statement, (error, result) => {
          note(error)
          results[index] = result?.rows as unknown as Row[]
        })
      }
      void client.query('commit', (error) => {
        note(error)
        if (failure) reject(failure)
        else resolve(results)
      })
    })

  return {
    read: async (queries, brand) => {
      if (inFlight >= inFlightMax) {
        throw new DatabaseUnavailable('The database has more to do than it can.')
      }
      inFlight += 1
      connection ??= connect()
      const used = connection
      // Connecting and asking share one limit, so that nobody waits for their sum.
      const deadline = openDeadline(limitMs)
      try {
        await deadline.within(used.ready)
        return await deadline.within(ask(used.client, queries, brand))
      } catch (error) {
        // A statement that was refused leaves the connection to the others; anything else ends it.
        // The first of many that meet it does so for all.
        if (!isOfStatement(error) && connection === used) {
          connection = null
          cutOff(used)
        }
        throw unavailable(error)
      } finally {
        deadline.close()
        inFlight -= 1
      }
    },
    close: async () => {
      if (!connection) return
      const { client, ready } = connection
      const deadline = openDeadline(limitMs)
      await deadline.within(ready.then(() => client.end())).catch(() => undefined)
      deadline.close()
      if (connection) cutOff(connection)
    },
  }
}

/** A connection to the server, and when it has been made ready. */
interface Connection {
  readonly client: pg.Client
  readonly ready: Promise<void>
}

/** Ends a connection now: a server that hangs would never answer what a farewell waits for. */
const cutOff = ({ client }: Connection): void => {
  client.connection.stream.destroy()
}

/** Whether an error is the statement's own: the server answered, and will answer the next one. */
const isOfStatement = (error: unknown): boolean => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return /^[0-9A-Z]{5}$/.test(code) && !/^(08|57P|E)/.test(code)
}

/** A limit on several waits together. */
const openDeadline = (ms: number) => {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DatabaseUnavailable('The database is too slow.')), ms)
  })
  over.catch(() => undefined)
  return {
    within: <T>(work: Promise<T>): Promise<T> => Promise.race([work, over]),
    close: () => clearTimeout(timer),
  }
}

/** Our numbered parameters as PostgreSQL writes them. */
export const forPostgres = ({ text, values }: Query): pg.QueryConfig => ({
  text: text.replaceAll(/\?(\d+)/g, '$$$1'),
  values: [...values],
})

export const unavailable = (error: unknown): DatabaseUnavailable => {
  if (error instanceof DatabaseUnavailable) return error
  if (isLocked(error)) {
    return new DatabaseBusy('Others have used a table for too long.', { cause: error })
  }
  const reason = error instanceof Error ? error.message : String(error)
  return new DatabaseUnavailable(`The database failed: ${reason}.`, { cause: error })
}

/** Whether something was not to be had within `lock_timeout`. */
export const isLocked = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === '55P03'
