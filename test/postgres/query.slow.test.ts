import { after } from 'node:test'
import { openDatabase } from '#database'
import { conditionConformance } from '../conformance/query/conditions.ts'
import { downloadConformance } from '../conformance/query/downloads.ts'
import { listConformance } from '../conformance/query/lists.ts'
import { openPostgresDatabases } from '../support/postgres.ts'

const postgres = await openPostgresDatabases()
after(() => postgres.close())
let made = 0

const open = async () => {
  made += 1
  const database = openDatabase(`${await postgres.url(`query_${made}`)}?query-ms=60000`)
  return { database, close: () => database.close() }
}

conditionConformance('PostgreSQL', open)
listConformance('PostgreSQL', 150, open)
downloadConformance('PostgreSQL', 150, open)
