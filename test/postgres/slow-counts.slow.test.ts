/** Totals that take longer to count than one statement may: the pages they belong to are still read. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { catalog, resourceAt } from '#contract'
import { openDatabase } from '#database'
import { openStory } from '#demo'
import { createStore, type Page, type Store } from '#store'
import type { ListRequest } from '../../src/store/read/list.ts'
import { idOf } from '../support/model.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const items = resourceAt(catalog, 'order-items')
const brand = 'aldermoor'
const rows = 950
const samples = 900

describe('a list on PostgreSQL whose records take long to count', () => {
  let postgres: PostgresDatabases
  let url: string

  const open = async (options: string) => {
    const database = openDatabase(`${url}?${options}`)
    return { database, store: await createStore(catalog, database), close: () => database.close() }
  }
  /**
   * Lets each record that a request looks at take a while: a page is fast, a count is not. A store
   * that is opened repairs the policy, so this comes afterwards.
   */
  const slowDown = async (): Promise<void> => {
    const client = new pg.Client(url)
    await client.connect()
    const { rows: policies } = await client.query(
      "select polname, pg_get_expr(polqual, polrelid) as condition from pg_policy where polrelid = 'order_items'::regclass",
    )
    const [{ polname, condition }] = policies
    await client.query(
      `alter policy ${polname} on order_items using (pg_sleep(0.0004) is not null and (${condition}))`,
    )
    await client.end()
  }
  const write = async (store: Store, ids: readonly number[], itemType: string) => {
    const { records } = await openStory()
    const [item] = records['order-items'] ?? []
    await store.write(brand, async (writer) => {
      await writer.stage(
        items,
        ids.map((n) => ({ ...item, id: idOf(n), itemType })),
      )
      await writer.merge(items)
    })
  }
  before(async () => {
    postgres = await openPostgresDatabases()
    url = await postgres.url('counts')
    const { store, close } = await open('query-ms=60000')
    const ids = Array.from({ length: rows }, (_, n) => n + 1)
    await write(store, ids.slice(0, samples), 'sample')
    await write(store, ids.slice(samples), 'product')
    await close()
  })
  after(() => postgres.close())

  const request: ListRequest = {
    resource: items,
    brand,
    filters: new Map([['itemType', 'sample']]),
    limit: 25,
    after: null,
    include: [],
  }
  /** Repeats a request that was refused, as a client does. */
  const untilAnswered = async (
    store: Store,
    list: ListRequest,
  ): Promise<{ page: Page; refusals: readonly unknown[] }> => {
    const refusals: unknown[] = []
    for (;;) {
      try {
        return { page: await store.list(list), refusals }
      } catch (error) {
        refusals.push(error)
        if (refusals.length > 50) throw error
      }
    }
  }

  for (const filters of [
    [['itemType', 'sample']],
    [
      ['itemType', 'sample'],
      ['orderId', 'any'],
    ],
  ] as const) {
    it(`is answered, with its exact total, by ${filters.length} filters`, async () => {
      const patient = await open('query-ms=60000')
      const [first] = JSON.parse(
        `[${(await patient.store.list({ ...request, filters: new Map() })).items}]`,
      )
      const values = new Map(
        filters.map(([name, value]) => [name, value === 'any' ? String(first.orderId) : value]),
      )
      const list = { ...request, filters: values }
      const expected = await patient.store.list(list)
      await patient.close()
      assert.equal(expected.total, samples)

      const { database, store, close } = await open('query-ms=250&readers=1')
      let reads = 0
      const { readInSteps } = database
      database.readInSteps = (...parts) => {
        reads += 1
        return readInSteps(...parts)
      }
      await slowDown()
      const { page, refusals } = await untilAnswered(store, list)
      assert.deepEqual(page, expected)
      assert.ok(reads > refusals.length + 1, `${reads} reads, ${refusals.length} refusals`)
      // Once it was counted, no page has to be counted or scanned for again.
      let next = page.next
      for (let pages = 0; pages < 3; pages += 1) {
        const later = await store.list({ ...list, after: next })
        assert.equal(later.total, samples)
        next = later.next
      }
      await close()
    })
  }

  it('does not keep others waiting on the connections they share', async () => {
    const { store, close } = await open('query-ms=500&readers=1')
    await slowDown()
    const counting = untilAnswered(store, request)
    const others = Array.from({ length: 50 }, (_, n) =>
      store.get({ resource: items, brand, key: [idOf(n + 1)], include: [] }),
    )
    for (const record of await Promise.all(others)) assert.ok(record)
    assert.equal((await counting).page.total, samples)
    await close()
  })

  it('is counted again after a change, and the total is that of the page', async () => {
    const { store, close } = await open('query-ms=500')
    await slowDown()
    await untilAnswered(store, request)
    const writer = await open('query-ms=60000')
    await write(writer.store, [rows + 1], 'sample')
    await writer.close()
    await slowDown()
    const { page } = await untilAnswered(store, request)
    assert.equal(page.total, samples + 1)
    await close()
  })
})
