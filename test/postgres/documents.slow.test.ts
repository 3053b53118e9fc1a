import { after } from 'node:test'
import { openDatabase } from '#database'
import { documentConformance } from '../conformance/query/documents.ts'
import { openPostgresDatabases } from '../support/postgres.ts'

const postgres = await openPostgresDatabases()
after(() => postgres.close())

documentConformance('PostgreSQL', async () => {
  const database = openDatabase(`${await postgres.url('documents')}?query-ms=60000`)
  return { database, close: () => database.close() }
})
