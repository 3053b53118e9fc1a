/** The connections that writers use, and what small batches read, in a real server. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { catalog, resourceAt } from '#contract'
import { type Database, DatabaseBusyError, openDatabase, type Session } from '#database'
import { openStory } from '#demo'
import type { Store } from '#store'
import { createItems } from '../../bench/order-items.ts'
import { until } from '../support/cluster.ts'
import { openPostgresStore, type PostgresStore } from '../support/postgres-store.ts'

const brand = 'acme'
const items = resourceAt(catalog, 'order-items')
const tags = resourceAt(catalog, 'tags')

describe('writers on PostgreSQL', () => {
  let opened: PostgresStore
  let database: Database
  let store: Store
  let other: pg.Client
  before(async () => {
    opened = await openPostgresStore()
    ;({ database, store, other } = opened)
    await other.query('create table "numbers" ("number" int)')
  })
  after(() => opened?.close())

  const processOf = async (session: Session): Promise<number> =>
    Number((await session.all({ text: 'select pg_backend_pid()', values: [] }))[0]?.[0])

  it('use the connection of the one before', async () => {
    const first = await database.write(processOf)
    assert.equal(await database.write(processOf), first)
  })

  it('do not use it at the same time', async () => {
    const two = await database.write(async (session) => {
      const inner = database.write(processOf, 'states')
      return [await processOf(session), await inner]
    }, 'keys')
    assert.notEqual(two[0], two[1])
  })

  it('take another one where it was lost while it was idle', async () => {
    const first = await database.write(processOf)
    await other.query('select pg_terminate_backend($1)', [first])
    // At once, so that this process cannot have noticed.
    assert.notEqual(await database.write(processOf), first)
  })

  it('do not leave a transaction that failed to the next one', async () => {
    const failed = database.write(async (session) => {
      await session.run({ text: 'insert into "numbers" values (1)', values: [] })
      throw new RangeError('on purpose')
    })
    await assert.rejects(failed, /on purpose/)
    await database.write((session) =>
      session.run({ text: 'insert into "numbers" values (2)', values: [] }),
    )
    const { rows } = await other.query('select "number" from "numbers"')
    assert.deepEqual(rows, [{ number: 2 }])
  })

  it('close it once its temporary tables have held many rows, which are never vacuumed', async () => {
    const fill = (count: number) =>
      database.write(async (session) => {
        await session.runAll(['create temp table if not exists "filled" ("number" int)'])
        await session.bulkInsert(
          'filled',
          ['number'],
          Array.from({ length: count }, (_, n) => [n]),
        )
        return processOf(session)
      })
    const first = await fill(400)
    assert.equal(await fill(400), first)
    assert.equal(await fill(400), first)
    assert.notEqual(await fill(400), first)
  })

  it('plan a large batch by itself, not as the small ones before it', async () => {
    const write = (rows: number, times: number) =>
      database.write(async (session) => {
        await session.run({
          text: 'create temp table if not exists "planned" ("n" bigint)',
          values: [],
        })
        await session.bulkInsert(
          'planned',
          ['n'],
          Array.from({ length: rows }, (_, n) => [n]),
        )
        const text = 'select count(*) from "planned" where "n" > ?1'
        for (let time = 0; time < times; time += 1) await session.all({ text, values: [time] })
        const [row] = await session.all({
          text: `select "generic_plans" from pg_prepared_statements where "statement" ~ '^select count'`,
          values: [],
        })
        return Number(row?.[0])
      })
    const small = await write(1, 10)
    assert.ok(small > 0, 'The plan for a few rows is reused.')
    assert.equal(await write(101, 10), small)
  })

  it('look the records of a small batch up, and read nothing else of the collection', async () => {
    const { records } = await openStory()
    const item = createItems(records, 20_000)
    const put = (numbers: readonly number[], qty: number) =>
      store.write(brand, async (writer) => {
        await writer.stage(items, numbers.map((n) => ({ ...item(n), qty })) as never)
        return writer.merge(items)
      })
    const read = async () => {
      // What a connection has read is counted when it ends.
      const ended =
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'selvedge' and datname = current_database()"
      await until(async () => (await other.query(ended)).rowCount === 0)
      const { rows } = await other.query(
        "select seq_tup_read::int from pg_stat_user_tables where relname = 'order_items'",
      )
      return rows[0].seq_tup_read as number
    }
    await put(
      Array.from({ length: 20_000 }, (_, n) => n),
      1,
    )
    const before = await read()
    const some = Array.from({ length: 500 }, (_, n) => n * 41)
    const merged = await put(some, 2)
    assert.deepEqual([merged.added, merged.changed], [12, 488])
    assert.equal((await read()) - before, 0)
  })

  it('commit while another brand gathers statistics, and while it waits to do so', async () => {
    const [tag] = (await openStory()).records['tags'] ?? []
    const records = (owner: string, count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...tag,
        id: `00000000-0000-4000-8000-${owner === 'large' ? 'a' : 'b'}${String(n).padStart(11, '0')}`,
      }))
    const put = (owner: string, count: number) =>
      store.write(owner, async (writer) => {
        await writer.stage(tags, records(owner, count))
        return writer.merge(tags)
      })
    await other.query('begin')
    // Excludes only those that gather statistics.
    await other.query('lock table "tags" in share update exclusive mode')
    const large = put('large', 600)
    await until(async () => {
      const { rows } = await other.query(
        "select 1 from pg_locks where not granted and mode = 'ShareUpdateExclusiveLock'",
      )
      return rows.length > 0
    })
    assert.equal((await put('small', 1)).added, 1)
    await other.query('commit')
    assert.equal((await large).added, 600)
  })

  it('fail as busy when the count of changes is held for too long', async () => {
    await other.query('begin')
    await other.query(`update "selvedge_settings" set "value" = "value" where "name" = 'change'`)
    const brief = openDatabase(opened.url, { writeWaitMs: 100 })
    const waiting = brief.write((session) =>
      session.autonomous((own) =>
        own.run({
          text: `update "selvedge_settings" set "value" = "value" where "name" = 'change'`,
          values: [],
        }),
      ),
    )
    await assert.rejects(waiting, DatabaseBusyError)
    await other.query('rollback')
    await brief.close()
  })
})
