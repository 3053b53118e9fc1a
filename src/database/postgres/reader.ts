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
  /** Resolves once it can be asked; rejects when it could not be opened. */
  readonly ready: Promise<void>
  readonly isReady: boolean
  /** Whether it broke, was cut off or was closed. */
  readonly isGone: boolean
  /** Requests that have not been answered; also those whose client has given up. */
  readonly inFlight: number
  /** Runs a request's queries against one state. Rejects with the driver's own error. */
  ask(queries: readonly Query[], brand: string): Promise<Results>
  /**
   * Gives the connection up if another request in flight asks the same, with whatever values.
   * All that are in flight are rejected with `ConnectionDroppedError`.
   */
  dropIfInFlight(queries: readonly Query[], brand: string): void
  close(): Promise<void>
}

/** The connection was given up by us, for no fault of this request or of the server. */
export class ConnectionDroppedError extends DatabaseError {}

/** A request's statements and its brand; those that differ in nothing but values are the same. */
interface Asked {
  readonly text: string | undefined
  readonly brand: string
}

export interface ReaderParts {
  readonly config: pg.ClientConfig
  /** How long it may take until it can be asked. */
  readonly connectMs: number
  /** The server ends a statement that takes longer; the connection lives on. */
  readonly statementMs: number
  /** A server that has said nothing for so long, although it was asked, is taken to hang. */
  readonly silentMs: number
}

const namedMax = 500

export const openReader = (parts: ReaderParts): Reader => {
  const { statementMs, silentMs } = parts
  const client = new pg.Client({ ...parts.config, pipeline: true } as pg.ClientConfig)
  const named = new Map<string, { readonly name: string; readonly text: string }>()
  let isReady = false
  let isGone = false
  let isGivenUp = false
  const inFlight = new Set<Asked>()
  let heardAt = 0
  let watching: NodeJS.Timeout | undefined

  /** Ends it now: a server that hangs would never answer what an orderly end waits for. */
  const destroy = () => {
    isGone = true
    isReady = false
    clearTimeout(watching)
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
    isReady = !isGone
  }
  const ready = connect()
  ready.catch(destroy)

  /** Looks whether the server still talks, for as long as somebody waits for it. */
  const watch = (ms: number) => {
    watching = setTimeout(() => {
      // What has arrived while this process was busy is read first.
      setImmediate(() => {
        watching = undefined
        if (inFlight.size === 0 || isGone) return
        const leftMs = heardAt + silentMs - performance.now()
        if (leftMs > 0) watch(leftMs)
        else destroy()
      })
    }, ms).unref()
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
    get isGone() {
      return isGone
    },
    get inFlight() {
      return inFlight.size
    },
    // Sends all statements next to each other. The last to be answered tells for all.
    ask: (queries, brand) =>
      new Promise<Results>((resolve, reject) => {
        const statements = queries.map((query) => ({
          ...prepared(query),
          rowMode: 'array' as const,
        }))
        const results: (readonly Row[])[] = []
        let failure: unknown
        const note = (error: unknown) => {
          failure ??= error
        }
        const asked: Asked = { text: queries[0]?.text, brand }
        if (inFlight.size === 0) heardAt = performance.now()
        inFlight.add(asked)
        if (!watching) watch(silentMs)
        cork(client)
        // One message for both: each costs the two processes as much as a short statement.
        const brandText = pg.escapeLiteral(brand)
        void client.query(`${beginReading}; set local selvedge.brand = ${brandText}`, note)
        for (const [index, statement] of statements.entries()) {
          void client.query(statement, (error, result) => {
            note(error)
            results[index] = result?.rows as unknown as Row[]
          })
        }
        void client.query('commit', (error) => {
          inFlight.delete(asked)
          note(error)
          if (!failure) resolve(results)
          else reject(isGivenUp ? new ConnectionDroppedError('The database is too slow.') : failure)
        })
      }),
    dropIfInFlight: (queries, brand) => {
      const text = queries[0]?.text
      for (const each of inFlight) isGivenUp ||= each.text === text && each.brand === brand
      if (isGivenUp) destroy()
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
 * Takes the serving role, for the whole connection or for one transaction. Taken only where it may
 * be taken and may read; without it there is one wall, not two.
 */
export const takeRole = (until: 'connection' | 'transaction'): string =>
  [
    `select set_config('role', rolname, ${until === 'transaction'}) from pg_roles`,
    `where rolname = '${readerRole}' and ${mayTake('oid')}`,
    "and coalesce(has_table_privilege(oid, to_regclass('public.selvedge_collections'), 'select'), false)",
  ].join(' ')

/**
 * What a new connection is told, as one message. Not at its start: poolers refuse parameters there
 * that they do not know.
 */
const preparation = (statementMs: number): string =>
  [
    `set statement_timeout = ${statementMs}`,
    // Whatever a request reads has an index in its order. Where many rows match, the planner would
    // sometimes rather walk the table in the hope of meeting one soon.
    'set enable_seqscan = off',
    takeRole('connection'),
  ].join('; ')

/** Our numbered parameters as PostgreSQL writes them. */
export const forPostgres = ({ text, values }: Query): pg.QueryConfig => ({
  text: text.replaceAll(/\?(\d+)/g, '$$$1'),
  values: [...values],
})
