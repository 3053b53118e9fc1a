import type { Duplex } from 'node:stream'
import type Pg from 'pg'
import type { Client, Connection, FieldDef } from 'pg'
import { type Cell, CivilTime } from '#mapping'
import { type ConnectionClock, openConnectionClock } from './connection-clock.ts'
import type { SqlLexicon } from './cursor-placeholder.ts'
import { createMessageGuard, type Framing, type MessageGuard } from './message-guard.ts'
import { postgresSchema } from './postgres-schema.ts'
import { type SourceAddress, tlsOptions } from './source-address.ts'
import { arrayCell, civilCell, numberCell } from './source-cell.ts'
import {
  answerMs,
  batchBytes,
  batchRows,
  type ColumnKind,
  connectMs,
  roundMs,
  type SourceColumn,
  type SourceDatabase,
  SourceDatabaseError,
  type SourceDatabaseOptions,
  type SourceDialect,
  type SourceTable,
  snapshotBytesMax,
  toSourceError,
} from './source-database.ts'

/** A text or a name that does not end goes to the end of the query. */
export const postgresLexicon: SqlLexicon = {
  quoted:
    /(?<!\w)e'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|(?<![\w$])\$((?:[^\W\d]\w*)?)\$.*?(?:\$\1\$|$)|--[^\n]*/isy,
  nestsComments: true,
  executedComment: null,
}

const dialect: SourceDialect = {
  quote: (name) => `"${name.replaceAll('"', '""')}"`,
  literal: (text) => `'${text.replaceAll("'", "''")}'`,
  asText: (value) => `${value}::text`,
  ascending: (value) => `${value} nulls first`,
  schema: postgresSchema,
  lexicon: postgresLexicon,
}

/** Lost connections, a server that starts or stops, too many clients, locks, and timeouts. */
const transientCodes = /^(08...|53...|57P0.|57014|40001|40P01|55P03|25P03)$/

const lockMs = 10_000

/** How long a source may take to end the connection. */
const endMs = 1_000

/** Messages of PostgreSQL: a type, and a length that includes itself. Rows count. */
const framing: Framing = {
  headerBytes: 5,
  bodyBytes: (header) => header.readUInt32BE(1) - 4,
  isCounted: (header) => header[0] === 'D'.charCodeAt(0),
}

/** Reads from PostgreSQL, by cursors of the server. */
export const createPostgresSource = (
  address: SourceAddress,
  options: SourceDatabaseOptions,
): SourceDatabase => ({
  dialect,
  snapshot: async (work, signal) => {
    const { default: driver } = await import('pg')
    const ssl = (await tlsOptions(address)) ?? false
    const connection = new driver.Connection({ ssl, keepAlive: true })
    const clock = openConnectionClock({
      roundMs: roundMs(options),
      signal,
      destroy: () => connection.stream.destroy(),
    })
    const fail = (error: unknown): Error => clock.reason ?? failure(error, address)
    let rowsBefore = 0
    const guard = createMessageGuard(
      framing,
      options.bytesMax ?? snapshotBytesMax,
      (messages) => messages - rowsBefore,
    )
    guardMessages(connection, guard, (error) => clock.cut(failure(error, address)))
    refuseClearPassword(connection, address)
    const client = new driver.Client({
      ...{ ...address, ssl, connection },
      application_name: 'selvedge sync',
    } as never)
    client.on('error', (error) => clock.cut(failure(error, address)))
    try {
      if (clock.reason) throw clock.reason
      const run = (text: string) => clock.wait(client.query(text), connectMs)
      try {
        await clock.wait(client.connect(), connectMs)
        for (const text of beginning(options)) await run(text)
      } catch (error) {
        // Some errors of connecting have no code, such as a server without TLS.
        throw fail(error)
      }
      return await work({
        query: (sql) => {
          rowsBefore = guard.messages
          return openCursor({ driver, client, clock, guard, fail, waitMs: answerMs(options) }, sql)
        },
      })
    } catch (error) {
      // What the work throws is its own, unless the database is to blame.
      if (clock.reason !== undefined || isOfDatabase(error)) throw fail(error)
      throw error
    } finally {
      if (!clock.reason) await clock.wait(client.end(), endMs).catch(() => undefined)
      clock.close()
      connection.stream.destroy()
    }
  },
})

/** Errors of the driver have a code. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && !('isTransient' in error)

const failure = (error: unknown, { password }: SourceAddress): Error =>
  toSourceError(error, password, transientCodes)

/** Looks at what the source sends before the driver does, whose parser throws out of any promise. */
const guardMessages = (
  connection: Connection,
  guard: MessageGuard,
  onError: (error: unknown) => void,
): void => {
  const driver = connection as unknown as { attachListeners(stream: Pick<Duplex, 'on'>): void }
  const attach = driver.attachListeners.bind(connection)
  driver.attachListeners = (stream) => {
    const on = (event: string, listener: (chunk: Buffer) => void) =>
      stream.on(event, (chunk: Buffer) => {
        try {
          if (event === 'data') guard.check(chunk)
          listener(chunk)
        } catch (error) {
          onError(error)
        }
      })
    attach({ on } as never)
  }
}

/** Any server can ask for the password itself. Without TLS, everybody on the way would read it. */
const refuseClearPassword = (connection: Connection, { host, tls }: SourceAddress): void => {
  if (tls || isLocal(host)) return
  connection.on('authenticationCleartextPassword', () => {
    throw new SourceDatabaseError(
      'The source database asks for the password in the clear. Nothing was sent. Use TLS: add sslmode=verify-full to its address.',
      false,
    )
  })
}

const isLocal = (host: string): boolean => /^(localhost|127(\.\d+){3}|::1)$/i.test(host)

