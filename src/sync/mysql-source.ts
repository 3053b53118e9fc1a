import type { Duplex } from 'node:stream'
import type { Connection, FieldPacket, TypeCastField } from 'mysql2'
import { type Cell, CivilTime } from '#mapping'
import { type ConnectionClock, openConnectionClock } from './connection-clock.ts'
import type { SqlLexicon } from './cursor-placeholder.ts'
import { createMessageGuard, type Framing, type MessageGuard } from './message-guard.ts'
import { mysqlSchema } from './mysql-schema.ts'
import { type SourceAddress, tlsOptions } from './source-address.ts'
import { civilCell, numberCell } from './source-cell.ts'
import {
  answerMs,
  batchBytes,
  batchRows,
  type ColumnKind,
  connectMs,
  roundMs,
  type SourceDatabase,
  SourceDatabaseError,
  type SourceDatabaseOptions,
  type SourceDialect,
  type SourceTable,
  snapshotBytesMax,
  toSourceError,
} from './source-database.ts'

/** A text or a name that does not end goes to the end of the query. */
export const mysqlLexicon: SqlLexicon = {
  quoted:
    /'(?:[^'\\]|\\.|'')*(?:'|$)|"(?:[^"\\]|\\.|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|--(?=\s|$)[^\n]*|#[^\n]*/sy,
  nestsComments: false,
  executedComment: /^\/\*M?!/,
}

const dialect: SourceDialect = {
  quote: (name) => `\`${name.replaceAll('`', '``')}\``,
  // What a quote and a backslash mean depends on settings of the server.
  literal: (text) =>
    /^[\w .:+-]*$/.test(text) ? `'${text}'` : `_utf8mb4 X'${Buffer.from(text).toString('hex')}'`,
  asText: (value) => `cast(${value} as char)`,
  ascending: (value) => value,
  schema: mysqlSchema,
  lexicon: mysqlLexicon,
}

/**
 * Lost connections, a server that starts or stops, too many clients, locks, and timeouts. Some errors of
 * MariaDB have no name in the driver.
 */
const transientCodes =
  /^(ER_LOCK_WAIT_TIMEOUT|ER_LOCK_DEADLOCK|ER_CON_COUNT_ERROR|ER_TOO_MANY_USER_CONNECTIONS|ER_SERVER_SHUTDOWN|ER_QUERY_TIMEOUT|ER_STATEMENT_TIMEOUT|ER_QUERY_INTERRUPTED|ER_CONNECTION_KILLED|ER_NET_\w+|1927|1969|3024)$/

/** How long the server waits for this process to take rows. */
const sendSeconds = 600

/** Maximum number of rows that are parsed ahead, whatever their size. */
const rowsAhead = 4

/** Packets of MySQL: a length and a number. A message of more than one packet is too large. */
const framing: Framing = {
  headerBytes: 4,
  bodyBytes: (header) => header.readUIntLE(0, 3),
  isCounted: () => true,
}

/** Reads from MySQL and MariaDB. Rows are taken from the connection as they are wanted. */
export const createMysqlSource = (
  address: SourceAddress,
  options: SourceDatabaseOptions,
): SourceDatabase => ({
  dialect,
  snapshot: async (work, signal) => {
    const { createConnection } = await loadDriver()
    const { host, port, user, password, database } = address
    const ssl = await tlsOptions(address)
    const connection = createConnection({
      // The clock below has the time limit of connecting, with the login.
      ...{ host, port, database, connectTimeout: 0, enableKeepAlive: true },
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password }),
      ...(ssl && { ssl: { ...ssl, verifyIdentity: ssl.rejectUnauthorized ?? true } as never }),
      charset: 'utf8mb4_general_ci',
      timezone: 'Z',
      rowsAsArray: true,
      typeCast: readCell,
    }) as Connection & { readonly stream: Duplex }
    const destroy = () => {
      connection.destroy()
      // The driver ends its side only, and the source may leave its own open.
      connection.stream.destroy()
    }
    const clock = openConnectionClock({ roundMs: roundMs(options), signal, destroy })
    const fail = (error: unknown): Error =>
      clock.reason ?? toSourceError(error, password, transientCodes)
    connection.on('error', (error) => clock.cut(fail(error)))
    let messagesBefore = 0
    const guard = createMessageGuard(
      framing,
      options.bytesMax ?? snapshotBytesMax,
      (messages) => messages - messagesBefore,
    )
    const check = (chunk: Buffer) => {
      try {
        guard.check(chunk)
      } catch (error) {
        clock.cut(fail(error))
      }
    }
    connection.stream.on('data', check)
    try {
      if (clock.reason) throw clock.reason
      const run = (sql: string) =>
        clock.wait(runAll(connection, sql), connectMs).catch((error) => Promise.reject(fail(error)))
      const [[version] = []] = await run('select version()')
      // With TLS, the driver reads from another stream after the login.
      if (!connection.stream.listeners('data').includes(check)) connection.stream.on('data', check)
      for (const sql of beginning(String(version), options)) await run(sql)
      const read = { connection, clock, guard, fail, waitMs: answerMs(options) }
      return await work({
        query: (sql) => {
          const before = guard.messages
          return openQuery(read, sql, (count) => {
            // A count and an end of the columns come before the rows.
            messagesBefore = before + count + 2
          })
        },
      })
    } catch (error) {
      throw clock.reason ?? error
    } finally {
      clock.close()
      // A query whose rows are not wanted any more would have to be read to its end.
      destroy()
    }
  },
})

