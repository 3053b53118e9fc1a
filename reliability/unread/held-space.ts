import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { sqliteFileOf } from '#database'
import { pageBytes } from '../../src/database/sqlite/connection.ts'

/** The space that snapshots keep a database from reusing. */
export interface HeldSpace {
  /** Megabytes of the WAL of SQLite; thousands of rows replaced during the oldest snapshot. */
  read(): Promise<number>
  close(): Promise<void>
}

export const openHeldSpace = async (databaseUrl: string): Promise<HeldSpace> =>
  databaseUrl.startsWith('sqlite:') ? openWal(databaseUrl) : openRows(databaseUrl)

const openWal = (databaseUrl: string): HeldSpace => {
  const connection = new DatabaseSync(sqliteFileOf(databaseUrl), { readOnly: true })
  const length = connection.prepare('pragma wal_checkpoint(noop)')
  return {
    read: async () => (Number(length.get()?.['log'] ?? 0) * pageBytes) / 2 ** 20,
    close: async () => connection.close(),
  }
}

const openRows = async (databaseUrl: string): Promise<HeldSpace> => {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  /** Replaced rows when each transaction was seen first, by process and start. */
  const since = new Map<string, number>()
  return {
    read: async () => {
      const { rows: counts } = await client.query(
        'select (tup_updated + tup_deleted)::float8 as n from pg_stat_database where datname = current_database()',
      )
      const replaced = Number(counts[0]?.n)
      const { rows } = await client.query(
        "select pid || ' ' || xact_start as id from pg_stat_activity where backend_xmin is not null and pid <> pg_backend_pid()",
      )
      const ids = rows.map(({ id }) => String(id))
      for (const id of since.keys()) if (!ids.includes(id)) since.delete(id)
      for (const id of ids) if (!since.has(id)) since.set(id, replaced)
      const held = [...since.values()].map((count) => replaced - count)
      return Math.max(0, ...held) / 1_000
    },
    close: () => client.end(),
  }
}
