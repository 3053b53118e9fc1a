import type pg from 'pg'
import { to as copyTo } from 'pg-copy-streams'
import type { Query, Row } from '../database.ts'
import { DatabaseError } from '../errors.ts'
import { createLongReads } from '../long-read.ts'
import { type PostgresAddress, readPostgresAddress } from './address.ts'
import { toDatabaseError } from './errors.ts'
import { longReadsMax } from './host.ts'
import { type HostsOptions, openHosts } from './hosts.ts'
import { beginReading, forPostgres } from './reader.ts'
import { columnsQuery, parseColumns, type TypedTable } from './tables.ts'

/** All tables of a PostgreSQL database in one committed state, until it is closed. */
export interface PostgresState {
  /** Lets other connections read the same state. */
  readonly snapshot: string
  /** Such as 170002. */
  readonly serverVersion: number
  /** The server that it is read from: the primary. */
  readonly server: PostgresServer
  readonly tables: readonly TypedTable[]
  /** The expected size of all rows. */
  readonly bytes: number
  all(query: Query): Promise<readonly Row[]>
  /** The rows of a table in the text format of COPY. Read one table after the other, to its end. */
  rows(table: TypedTable): AsyncIterable<Uint8Array>
  close(): Promise<void>
}

/** What a program of PostgreSQL needs to connect. */
export type PostgresServer = Pick<PostgresAddress, 'user' | 'password' | 'database' | 'ssl'> &
  PostgresAddress['hosts'][number]

/** Fixes the state of the tables whose names pass. Blocks only what changes tables. */
export const openPostgresState = async (
  url: string,
  isWanted: (table: string) => boolean,
  options: HostsOptions = {},
): Promise<PostgresState> => {
  const address = readPostgresAddress(url)
  if (typeof address === 'string') throw new RangeError(`The database address ${address}.`)
  const hosts = openHosts(address, createLongReads(longReadsMax, address.queryMs), options)
  let client: pg.Client | undefined
  const close = async () => {
    await client?.end().catch(() => undefined)
    await hosts.close()
  }
  try {
    const writer = await hosts.writer()
    const own = await writer.dedicatedClient()
    client = own
    const all = async (query: Query): Promise<readonly Row[]> => {
      try {
        const { rows } = await own.query({ ...forPostgres(query), rowMode: 'array' })
        return rows as unknown as readonly Row[]
      } catch (error) {
        throw toDatabaseError(error)
      }
    }
    const run = (text: string) => all({ text, values: [] })
    const { fixed, tables } = await fixState(run, isWanted)
    const [size = []] = await all({ text: sizeQuery, values: [tables.map(nameOf).join(' ')] })
    const at = address.hosts.find(({ host, port }) => `${host}:${port}` === writer.name)
    if (!at) throw new DatabaseError(`${writer.name} is not part of the address.`)
    const { user, password, database, ssl } = address
    return {
      snapshot: String(fixed[0]),
      serverVersion: Number(fixed[1]),
      server: { ...at, user, password, database, ssl },
      tables,
      bytes: Number(size[0] ?? 0),
      all,
      rows: async function* (table) {
        try {
          yield* own.query(copyTo(copyText(table))) as AsyncIterable<Uint8Array>
        } catch (error) {
          throw toDatabaseError(error)
        }
      },
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

interface FixedState {
  readonly fixed: Row
  readonly tables: readonly TypedTable[]
}

/**
 * Locks the tables, so that no migration or restore changes them before the last row was read, and
 * only then fixes the state: in an earlier one, tables that were rewritten since have no rows.
 */
const fixState = async (
  run: (text: string) => Promise<readonly Row[]>,
  isWanted: (table: string) => boolean,
): Promise<FixedState> => {
  const readTables = async () =>
    parseColumns(await run(columnsQuery)).filter(({ name }) => isWanted(name))
  for (;;) {
    const locked = await readTables()
    for (const text of [beginReading, ...limits, lockTables(locked)]) await run(text)
    const [fixed = []] = await run(stateQuery)
    const tables = await readTables()
    const names = new Set(locked.map(nameOf))
    if (tables.every(({ name }) => names.has(name))) return { fixed, tables }
    // A table was added before they were locked.
    await run('rollback')
  }
}

const stateQuery = "select pg_export_snapshot(), current_setting('server_version_num')"

/** How long to wait for a migration or a restore. */
const lockWaitMs = 30_000

/** A long statement is expected, but no long lock. Setting these fixes no state. */
const limits = [
  'set local statement_timeout = 0',
  'set local idle_in_transaction_session_timeout = 0',
  `set local lock_timeout = ${lockWaitMs}`,
]

const lockTables = (tables: readonly TypedTable[]): string =>
  tables.length === 0
    ? 'set local lock_timeout = 0'
    : `lock table ${tables.map((table) => `public.${quoted(table.name)}`).join(', ')} in access share mode`

const sizeQuery = [
  'select coalesce(sum(pg_table_size(c.oid)), 0)',
  'from pg_class as c',
  "where c.relnamespace = to_regnamespace('public')",
  "and c.relname = any(string_to_array(?1, ' '))",
].join('\n')

const nameOf = ({ name }: TypedTable): string => name

/** As pg_dump writes it, so that one reader reads both. */
export const copyHead = ({ name, columns }: TypedTable): string =>
  `public.${quoted(name)} (${columns.map((column) => quoted(column.name)).join(', ')})`

const copyText = (table: TypedTable): string => `copy ${copyHead(table)} to stdout`

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`
