import { after } from 'node:test'
import { openPostgresDatabases } from '../support/postgres.ts'
import { copyOnPostgres } from '../support/prepared-database.ts'
import { questionsSuite } from '../support/questions-suite.ts'

const postgres = await openPostgresDatabases()
after(() => postgres.close())

questionsSuite('PostgreSQL', async () => ({
  DATABASE_URL: await copyOnPostgres(postgres, 'tables', 'questions'),
}))
