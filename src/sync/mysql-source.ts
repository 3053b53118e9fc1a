import { once } from 'node:events'
import type { Connection, FieldPacket, TypeCastField } from 'mysql2'
import { type Cell, CivilTime } from '#mapping'
import type { SqlLexicon } from './cursor-placeholder.ts'
import { mysqlSchema } from './mysql-schema.ts'
import { type SourceAddress, tlsOptions } from './source-address.ts'
import { civilCell, numberCell } from './source-cell.ts'
import {
  batchRows,
  type ColumnKind,
  type Snapshot,
  type SourceDatabase,
  SourceDatabaseError,
  type SourceDatabaseOptions,
  type SourceDialect,
  toSourceError,
} from './source-database.ts'

/** A text or a name that does not end goes to the end of the query. */
export const mysqlLexicon: SqlLexicon = {
  quoted:
    /'(?:[^'\\]|\\.|'')*(?:'|$)|"(?:[^"\\]|\\.|"")*(?:"|$)|`(?:[^`]|``)*(?:`|$)|--(?=\s|$)[^\n]*|#[^\n]*/sy,
  nestsComments: false,
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

const connectMs = 10_000

/** How long the server waits for this process to take rows. Writing records may take a while. */
const sendSeconds = 600

/** Reads from MySQL and MariaDB. Rows are taken from the connection as they are wanted. */
export const createMysqlSource = (
  address: SourceAddress,
  { timeoutMs }: SourceDatabaseOptions,
): SourceDatabase => ({
  dialect,
  snapshot: async (work, signal) => {
    const { createConnection } = await loadDriver()
    const { host, port, user, password, database } = address
    const ssl = await tlsOptions(address)
    const connection = createConnection({
      ...{ host, port, database, connectTimeout: connectMs, enableKeepAlive: true },
      ...(user !== undefined && { user }),
      ...(password !== undefined && { password }),
      ...(ssl && { ssl: { ...ssl, verifyIdentity: ssl.rejectUnauthorized ?? true } as never }),
      charset: 'utf8mb4_general_ci',
      timezone: 'Z',
      rowsAsArray: true,
      typeCast: readCell,
    })
    const fail = (error: unknown) => toSourceError(error, password, transientCodes)
    let lost: unknown
    connection.on('error', (error) => {
      lost ??= error
    })
    // A statement may take minutes. Without its connection, it ends.
    const cut = () => {
      lost ??= new SourceDatabaseError('The synchronisation was stopped.', true)
      connection.destroy()
    }
    signal?.addEventListener('abort', cut)
    try {
      signal?.throwIfAborted()
      const run = (sql: string) =>
        runAll(connection, sql).catch((error) => Promise.reject(fail(error)))
      const [[version] = []] = await run('select version()')
      for (const sql of beginning(String(version), timeoutMs)) await run(sql)
      return await work(createSnapshot(connection, (error) => fail(lost ?? error)))
    } catch (error) {
      throw lost === undefined ? error : fail(lost)
    } finally {
      signal?.removeEventListener('abort', cut)
      // A query whose rows are not wanted any more would have to be read to its end.
      connection.destroy()
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

const beginning = (version: string, timeoutMs: number): readonly string[] => [
  "set session time_zone = '+00:00'",
  `set session net_write_timeout = ${sendSeconds}`,
  /mariadb/i.test(version)
    ? `set session max_statement_time = ${timeoutMs / 1_000}`
    : `set session max_execution_time = ${timeoutMs}`,
  'set session transaction isolation level repeatable read',
  'start transaction with consistent snapshot, read only',
]

const createSnapshot = (connection: Connection, toError: (error: unknown) => Error): Snapshot => ({
  query: async (sql) => {
    const query = connection.query({ sql })
    const stream = query.stream({ highWaterMark: batchRows })
    let failed: unknown
    stream.on('error', (error) => {
      failed ??= error
    })
    const stopped = new AbortController()
    const fields = await Promise.race([
      once(query, 'fields', stopped).then(([all]) => all as FieldPacket[]),
      once(stream, 'end', stopped).then(() => [] as FieldPacket[]),
    ]).catch((error) => {
      throw toError(failed ?? error)
    })
    stopped.abort()
    const batches = async function* () {
      try {
        let batch: Cell[][] = []
        for await (const row of stream) {
          batch.push(row as Cell[])
          if (batch.length < batchRows) continue
          yield batch
          batch = []
        }
        if (batch.length > 0) yield batch
      } catch (error) {
        throw toError(error)
      }
    }
    return { columns: fields.map(columnOf), batches: batches() }
  },
})

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
