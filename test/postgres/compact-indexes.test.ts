/** Indexes that many rows were added to, in a real server. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { catalog, resourceAt } from '#contract'
import { type Database, DatabaseBusyError } from '#database'
import type { Store, Writer } from '#store'
import { openPostgresStore, type PostgresStore } from '../support/postgres-store.ts'

describe('the indexes of a table on PostgreSQL', () => {
  let opened: PostgresStore
  let database: Database
  let store: Store
  let other: pg.Client
  before(async () => {
    opened = await openPostgresStore()
    ;({ database, store, other } = opened)
  })
  after(() => opened?.close())

  const bytes = async (): Promise<number> =>
    Number((await other.query("select pg_indexes_size('loose')")).rows[0].pg_indexes_size)
  const definitions = async (table: string): Promise<readonly string[]> => {
    const text = 'select indexdef from pg_indexes where tablename = $1 order by indexname'
    return (await other.query(text, [table])).rows.map(({ indexdef }) => indexdef)
  }
  const createLoose = async (): Promise<void> => {
    await other.query('drop table if exists "loose"')
    await other.query('create table "loose" ("id" int primary key, "Value" text)')
    await other.query(
      'create index "loose__Value" on "loose" ("Value", "id") where "Value" is not null',
    )
    await other.query('insert into "loose" select n, md5(n::text) from generate_series(1, 20000) n')
  }

  it('become smaller and stay the same indexes', async () => {
    await createLoose()
    const [size, names] = [await bytes(), await definitions('loose')]
    await database.compactIndexes('loose')
    assert.ok((await bytes()) < size * 0.9, 'they are as large as before')
    assert.deepEqual(await definitions('loose'), names)
  })

  it('stay as they are where the table is being read or written', async () => {
    await createLoose()
    const [size, names] = [await bytes(), await definitions('loose')]
    for (const use of ['select * from "loose" limit 1', 'delete from "loose" where "id" = 1']) {
      await other.query('begin')
      await other.query(use)
      await assert.rejects(database.compactIndexes('loose'), DatabaseBusyError)
      await other.query('rollback')
    }
    assert.equal(await bytes(), size)
    assert.deepEqual(await definitions('loose'), names)
  })

  const newIds = () => Array.from({ length: 4_000 }, () => randomUUID())
  const putTags = async (writer: Writer, ids: readonly string[] = newIds()) => {
    const tags = resourceAt(catalog, 'tags')
    const records = ids.map((id) => ({
      id,
      name: randomUUID(),
      createdAt: '2026-03-01T09:00:00.000Z',
      updatedAt: '2026-03-01T09:00:00.000Z',
    }))
    await writer.stage(tags, records as never)
    await writer.merge(tags)
  }
  const importTags = (brand: string, ids?: readonly string[]) =>
    store.write(brand, (writer) => putTags(writer, ids))

  it('are not created again after changes or a batch, for which other writers would wait', async () => {
    const ids = newIds()
    await importTags('changed', ids)
    const text = "select indexrelid::int from pg_index where indrelid = 'tags'::regclass order by 1"
    const indexes = async () => (await other.query(text)).rows
    const earlier = await indexes()
    assert.ok(earlier.length > 1)
    await importTags('changed', ids)
    assert.deepEqual(await indexes(), earlier)
    await store.writeGroup('added', (group) => group.attempt((writer) => putTags(writer)))
    assert.deepEqual(await indexes(), earlier)
  })

  it('are dense after records were imported, and a table in use does not fail the import', async () => {
    const size = async () =>
      Number((await other.query("select pg_indexes_size('tags')")).rows[0].pg_indexes_size)
    await other.query('begin')
    await other.query('select count(*) from "tags"')
    await importTags('one')
    await other.query('commit')
    const loose = await size()
    await database.compactIndexes('tags')
    const dense = await size()
    assert.ok(dense < loose, 'the import waited for a reader, or the indexes were dense')
    await importTags('two')
    const imported = await size()
    await database.compactIndexes('tags')
    assert.equal(imported, await size(), 'the import left room in the indexes')
    const names = (await definitions('tags')).join('\n')
    assert.doesNotMatch(names, /selvedge_compact/)
  })
})
