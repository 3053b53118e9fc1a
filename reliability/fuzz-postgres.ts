import { openPostgres } from '../test/support/postgres.ts'
import { fuzzCheck } from './fuzz/run.ts'
import { patient } from './server-process.ts'

export default fuzzCheck(
  'PostgreSQL',
  { short: { requests: 800 }, full: { requests: 200_000 } },
  async () => {
    const postgres = await openPostgres()
    const url = patient(await postgres.url('fuzz'))
    return { environment: { DATABASE_URL: url }, close: postgres.close }
  },
)