const loadDriver = async (): Promise<typeof import('mysql2')> => {
  try {
    const { default: driver } = await import('mysql2')
    return driver as unknown as typeof import('mysql2')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error
    throw new SourceDatabaseError(
      'The driver of MySQL and MariaDB is not installed. Install it in the folder of Selvedge: npm install mysql2',
      false,
    )
  }
}

const runAll = (connection: Connection, sql: string): Promise<readonly Cell[][]> =>
  new Promise((resolve, reject) => {
    connection.query({ sql }, (error, rows) =>
      error ? reject(error) : resolve(Array.isArray(rows) ? (rows as unknown as Cell[][]) : []),
    )
  })

const beginning = (version: string, { timeoutMs }: SourceDatabaseOptions): readonly string[] => [
  "set session time_zone = '+00:00'",
  `set session net_write_timeout = ${sendSeconds}`,
  /mariadb/i.test(version)
    ? `set session max_statement_time = ${timeoutMs / 1_000}`
    : `set session max_execution_time = ${timeoutMs}`,
  // Statements that commit by themselves, such as drop, end the transaction, and not the session.
  'set session transaction isolation level repeatable read, read only',
  'start transaction with consistent snapshot, read only',
]

interface QueryParts {
  readonly connection: Connection
  readonly clock: ConnectionClock
  readonly guard: MessageGuard
  readonly fail: (error: unknown) => Error
  readonly waitMs: number
}

const openQuery = async (
  { connection, clock, guard, fail, waitMs }: QueryParts,
  sql: string,
  onColumns: (count: number) => void,
): Promise<SourceTable> => {
  const query = connection.query({ sql })
  const stream = query.stream({ highWaterMark: rowsAhead })
  const answer = new Promise<readonly FieldPacket[]>((resolve, reject) => {
    query.once('fields', (fields: readonly FieldPacket[] = []) => {
      onColumns(fields.length)
      resolve(fields)
    })
    stream.once('end', () => resolve([]))
    stream.on('error', reject)
  })
  const awaited = async <T>(promise: Promise<T>): Promise<T> => {
    try {
      return await clock.wait(promise, waitMs)
    } catch (error) {
      throw fail(error)
    }
  }
  const columns = (await awaited(answer)).map(columnOf)
  const rows = stream[Symbol.asyncIterator]()
  const nextBatch = async (): Promise<Cell[][]> => {
    const batch: Cell[][] = []
    const before = guard.received
    while (batch.length < batchRows && guard.received - before < batchBytes) {
      const { done, value } = await rows.next()
      if (done) break
      batch.push(value as Cell[])
    }
    return batch
  }
  const batches = async function* () {
    for (;;) {
      const batch = await awaited(nextBatch())
      if (batch.length === 0) return
      yield batch
    }
  }
  return { columns, batches: batches() }
}

const columnOf = ({ name, columnType }: FieldPacket) => ({
  name,
  kind: kinds[columnType ?? -1] ?? 'text',
})

/** The numbers of types in the protocol. */
const kinds: { readonly [type: number]: ColumnKind } = {
  ...Object.fromEntries([0, 1, 2, 3, 4, 5, 8, 9, 13, 246].map((type) => [type, 'number'])),
  7: 'instant',
  10: 'civil',
  12: 'civil',
  245: 'json',
}

const numbers = new Set([
  ...['TINY', 'SHORT', 'LONG', 'INT24', 'LONGLONG', 'FLOAT', 'DOUBLE', 'DECIMAL', 'NEWDECIMAL'],
  'YEAR',
])

const readCell = (field: TypeCastField): Cell => {
  if (field.type === 'BIT') {
    const bits = field.buffer()
    return bits && numberCell(BigInt(`0x${bits.toString('hex') || '0'}`).toString())
  }
  const text = field.string('utf8')
  if (text === null) return null
  if (numbers.has(field.type)) return numberCell(text)
  if (field.type === 'JSON') return JSON.parse(text) as Cell
  if (!/^(DATE|NEWDATE|DATETIME|TIMESTAMP)$/.test(field.type)) return text
  // How these databases write that there is no date.
  if (text.startsWith('0000-00-00')) return null
  if (field.type === 'TIMESTAMP') return new Date(`${text.replace(' ', 'T')}Z`)
  return field.type === 'DATETIME' ? civilCell(text) : new CivilTime(text)
}
