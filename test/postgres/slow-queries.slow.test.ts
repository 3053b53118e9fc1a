/** Slow statements, broken connections and too few of them: each costs its own request alone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Database, DatabaseError, DatabaseUnreachableError, openDatabase } from '#database'
import { openPostgres, type Postgres } from '../support/postgres.ts'

const sleep = (seconds: number) => ({ text: `select pg_sleep(${seconds})::text`, values: [] })
const one = { text: 'select 1', values: [] }
const backend = { text: 'select pg_backend_pid()', values: [] }

describe('requests that share connections to PostgreSQL', () => {
  let postgres: Postgres
  let url: string
  before(async () => {
    postgres = await openPostgres({ settings: ['max_connections=20'] })
    url = await postgres.url('shared')
  })
  after(() => postgres.close())

  const withDatabase = async (options: string, work: (database: Database) => Promise<void>) => {
    const database = openDatabase(`${url}?${options}`)
    try {
      await work(database)
    } finally {
      await database.close()
    }
  }
  /** The owners that requests are made for. */
  const [slowOwner, fastOwner] = [1, 2]
  const failuresOf = async (reads: readonly Promise<unknown>[]): Promise<readonly unknown[]> =>
    (await Promise.allSettled(reads)).flatMap((each) =>
      each.status === 'rejected' ? [each.reason] : [],
    )
  /** A session with no settings of ours. */
  const withClient = async <T>(work: (client: pg.Client) => Promise<T>): Promise<T> => {
    const client = new pg.Client(url)
    await client.connect()
    try {
      return await work(client)
    } finally {
      await client.end()
    }
  }

  it('do not fail because of statements that take longer than they may', async () => {
    await withDatabase('readers=1&query-ms=3000', async (database) => {
      const slow = Array.from({ length: 6 }, () => database.read([sleep(30)], slowOwner))
      const fast: Promise<unknown>[] = []
      for (let count = 0; count < 100; count += 1) {
        fast.push(database.read([one], fastOwner))
        await wait(10)
      }
      assert.deepEqual(await failuresOf(fast), [])
      for (const failure of await failuresOf(slow)) assert.ok(failure instanceof DatabaseError)
    })
  })

  it('fail one by one: 50 on the connection of one that waits for a lock are answered', async () => {
    await withClient(async (holder) => {
      await holder.query('select pg_advisory_lock(17)')
      await withDatabase('readers=1&query-ms=1500', async (database) => {
        const [before] = await database.read([backend], fastOwner)
        const locked = { text: 'select pg_advisory_lock(17)::text', values: [] }
        const reads = [
          ...Array.from({ length: 25 }, () => database.read([backend], fastOwner)),
          database.read([one, locked, one], slowOwner),
          ...Array.from({ length: 25 }, () => database.read([backend], fastOwner)),
        ]
        const results = await Promise.allSettled(reads)
        const failures = results.filter((each) => each.status === 'rejected')
        assert.equal(failures.length, 1)
        assert.ok(failures[0]?.reason instanceof DatabaseError)
        assert.match(failures[0].reason.message, /^The database is too slow: a query took longer/)
        for (const each of results) {
          if (each.status === 'fulfilled') assert.deepEqual(each.value, [before])
        }
      })
    })
  })

  it('are not delayed by each of several slow statements on their connection', async () => {
    await withDatabase('readers=1&query-ms=3000', async (database) => {
      const [before] = await database.read([backend], fastOwner)
      // A fifth of the limit for each would be twice the limit for all.
      const slow = failuresOf(
        Array.from({ length: 10 }, () => database.read([sleep(30)], slowOwner)),
      )
      const fast = Array.from({ length: 50 }, () => database.read([backend], fastOwner))
      assert.deepEqual(await Promise.all(fast), new Array(50).fill([before]))
      assert.equal((await slow).length, 10)
      assert.deepEqual(await database.read([backend], fastOwner), [before])
    })
  })

  it('wait for a statement that turned out to be slow the first time only', async () => {
    await withDatabase('readers=1&query-ms=3000', async (database) => {
      await database.read([sleep(1)], slowOwner)
      const [[before] = []] = await database.read([backend], slowOwner)
      const read = database.read([sleep(1)], slowOwner)
      let waited = 0
      const look = async () => {
        const began = performance.now()
        await database.read([one], fastOwner)
        waited = Math.max(waited, performance.now() - began)
      }
      const took = performance.now()
      const looking = (async () => {
        for (let count = 0; count < 20; count += 1) await look()
      })()
      await Promise.all([read, looking])
      const slowMs = performance.now() - took
      // On the shared connection it would have been in the way for a fifth of the limit, 0.6 s.
      assert.ok(waited < slowMs / 2, `${waited} of ${slowMs} ms`)
      assert.deepEqual(await database.read([backend], slowOwner), [[before]])
    })
  })

  /** Statements of this text that the server is running for us. */
  const running = (text: string): Promise<number> =>
    withClient(async (client) => {
      const { rows } = await client.query(
        "select count(*)::int as count from pg_stat_activity where application_name = 'selvedge' and state = 'active' and query = $1",
        [text],
      )
      return rows[0].count
    })

  it('are answered while a burst of slow statements is on every connection', async () => {
    await withDatabase('readers=4&query-ms=4000', async (database) => {
      /** One after the other, each on the reader with the least to do. */
      const spread = async (count: number, backoffMs: number, ask: () => Promise<unknown>) => {
        const failures: Promise<readonly unknown[]>[] = []
        for (let each = 0; each < count; each += 1) {
          failures.push(failuresOf([ask()]))
          await wait(backoffMs)
        }
        return failures
      }
      // Opens all readers.
      await Promise.all(await spread(40, 5, () => database.read([sleep(0.1)], fastOwner)))
      const askSlow = () => database.read([sleep(30)], slowOwner)
      const slow = [...(await spread(4, 50, askSlow)), ...(await spread(12, 1, askSlow))]
      const fast = await spread(40, 1, () => database.read([one], fastOwner))
      assert.deepEqual((await Promise.all(fast)).flat(), [])
      assert.equal((await Promise.all(slow)).flat().length, slow.length)
    })
  })

  it('are not run any more once they have been answered', async () => {
    await withDatabase('readers=1&query-ms=1500', async (database) => {
      const slow = sleep(20)
      const reads = Array.from({ length: 12 }, () => database.read([slow], slowOwner))
      assert.equal((await failuresOf(reads)).length, reads.length)
      // Time for those that have begun to be cancelled, and for the next ones to have their turn.
      for (let looks = 0; looks < 20 && (await running(slow.text)) > 0; looks += 1) await wait(50)
      let most = 0
      for (let looks = 0; looks < 20; looks += 1) {
        most = Math.max(most, await running(slow.text))
        await wait(50)
      }
      assert.equal(most, 0)
    })
  })

  it('fail because the database is slow, not unreachable, when it does not respond in time', async () => {
    await withDatabase('query-ms=200', async (database) => {
      const slow = sleep(8)
      await assert.rejects(database.read([slow]), (error) => {
        assert.ok(error instanceof DatabaseError && !(error instanceof DatabaseUnreachableError))
        assert.equal(error.message, 'The database is too slow: a query exceeded its time limit.')
        return true
      })
      // The server does not notice that the client has left; a second attempt would run as well.
      assert.ok((await running(slow.text)) <= 1)
    })
  })

  it('are repeated on another connection when theirs breaks', async () => {
    await withDatabase('readers=2&query-ms=10000', async (database) => {
      await Promise.all(Array.from({ length: 50 }, () => database.read([one], fastOwner)))
      let killed = 0
      const reads: Promise<unknown>[] = []
      await withClient(async (client) => {
        for (let round = 0; round < 10; round += 1) {
          for (let count = 0; count < 20; count += 1) {
            reads.push(database.read([sleep(0.02)], fastOwner))
          }
          await wait(20)
          const { rowCount } = await client.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'selvedge' and query ~ 'pg_sleep|commit' limit 1",
          )
          killed += rowCount ?? 0
          await Promise.allSettled(reads)
        }
      })
      assert.ok(killed > 5, `${killed} connections were cut`)
      assert.deepEqual(await failuresOf(reads), [])
    })
  })

  it('use the open connections when the server accepts no more', async () => {
    await withDatabase('readers=8&query-ms=10000', async (database) => {
      await database.read([one], fastOwner)
      const clients: pg.Client[] = []
      try {
        for (;;) {
          const client = new pg.Client(url)
          client.on('error', () => undefined)
          await client.connect()
          clients.push(client)
        }
      } catch (error) {
        assert.match(String(error), /too many clients|reserved/)
      }
      try {
        const reads = Array.from({ length: 200 }, () => database.read([sleep(0.001)], fastOwner))
        assert.deepEqual(await failuresOf(reads), [])
      } finally {
        for (const client of clients) await client.end()
      }
    })
  })

  it('have an answer to a statement that fails because its preparation was lost', async () => {
    await withDatabase('readers=1&query-ms=10000', async (database) => {
      const made = { text: 'select 42', values: [] }
      const reads = [
        // The second statement is never prepared, because the first one fails.
        database.read([{ text: 'select nonsense', values: [] }, made], fastOwner),
        database.read([made], fastOwner),
      ]
      const [failed, good] = await Promise.allSettled(reads)
      assert.equal(failed?.status, 'rejected')
      assert.deepEqual(good, { status: 'fulfilled', value: [[[42]]] })
    })
  })
})
