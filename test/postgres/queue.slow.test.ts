import { after, before } from 'node:test'
import { openDatabase, openQueueDatabase } from '#database'
import { intakeConformance } from '../conformance/intake.ts'
import { queueConformance } from '../conformance/queue.ts'
import { queueContextConformance } from '../conformance/queue-context.ts'
import { queueMappedConformance } from '../conformance/queue-mapped.ts'
import { queueMergesConformance } from '../conformance/queue-merges.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import { copyOnPostgres } from '../support/prepared-database.ts'

let postgres: PostgresDatabases
before(async () => {
  postgres = await openPostgresDatabases()
})
after(() => postgres.close())

let made = 0
const open = async () => {
  made += 1
  // The machine may have other things to do.
  const copied = await copyOnPostgres(postgres, 'tables', `queue_${made}`)
  const url = `${copied}?query-ms=60000&connect-ms=60000`
  const records = openDatabase(url)
  const database = openQueueDatabase(url, records)
  return { records, database, close: () => records.close() }
}

queueConformance('PostgreSQL', open)
queueMappedConformance('PostgreSQL', open)
queueContextConformance('PostgreSQL', open)
queueMergesConformance('PostgreSQL', open)
intakeConformance('PostgreSQL', open)