/** The texts of values are the same whatever the server's settings are. */
const beginning = ({ timeoutMs }: SourceDatabaseOptions): readonly string[] => [
  'begin isolation level repeatable read read only',
  "set local timezone = 'UTC'",
  "set local datestyle = 'ISO, YMD'",
  "set local intervalstyle = 'iso_8601'",
  'set local extra_float_digits = 1',
  // All rows are wanted, and not the first ones soon.
  'set local cursor_tuple_fraction = 1',
  `set local lock_timeout = ${lockMs}`,
  `set local statement_timeout = ${timeoutMs}`,
]

interface CursorParts {
  readonly driver: typeof Pg
  readonly client: Client
  readonly clock: ConnectionClock
  readonly guard: MessageGuard
  readonly fail: (error: unknown) => Error
  readonly waitMs: number
}

/** By the extended protocol, which refuses several statements in one text. */
const statement = (text: string) => ({
  text,
  rowMode: 'array',
  types: { getTypeParser: (type: number) => parserOf(type) },
  queryMode: 'extended',
})

const cursorName = 'selvedge_rows'

const openCursor = async (parts: CursorParts, sql: string): Promise<SourceTable> => {
  const { client, clock, fail, waitMs } = parts
  const run = async (text: string): Promise<void> => {
    try {
      await clock.wait(client.query(statement(text) as never), waitMs)
    } catch (error) {
      throw fail(error)
    }
  }
  await run(`declare ${cursorName} no scroll cursor for\n${sql}`)
  let columns: readonly SourceColumn[] = []
  const all = async function* () {
    for (let rows = batchRows; rows === batchRows; ) {
      rows = 0
      const fetched = fetchRows(parts, (fields) => {
        columns = fields.map(columnOf)
      })
      for await (const batch of fetched) {
        rows += batch.length
        if (rows > batchRows || batch.some(({ length }) => length !== columns.length)) {
          throw fail(new Error('it sent other rows than it was asked for'))
        }
        yield batch
      }
    }
    await run(`close ${cursorName}`)
  }
  const iterator = all()
  const first = await iterator.next()
  const batches = async function* () {
    if (!first.done) yield first.value
    yield* iterator
  }
  return { columns, batches: batches() }
}

/** The next rows of the cursor. The connection is paused whenever many bytes of them wait. */
async function* fetchRows(
  { driver, client, clock, guard, fail, waitMs }: CursorParts,
  onFields: (fields: readonly FieldDef[]) => void,
): AsyncIterable<Cell[][]> {
  const { stream } = client.connection
  const query = new driver.Query(statement(`fetch ${batchRows} from ${cursorName}`) as never)
  let waiting: Cell[][] = []
  let isComplete = false
  let startBytes = guard.received
  let next = awaited()
  query.on('row', (row, result) => {
    if (waiting.push(row as Cell[]) === 1) onFields(result?.fields ?? [])
    if (guard.received - startBytes < batchBytes && waiting.length <= batchRows) return
    stream.pause()
    next.resolve()
  })
  query.on('end', ({ fields }) => {
    onFields(fields)
    isComplete = true
    next.resolve()
  })
  query.on('error', (error) => next.reject(error))
  client.query(query)
  while (!isComplete) {
    try {
      await clock.wait(next.promise, waitMs)
    } catch (error) {
      throw fail(error)
    }
    const batch = waiting
    waiting = []
    startBytes = guard.received
    if (!isComplete) next = awaited()
    if (batch.length > 0) yield batch
    stream.resume()
  }
}

/** A promise that may fail without being awaited. */
const awaited = (): PromiseWithResolvers<void> => {
  const resolvers = Promise.withResolvers<void>()
  resolvers.promise.catch(() => undefined)
  return resolvers
}

const columnOf = ({ name, dataTypeID }: FieldDef) => ({ name, kind: kinds[dataTypeID] ?? 'text' })

const [int8, int2, int4, oid, float4, float8, numeric] = [20, 21, 23, 26, 700, 701, 1_700]
const [bool, json, jsonb, date, timestamp, timestamptz] = [16, 114, 3_802, 1_082, 1_114, 1_184]
const [texts, varchars, integers] = [1_009, 1_015, 1_007]

const kinds: { readonly [type: number]: ColumnKind } = {
  [timestamptz]: 'instant',
  [timestamp]: 'civil',
  [date]: 'civil',
  [bool]: 'flag',
  [json]: 'json',
  [jsonb]: 'json',
  ...Object.fromEntries(
    [int8, int2, int4, oid, numeric, float4, float8].map((type) => [type, 'number']),
  ),
}

type Parse = (text: string) => Cell

const parserOf = (type: number): Parse => parsers[type] ?? asText

const asText: Parse = (text) => text

const parsers: { readonly [type: number]: Parse } = {
  [bool]: (text) => text === 't',
  ...Object.fromEntries(
    [int8, int2, int4, oid, numeric, float4, float8].map((type) => [type, numberCell]),
  ),
  [json]: (text) => JSON.parse(text) as Cell,
  [jsonb]: (text) => JSON.parse(text) as Cell,
  [date]: (text) => (isOrdinary(text) ? new CivilTime(text) : text),
  [timestamp]: (text) => (isOrdinary(text) ? civilCell(text) : text),
  [timestamptz]: (text) => (isOrdinary(text) ? new Date(`${text.replace(' ', 'T')}:00`) : text),
  [texts]: arrayCell,
  [varchars]: arrayCell,
  [integers]: arrayCell,
}

/** Days such as `infinity` and years before Christ stay texts, which no field accepts. */
function isOrdinary(text: string): boolean {
  return /^\d{4}-/.test(text) && !text.endsWith(' BC')
}
