import { after } from 'node:test'
import { openDatabase } from '#database'
import { databaseConformance } from '../conformance/database.ts'
import { storeConformance } from '../conformance/store/store.ts'
import { openPostgresDatabases } from '../support/postgres.ts'

const postgres = await openPostgresDatabases()
after(() => postgres.close())
let made = 0

databaseConformance('PostgreSQL', async () => {
  const url = await postgres.url('conformance')
  const database = openDatabase(url)
  return {
    database,
    again: async (options) => openDatabase(url, options),
    close: () => database.close(),
  }
})

storeConformance('PostgreSQL', async () => {
  made += 1
  // What takes longer than a query may is for the database's own tests.
  const database = openDatabase(`${await postgres.url(`store_${made}`)}?query-ms=60000`)
  return { database, close: () => database.close() }
})
