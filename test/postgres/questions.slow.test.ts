import { after } from 'node:test'
import { openPostgres } from '../support/postgres.ts'
import { questionsSuite } from '../support/questions-suite.ts'

const postgres = await openPostgres()
after(() => postgres.close())

questionsSuite('PostgreSQL', async () => ({ DATABASE_URL: await postgres.url('questions') }))
