import pg from 'pg'
import { catalog } from '#contract'
import { type Database, openDatabase } from '#database'
import { createStore, type Store } from '#store'
import { openPostgresDatabases } from './postgres.ts'
import { copyOnPostgres } from './prepared-database.ts'

/** A store in a PostgreSQL server of its own, and a connection beside it. */
export interface PostgresStore {
  readonly url: string
  readonly database: Database
  readonly store: Store
  readonly other: pg.Client
  close(): Promise<void>
}

export const openPostgresStore = async (): Promise<PostgresStore> => {
  const postgres = await openPostgresDatabases()
  const url = await copyOnPostgres(postgres, 'tables', 'selvedge')
  const database = openDatabase(url)
  const store = await createStore(catalog, database)
  const other = new pg.Client(url)
  await other.connect()
  return {
    url,
    database,
    store,
    other,
    close: async () => {
      await other.end()
      await database.close()
      await postgres.close()
    },
  }
}
