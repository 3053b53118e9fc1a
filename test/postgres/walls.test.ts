/** Two walls separate brands: the condition in every statement, and row-level security. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, resourceAt } from '#contract'
import { type Database, openDatabase } from '#database'
import { openStory } from '#demo'
import { createStore, feedStart, ownerNumber, type Store, sharedNumber, sharedOwner } from '#store'
import { tablesOf } from '../../src/store/schema/tables.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const brands = ['aldermoor', 'birkholm'] as const
const tables = [...tablesOf(catalog).values()]

describe('the walls between brands on PostgreSQL', () => {
  let postgres: PostgresDatabases
  let database: Database
  let store: Store

  before(async () => {
    postgres = await openPostgresDatabases()
    database = openDatabase(await postgres.url('walls'))
    store = await createStore(catalog, database, { recordsChanges: true })
    const story = await openStory()
    const owned = [
      [sharedOwner, story.shared],
      [brands[0], story.records],
      [brands[1], story.records],
    ] as const
    for (const [owner, set] of owned) {
      await store.write(owner, async (writer) => {
        for (const [path, records] of Object.entries(set)) {
          await writer.stage(resourceAt(catalog, path), records)
          await writer.merge(resourceAt(catalog, path))
        }
      })
    }
  })
  after(async () => {
    await database.close()
    await postgres.close()
  })

  /** Who owns the rows that a request for this brand could see without any condition. */
  const ownersSeen = async (table: string, brand: string): Promise<unknown[]> => {
    const text = `select distinct "owner" from "${table}" order by 1`
    const [rows = []] = await database.read([{ text, values: [] }], ownerNumber(brand))
    return rows.map(([owner]) => Number(owner))
  }

  it('with the condition left out of a statement, no table shows another brand', async () => {
    for (const { name, resource } of tables) {
      for (const brand of brands) {
        const wanted = resource.scope === 'shared' ? [sharedNumber] : [ownerNumber(brand)]
        assert.deepEqual(await ownersSeen(name, brand), wanted, name)
      }
      assert.deepEqual(
        await ownersSeen(name, ''),
        resource.scope === 'shared' ? [sharedNumber] : [],
      )
    }
  })

  it('what is stored beside the records is protected too', async () => {
    for (const table of ['selvedge_collections', 'selvedge_totals']) {
      const seen = await ownersSeen(table, brands[0])
      assert.ok(!seen.includes(ownerNumber(brands[1])), table)
    }
    assert.deepEqual(await ownersSeen('selvedge_changes', brands[0]), [
      sharedNumber,
      ownerNumber(brands[0]),
    ])
  })

  it('a request reads no quarantined rows, not even its own brand’s', async () => {
    const items = resourceAt(catalog, 'product-tags')
    const [row] = (await openStory()).records['product-tags'] ?? []
    await store.write(brands[0], async (writer) => {
      await writer.stage(items, [{ ...row, tagId: '00000000-0000-4000-8000-000000000001' }])
      for await (const { isQuarantined } of writer.rejectInvalid(items, {
        park: [{ file: 'tags.csv' }],
      })) {
        assert.ok(isQuarantined)
      }
      await writer.merge(items)
    })
    assert.equal((await store.quarantine.list({ owner: brands[0], limit: 1 })).total, 1)
    await assert.rejects(ownersSeen('selvedge_quarantine', brands[0]), /permission denied/)
    assert.equal(await store.quarantine.discard({ owner: brands[0] }), 1)
  })

  it('a request cannot take the wall down, nor write', async () => {
    for (const text of [
      'alter table "orders" disable row level security',
      'insert into "tags" ("owner", "id", "body") values (1, \'00000000-0000-4000-8000-000000000001\', \'x\')',
      'delete from "orders"',
    ]) {
      await assert.rejects(database.read([{ text, values: [] }], ownerNumber(brands[0])), /failed/)
    }
  })

  it('a user who may not take the serving role is served all the same', async () => {
    await database.write(async (session) => {
      await session.run({ text: 'create role plain login', values: [] })
    })
    const url = (await postgres.url('plain')).replace('postgres@', 'plain@')
    const owner = openDatabase(await postgres.url('plain'))
    await owner.write(async (session) => {
      await session.run({ text: 'alter schema public owner to plain', values: [] })
    })
    await owner.close()
    const plain = openDatabase(url)
    const its = await createStore(catalog, plain)
    const tags = resourceAt(catalog, 'tags')
    const { records } = await openStory()
    await its.write('aldermoor', async (writer) => {
      await writer.stage(tags, records['tags'] ?? [])
      await writer.merge(tags)
    })
    const ask = { resource: tags, filters: new Map(), limit: 100, after: null, include: [] }
    assert.equal((await its.list({ ...ask, brand: 'aldermoor' })).total, records['tags']?.length)
    assert.equal((await its.list({ ...ask, brand: 'birkholm' })).total, 0)
    await plain.close()
  })

  it('with row-level security off, the condition alone keeps brands apart', async () => {
    await database.write(async (session) => {
      for (const name of ['selvedge_changes', ...tables.map((each) => each.name)]) {
        await session.run({ text: `alter table "${name}" disable row level security`, values: [] })
      }
    })
    assert.deepEqual(
      await ownersSeen('orders', brands[0]),
      brands.map(ownerNumber).sort((a, b) => a - b),
    )
    for (const { resource } of tables) {
      const ask = { resource, filters: new Map(), limit: 100, after: null, include: [] }
      const [one, other, nobody] = await Promise.all(
        [...brands, 'nobody'].map((brand) => store.list({ ...ask, brand })),
      )
      assert.equal(one?.total, other?.total, resource.path)
      assert.equal(nobody?.total, resource.scope === 'shared' ? one?.total : 0)
      assert.deepEqual(nobody?.items, resource.scope === 'shared' ? one?.items : new Uint8Array())
    }
    const whole = { resource: null, after: feedStart, limit: 1_000 }
    const { changes } = await store.feed.page({ ...whole, brand: 'nobody' })
    assert.ok(changes.length > 0)
    for (const { collection } of changes) {
      assert.equal(resourceAt(catalog, collection).scope, 'shared')
    }
  })
})
