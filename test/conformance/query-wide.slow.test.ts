/** Lists and downloads of more records than one statement of the event loop looks at, on both engines. */
import { after } from 'node:test'
import { openDatabase } from '#database'
import { openPostgresDatabases } from '../support/postgres.ts'
import { downloadConformance } from './query/downloads.ts'
import { listConformance } from './query/lists.ts'
import { openOnSqlite } from './query/sqlite.ts'

const count = 2_500

listConformance('SQLite', count, openOnSqlite)
downloadConformance('SQLite', count, openOnSqlite)

const postgres = await openPostgresDatabases()
after(() => postgres.close())

const openOnPostgres = (name: string) => async () => {
  const database = openDatabase(`${await postgres.url(name)}?query-ms=60000`)
  return { database, close: () => database.close() }
}

listConformance('PostgreSQL', count, openOnPostgres('query_wide'))
downloadConformance('PostgreSQL', count, openOnPostgres('download_wide'))
