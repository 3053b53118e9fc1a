import type { Client, FieldDef } from 'pg'
import { type Cell, CivilTime } from '#mapping'
import type { SqlLexicon } from './cursor-placeholder.ts'
import { postgresSchema } from './postgres-schema.ts'
import { type SourceAddress, tlsOptions } from './source-address.ts'
import { civilCell, numberCell } from './source-cell.ts'
import {
  batchRows,
  type ColumnKind,
  type Snapshot,
  type SourceDatabase,
  type SourceDatabaseOptions,
  type SourceDialect,
  toSourceError,
} from './source-database.ts'

/** A text or a name that does not end goes to the end of the query. */
export const postgresLexicon: SqlLexicon = {
  quoted:
    /(?<!\w)e'(?:[^'\\]|\\.|'')*(?:'|$)|'(?:[^']|'')*(?:'|$)|"(?:[^"]|"")*(?:"|$)|(?<![\w$])\$((?:[^\W\d]\w*)?)\$.*?(?:\$\1\$|$)|--[^\n]*/isy,
  nestsComments: true,
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

/** A server that does not answer is away. */
const connectMs = 10_000
const lockMs = 10_000

/** Reads from PostgreSQL, by cursors of the server. */
export const createPostgresSource = (
  address: SourceAddress,
  { timeoutMs }: SourceDatabaseOptions,
): SourceDatabase => ({
  dialect,
  snapshot: async (work, signal) => {
    const { default: pg } = await import('pg')
    const ssl = await tlsOptions(address)
    const client = new pg.Client({
      ...address,
      ssl: ssl ?? false,
      connectionTimeoutMillis: connectMs,
      keepAlive: true,
      application_name: 'selvedge sync',
    })
    let lost: unknown
    client.on('error', (error) => {
      lost ??= error
    })
    // A statement may take minutes. Without its connection, it ends.
    const cut = () => client.connection.stream.destroy()
    signal?.addEventListener('abort', cut)
    try {
      signal?.throwIfAborted()
      try {
        await client.connect()
        for (const text of beginning(timeoutMs)) await client.query(text)
      } catch (error) {
        // Some errors of connecting have no code, such as a timeout or a server without TLS.
        throw failure(lost ?? error, address)
      }
      return await work(createSnapshot(client, (error) => failure(lost ?? error, address)))
    } catch (error) {
      // What the work throws is its own, unless the database is to blame.
      if (lost !== undefined || isOfDatabase(error)) throw failure(lost ?? error, address)
      throw error
    } finally {
      signal?.removeEventListener('abort', cut)
      await client.end().catch(() => undefined)
    }
  },
})

/** Errors of the driver have a code. */
const isOfDatabase = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && !('isTransient' in error)

const failure = (error: unknown, { password }: SourceAddress): Error =>
  toSourceError(error, password, transientCodes)

/** The texts of values are the same whatever the server's settings are. */
const beginning = (timeoutMs: number): readonly string[] => [
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

const createSnapshot = (client: Client, toError: (error: unknown) => Error): Snapshot => {
  const run = async (text: string) => {
    try {
      // By the extended protocol, which refuses several statements in one text.
      return await client.query<Cell[]>({
        text,
        rowMode: 'array',
        types: { getTypeParser: (type: number) => parserOf(type) },
        queryMode: 'extended',
      } as never)
    } catch (error) {
      throw toError(error)
    }
  }
  let opened = 0
  return {
    query: async (sql) => {
      opened += 1
      const cursor = `selvedge_${opened}`
      await run(`declare ${cursor} no scroll cursor for\n${sql}`)
      const next = () => run(`fetch ${batchRows} from ${cursor}`)
      const first = await next()
      const batches = async function* () {
        for (let { rows } = first; rows.length > 0; { rows } = await next()) {
          yield rows
          if (rows.length < batchRows) break
        }
        await run(`close ${cursor}`)
      }
      return { columns: first.fields.map(columnOf), batches: batches() }
    },
  }
}

const columnOf = ({ name, dataTypeID }: FieldDef) => ({ name, kind: kinds[dataTypeID] ?? 'text' })

const [int8, int2, int4, oid, float4, float8, numeric] = [20, 21, 23, 26, 700, 701, 1_700]
const [bool, json, jsonb, date, timestamp, timestamptz] = [16, 114, 3_802, 1_082, 1_114, 1_184]
const [texts, varchars, integers] = [1_009, 1_015, 1_007]

const kinds: { readonly [type: number]: ColumnKind } = {
  [timestamptz]: 'instant',
  [timestamp]: 'civil',
  [date]: 'civil',
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

/** An array of one dimension, such as `{a,"b c",NULL}`. */
function arrayCell(text: string): Cell {
  const items = text.slice(1, -1).matchAll(/"((?:[^"\\]|\\.)*)"|([^,]+)/g)
  return [...items].map(([, quoted, plain]) => {
    if (quoted !== undefined) return quoted.replaceAll(/\\(.)/g, '$1')
    return plain === 'NULL' ? null : (plain ?? '')
  })
}
