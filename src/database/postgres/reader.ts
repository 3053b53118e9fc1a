import { createHash } from 'node:crypto'
import pg from 'pg'
import { withTimeout } from '#concurrency'
import { DatabaseError, type Query, type Results, type Row, type SqlValue } from '../database.ts'
import { connectTooSlow } from './errors.ts'

/** The role that serves requests: it sees a brand's rows only while that brand has been named. */
export const readerRole = 'selvedge_reader'

/**
 * One connection that many requests share: their statements are sent without waiting for each
 * other's answers. Those of one request are next to each other, in a transaction of their own.
 */
export interface Reader {
  /** Resolves once it can be used; rejects when it could not be opened. */
  readonly ready: Promise<void>
  readonly isReady: boolean
  /** Whether it broke or was closed. */
  readonly isClosed: boolean
  /** Requests without a response, also those whose client does not wait any more. */
  readonly inFlight: number
  /** Runs a request's queries against one state. Rejects with the driver's own error. */
  ask(queries: readonly Query[], brand: string): Promise<Results>
  /**
   * Drops the connection if another request in flight has the same statement, whatever its values.
   * All requests in flight are rejected with `ConnectionDroppedError`.
   */
  dropIfInFlight(queries: readonly Query[], brand: string): void
  close(): Promise<void>
}

/** This process dropped the connection because of another request. */
export class ConnectionDroppedError extends DatabaseError {}

/** A request's first statement and its brand. Values do not matter. */
interface InFlight {
  readonly text: string | undefined
  readonly brand: string
}

export interface ReaderParts {
  readonly config: pg.ClientConfig
  /** How long connecting may take. */
  readonly connectMs: number
  /** The server cancels a statement that takes longer; the connection stays. */
  readonly statementMs: number
  /** A server that has sent nothing for so long, although requests are in flight, is taken to hang. */
  readonly silentMs: number
}

/** Prepared statements of a connection. Those beyond are parsed by the server each time. */
const namedMax = 500

export const openReader = (parts: ReaderParts): Reader => {
  const { statementMs, silentMs } = parts
  const client = new pg.Client({ ...parts.config, pipeline: true } as pg.ClientConfig)
  const named = new Map<string, { readonly name: string; readonly text: string }>()
  let isReady = false
  let isClosed = false
  let isDropped = false
  const inFlight = new Set<InFlight>()
  let heardAt = 0
  let watchTimer: NodeJS.Timeout | undefined

  /** Closes it at once: a server that hangs would never end the connection in order. */
  const destroy = () => {
    isClosed = true
    isReady = false
    clearTimeout(watchTimer)
    client.connection.stream.destroy()
  }
  client.on('error', destroy)
  client.on('end', destroy)

  const connect = async (): Promise<void> => {
    await withTimeout(parts.connectMs, client.connect(), connectTooSlow)
    client.connection.stream.on('data', () => {
      heardAt = performance.now()
    })
    await withTimeout(silentMs, client.query(preparation(statementMs)), connectTooSlow)
    isReady = !isClosed
  }
  const ready = connect()
  ready.catch(destroy)

  /** Checks whether the server still sends something, for as long as requests are in flight. */
  const watch = (ms: number) => {
    watchTimer = setTimeout(() => {
      // What has arrived while this process was busy is read first.
      setImmediate(() => {
        watchTimer = undefined
        if (inFlight.size === 0 || isClosed) return
        const leftMs = heardAt + silentMs - performance.now()
        if (leftMs > 0) watch(leftMs)
        else destroy()
      })
    }, ms).unref()
  }

  /** A statement under a name, which the server then parses once. */
  const prepared = ({ text, values }: Query): pg.QueryConfig => {
    const cached = named.get(text)
    if (cached) return { ...cached, values: values as SqlValue[] }
    const query = forPostgres({ text, values })
    if (named.size >= namedMax) return query
    const name = createHash('sha256').update(text).digest('base64url').slice(0, 24)
    named.set(text, { name, text: query.text })
    return { ...query, name }
  }

  let isCorked = false

  /** Sends the statements of all requests of this turn of the event loop in one system call. */
  const cork = ({ connection: { stream } }: pg.Client): void => {
    if (isCorked) return
    isCorked = true
    stream.cork()
    setImmediate(() => {
      isCorked = false
      stream.uncork()
    })
  }

  return {
    ready,
    get isReady() {
      return isReady
    },
    get isClosed() {
      return isClosed
    },
    get inFlight() {
      return inFlight.size
    },
    // Sends all statements next to each other. The result of the last one settles the promise.
    ask: (queries, brand) =>
      new Promise<Results>((resolve, reject) => {
        const statements = queries.map((query) => ({
          ...prepared(query),
          rowMode: 'array' as const,
        }))
        const results: (readonly Row[])[] = []
        let failure: unknown
        const onError = (error: unknown) => {
          failure ??= error
        }
        const own: InFlight = { text: queries[0]?.text, brand }
        if (inFlight.size === 0) heardAt = performance.now()
        inFlight.add(own)
        if (!watchTimer) watch(silentMs)
        cork(client)
        // One message for both: each costs both processes as much as a short statement.
        const brandText = pg.escapeLiteral(brand)
        void client.query(`${beginReading}; set local selvedge.brand = ${brandText}`, onError)
        for (const [index, statement] of statements.entries()) {
          void client.query(statement, (error, result) => {
            onError(error)
            results[index] = result?.rows as unknown as Row[]
          })
        }
        void client.query('commit', (error) => {
          inFlight.delete(own)
          onError(error)
          if (!failure) resolve(results)
          else reject(isDropped ? new ConnectionDroppedError('The database is too slow.') : failure)
        })
      }),
    dropIfInFlight: (queries, brand) => {
      const text = queries[0]?.text
      for (const each of inFlight) isDropped ||= each.text === text && each.brand === brand
      if (isDropped) destroy()
    },
    close: async () => {
      const ending = ready.then(() => client.end())
      await withTimeout(parts.connectMs, ending).catch(() => undefined)
      destroy()
    },
  }
}

/** Begins a transaction that sees one state and changes nothing. */
export const beginReading = 'begin isolation level repeatable read read only'

/** Whether the user may act as a role: from PostgreSQL 16 on, a member need not have that right. */
export const mayTake = (role: string): string =>
  `coalesce(pg_has_role(current_user, ${role}, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end), false)`

/**
 * Sets the role that serves requests, for the whole connection or for one transaction, where the user
 * may set it and it may read. Otherwise only the conditions in the statements keep brands apart.
 */
export const takeRole = (until: 'connection' | 'transaction'): string =>
  [
    `select set_config('role', rolname, ${until === 'transaction'})`,
    'from pg_roles',
    `where rolname = '${readerRole}' and ${mayTake('oid')}`,
    "and coalesce(has_table_privilege(oid, to_regclass('public.selvedge_collections'), 'select'), false)",
  ].join(' ')

/**
 * The settings of a new connection, as one message. Not as startup parameters: poolers refuse those
 * that they do not know.
 */
const preparation = (statementMs: number): string =>
  [
    `set statement_timeout = ${statementMs}`,
    // Everything that a request reads has an index in its order. Where many rows match, the planner
    // would sometimes rather scan the table in the hope of finding one soon.
    'set enable_seqscan = off',
    takeRole('connection'),
  ].join('; ')

/** A query with its parameters in PostgreSQL's form. */
export const forPostgres = ({ text, values }: Query): pg.QueryConfig => ({
  text: text.replaceAll(/\?(\d+)/g, '$$$1'),
  values: [...values],
})
