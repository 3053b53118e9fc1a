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
  readAs,
  type Steps,
} from '#database'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const query = (text: string): Query => ({ text, values: [] })
const ownerSetting = query("select current_setting('selvedge.owner')")
const processId = query('select pg_backend_pid()')

describe('the connection of a long read', () => {
  let postgres: PostgresDatabases
  let url: string
  let database: Database
  before(async () => {
    postgres = await openPostgresDatabases()
    url = `${await postgres.url('long_reads')}?query-ms=`
    database = openDatabase(`${url}20000`)
  })
  after(async () => {
    await database.close()
    await postgres.close()
  })

  const processOf = (own = database) =>
    own.readInSteps(1, undefined, async ({ all }) => (await all(processId))[0]?.[0])

  it('is used again after the read has exceeded its time, since its statements are prepared', async () => {
    const impatient = openDatabase(`${url}500`)
    try {
      const before = await processOf(impatient)
      const endless = impatient.readInSteps(1, undefined, async ({ all }) => {
        for (;;) await all(processId)
      })
      await assert.rejects(endless, QueryTimeoutError)
      assert.equal(await processOf(impatient), before)
    } finally {
      await impatient.close()
    }
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
    const failed = database.readInSteps(7, undefined, ({ all }) => all(query('select 1 / 0')))
    await assert.rejects(failed, DatabaseError)
    const rows = await database.readInSteps(8, undefined, ({ all }) => all(ownerSetting))
    assert.deepEqual(rows, [['8']])
    assert.equal(await processOf(), before)
  })

  it('is used again only after the rollback of a read that was ended', async () => {
    const holdLimits = { heldMax: -1, ageMs: 300, everyMs: 10 }
    const own = openDatabase(`${url}500`, { holdLimits })
    const ended = Promise.withResolvers<void>()
    const work = async ({ all }: Steps) => {
      await all(processId)
      await ended.promise
    }
    const options = { timeMs: 60_000, hasRoom: true, onEnded: () => ended.resolve() }
    await own.readInSteps(7, undefined, work, options)
    const rows = await own.readInSteps(8, undefined, ({ all }) => all(ownerSetting))
    assert.deepEqual(rows, [['8']])
    await own.close()
  })

  it('is not used by a step of a read that is over', async () => {
    const reads: Steps[] = []
    const failed = database.readInSteps(7, undefined, async (steps) => {
      reads.push(steps)
      throw new RangeError('over')
    })
    await assert.rejects(failed, /over/)
    await database.readInSteps(7, undefined, async (steps) => void reads.push(steps))
    assert.equal(reads.length, 2)
    for (const { all } of reads) await assert.rejects(all(processId), DatabaseError)
  })
})

describe('the steps of one heavy key on two workers', () => {
  let postgres: PostgresDatabases
  let workers: readonly Database[]
  before(async () => {
    postgres = await openPostgresDatabases()
    const url = `${await postgres.url('heavy_keys')}?query-ms=20000`
    workers = [openDatabase(url), openDatabase(url)]
  })
  after(async () => {
    for (const each of workers) await each.close()
    await postgres.close()
  })

  const sleep = (ms: number): Query =>
    query(`select clock_timestamp()::text, pg_sleep(${ms / 1_000}), clock_timestamp()::text`)
  /** Reads with a key on each worker, and returns the begins and ends of its short steps. */
  const readOnEach = (last: Query) =>
    Promise.allSettled(
      workers.map((each) =>
        readAs('key', () =>
          each.readInSteps(1, undefined, async ({ all }) => {
            // Counts as much for each worker.
            await all(sleep(1_000))
            const steps: (readonly [string, string])[] = []
            for (let step = 0; step < 5; step += 1) {
              const [row] = await all(sleep(20))
              steps.push([String(row?.[0]), String(row?.[2])])
            }
            await all(last)
            return steps
          }),
        ),
      ),
    )

  it('run one at a time, so that it uses one core, and wait for none that has failed', async () => {
    const failed = await readOnEach(query('select 1 / 0'))
    for (const each of failed) {
      assert.ok(each.status === 'rejected')
      assert.match(String(each.reason), /division by zero/)
    }
    const reads = await readOnEach(sleep(20))
    const steps = reads.flatMap((each) => (each.status === 'fulfilled' ? each.value : [])).sort()
    assert.equal(steps.length, 10)
    for (const [index, [begin]] of steps.entries()) {
      const [, earlierEnd = ''] = steps[index - 1] ?? []
      assert.ok(
        begin >= earlierEnd,
        `a step begins at ${begin}, before the one until ${earlierEnd}`,
      )
    }
  })
})
