/** The connections of long reads. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  type Database,
  DatabaseError,
  openDatabase,
  type Query,
  QueryTimeoutError,
  ReadCancelledError,
} from '#database'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const query = (text: string): Query => ({ text, values: [] })
const processId = query('select pg_backend_pid()')

describe('the connection of a long read', () => {
  let postgres: PostgresDatabases
  let database: Database
  before(async () => {
    postgres = await openPostgresDatabases()
    database = openDatabase(`${await postgres.url('long_reads')}?query-ms=500`)
  })
  after(async () => {
    await database.close()
    await postgres.close()
  })

  const processOf = () =>
    database.readInSteps(1, undefined, async ({ all }) => (await all(processId))[0]?.[0])

  it('is used again after the read has exceeded its time, since its statements are prepared', async () => {
    const before = await processOf()
    const endless = database.readInSteps(1, undefined, async ({ all }) => {
      for (;;) await all(processId)
    })
    await assert.rejects(endless, QueryTimeoutError)
    assert.equal(await processOf(), before)
  })

  it('is used again after the read was cancelled', async () => {
    const before = await processOf()
    let isCancelled = false
    const cancelled = database.readInSteps(
      1,
      () => isCancelled,
      async ({ all }) => {
        await all(processId)
        isCancelled = true
        return all(processId)
      },
    )
    await assert.rejects(cancelled, ReadCancelledError)
    assert.equal(await processOf(), before)
  })

  it('is used again after a statement has failed, and sees the records of its own owner', async () => {
    const before = await processOf()
    const setting = query("select current_setting('selvedge.owner')")
    const failed = database.readInSteps(7, undefined, ({ all }) => all(query('select 1 / 0')))
    await assert.rejects(failed, DatabaseError)
    const rows = await database.readInSteps(8, undefined, ({ all }) => all(setting))
    assert.deepEqual(rows, [['8']])
    assert.equal(await processOf(), before)
  })
})
