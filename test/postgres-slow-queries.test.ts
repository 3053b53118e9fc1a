/** Slow statements, broken connections and too few of them: each costs its own request alone. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Database, DatabaseUnavailable, openDatabase } from '#database'
import { openPostgres, type Postgres } from './support/postgres.ts'

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
  const failuresOf = async (asked: readonly Promise<unknown>[]): Promise<readonly unknown[]> =>
    (await Promise.allSettled(asked)).flatMap((each) =>
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
      const slow = Array.from({ length: 6 }, () => database.read([sleep(30)], 'slow'))
      const fast: Promise<unknown>[] = []
      for (let count = 0; count < 100; count += 1) {
        fast.push(database.read([one], 'fast'))
        await wait(10)
      }
      assert.deepEqual(await failuresOf(fast), [])
      for (const failure of await failuresOf(slow))
        assert.ok(failure instanceof DatabaseUnavailable)
    })
  })

  it('wait for a statement that turned out to be slow the first time only', async () => {
    await withDatabase('readers=1&query-ms=3000', async (database) => {
      await database.read([sleep(1)], 'slow')
      const [[before] = []] = await database.read([backend], 'slow')
      const asked = database.read([sleep(1)], 'slow')
      let waited = 0
      const look = async () => {
        const began = performance.now()
        await database.read([one], 'fast')
        waited = Math.max(waited, performance.now() - began)
      }
      const took = performance.now()
      const looking = (async () => {
        for (let count = 0; count < 20; count += 1) await look()
      })()
      await Promise.all([asked, looking])
      const slowMs = performance.now() - took
      // On the shared connection it would have been in the way for a fifth of the limit, 0.6 s.
      assert.ok(waited < slowMs / 2, `${waited} of ${slowMs} ms`)
      assert.deepEqual(await database.read([backend], 'slow'), [[before]])
    })
  })

  it('are asked again on another connection when theirs is cut', async () => {
    await withDatabase('readers=2&query-ms=10000', async (database) => {
      await Promise.all(Array.from({ length: 50 }, () => database.read([one], 'fast')))
      let killed = 0
      const asked: Promise<unknown>[] = []
      await withClient(async (client) => {
        for (let round = 0; round < 10; round += 1) {
          for (let count = 0; count < 20; count += 1) {
            asked.push(database.read([sleep(0.02)], 'fast'))
          }
          await wait(20)
          const { rowCount } = await client.query(
            "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'selvedge' and query ~ 'pg_sleep|commit' limit 1",
          )
          killed += rowCount ?? 0
          await Promise.allSettled(asked)
        }
      })
      assert.ok(killed > 5, `${killed} connections were cut`)
      assert.deepEqual(await failuresOf(asked), [])
    })
  })

  it('use the connections there are when the server gives no more', async () => {
    await withDatabase('readers=8&query-ms=10000', async (database) => {
      await database.read([one], 'fast')
      const taken: pg.Client[] = []
      try {
        for (;;) {
          const client = new pg.Client(url)
          client.on('error', () => undefined)
          await client.connect()
          taken.push(client)
        }
      } catch (error) {
        assert.match(String(error), /too many clients|reserved/)
      }
      try {
        const asked = Array.from({ length: 200 }, () => database.read([sleep(0.001)], 'fast'))
        assert.deepEqual(await failuresOf(asked), [])
      } finally {
        for (const client of taken) await client.end()
      }
    })
  })

  it('have an answer to a statement that fails because its preparation was lost', async () => {
    await withDatabase('readers=1&query-ms=10000', async (database) => {
      const made = { text: 'select 42', values: [] }
      const asked = [
        // The second statement is never prepared, because the first one fails.
        database.read([{ text: 'select nonsense', values: [] }, made], 'fast'),
        database.read([made], 'fast'),
      ]
      const [failed, good] = await Promise.allSettled(asked)
      assert.equal(failed?.status, 'rejected')
      assert.deepEqual(good, { status: 'fulfilled', value: [[[42]]] })
    })
  })
})
