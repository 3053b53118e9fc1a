import { after } from 'node:test'
import { openDatabase } from '#database'
import { summaryConformance } from '../conformance/query/summaries.ts'
import { openPostgresDatabases } from '../support/postgres.ts'

const postgres = await openPostgresDatabases()
after(() => postgres.close())

summaryConformance('PostgreSQL', async () => {
  const database = openDatabase(`${await postgres.url('summaries')}?query-ms=60000`)
  return { database, close: () => database.close() }
})
