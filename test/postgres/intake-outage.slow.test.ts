/** Batches and a PostgreSQL that loses its connections. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import pg from 'pg'
import { type Database, openDatabase, openQueueDatabase } from '#database'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'
import {
  type Item,
  openTestQueue,
  putItem,
  storyBrand,
  storyItems,
  type TestQueue,
} from '../support/queue.ts'

const [brand, tag] = ['brand', 'tags'].map((path) =>
  storyItems.find(({ collection }) => collection === path),
) as [Item, Item]
const tagNamed = (name: string) => putItem('tags', { ...tag.record, name } as never)

describe('a batch on a PostgreSQL that loses connections', () => {
  let postgres: PostgresDatabases
  let records: Database
  let test: TestQueue
  let url: string
  /** Failed attempts. */
  let failures = 0
  before(async () => {
    postgres = await openPostgresDatabases()
    url = await postgres.url('intake_outage')
    records = openDatabase(`${url}?query-ms=60000&connect-ms=60000`)
    test = await openTestQueue(records, openQueueDatabase(url, records), {
      onFailure: (of) => {
        if (of !== null) failures += 1
      },
    })
    await test.commit([brand])
    await records.write(
      (session) =>
        session.runAll([
          `create function lose() returns trigger language plpgsql as $$ begin
            if new."name" = 'Slow' then perform pg_sleep(1); end if;
            if new."name" = 'Poison' then perform pg_terminate_backend(pg_backend_pid()); end if;
            return new; end $$`,
          'create trigger "lose" before insert on "tags" for each row execute function lose()',
        ]),
      'records',
    )
  })
  after(async () => {
    await test.queue.close()
    await records.close()
    await postgres.close()
  })

  it('waits while all connections are lost again and again', async () => {
    const killer = new pg.Client(url)
    await killer.connect()
    const { batch } = await test.send([tagNamed('Slow')])
    const end = failures + 8
    const isOpen = async () =>
      (await test.queue.find(storyBrand, batch.id).catch(() => null))?.finishedAt == null
    while (failures < end && (await isOpen())) {
      await killer.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'selvedge' and datname = current_database()",
      )
      await wait(300)
    }
    await killer.end()
    assert.equal((await test.queue.finished(storyBrand, batch.id, 300_000))?.state, 'committed')
  })

  it('is quarantined if it ends its connection and the engine keeps the others', async () => {
    const poisoned = await test.send([tagNamed('Poison')])
    const next = await test.commit([tagNamed('Next')])
    assert.equal(next.state, 'committed')
    const batch = await test.queue.find(storyBrand, poisoned.batch.id)
    assert.equal(batch?.state, 'quarantined')
    assert.match(batch?.problems[0]?.reason ?? '', /^could not be stored in 5 attempts/)
  })
})
