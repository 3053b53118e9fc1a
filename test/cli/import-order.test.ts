/** Rows in the order of their identity go straight into their table, with the same result as others. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog } from '#contract'
import type { Database, Session } from '#database'
import { createStore } from '#store'
import { ndjson } from '../support/command.ts'
import { changed } from '../support/import-records.ts'
import { type OpenRecords, openImportSandbox } from '../support/import-sandbox.ts'
import { brandRecord, idOf, recordsAt } from '../support/model.ts'

const sandbox = openImportSandbox()
const { importInto, openRecords } = sandbox
after(() => sandbox.close())

const owner = 'acme'
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index)
const orders = (...of: readonly number[]) =>
  of.map((number) => changed('orders', { id: idOf(number) }))
const item = (number: number, order = 1 + (number % 2)) => ({
  ...recordsAt('order-items')[0],
  id: idOf(number),
  orderId: idOf(order),
  skuId: null,
  productVersionId: null,
  category: `category ${number % 3}`,
})
const items = (...of: readonly number[]) => ndjson(of.map((number) => item(number)))

/** Records, and which tables the last import inserted rows into. */
const openWatched = async (name: string): Promise<OpenRecords & { loaded: Set<string> }> => {
  const { database } = await openRecords(name)
  const loaded = new Set<string>()
  const watch = (session: Session): Session => ({
    ...session,
    bulkInsert: (table, ...rest) => {
      loaded.add(table)
      return session.bulkInsert(table, ...rest)
    },
    bulkInsertSlices: (table, rows) => {
      loaded.add(table)
      return session.bulkInsertSlices(table, rows)
    },
  })
  const watched: Database = {
    ...database,
    write: (work, lock) => database.write((session) => work(watch(session)), lock),
  }
  const store = await createStore(catalog, watched, { recordsChanges: true })
  await importInto(
    { database, store },
    { 'brand.ndjson': ndjson([brandRecord(owner, 1)]), 'orders.ndjson': ndjson(orders(1, 2)) },
    { owner, allowDangling: true },
  )
  loaded.clear()
  return { database, store, loaded }
}

/** Everything that an import leaves behind in the tables of a collection. */
const contents = async ({ database }: OpenRecords, table: string): Promise<unknown> =>
  database.read(
    [
      `select * from "${table}" order by "id"`,
      'select "owner", "collection", "total" from "selvedge_collections" order by 1, 2',
      'select "filter", "value", "total" from "selvedge_totals" order by 1, 2',
      'select "collection", "key1", "removed" from "selvedge_changes" order by 1, 2',
      'select "name" from sqlite_schema order by 1',
    ].map((text) => ({ text, values: [] })),
  )

describe('an import of rows in the order of their identity', async () => {
  const records = await openWatched('ordered.db')
  const others = await openWatched('others.db')
  const importTo = (to: typeof records, content: string, options = {}) => {
    to.loaded.clear()
    return importInto(to, { 'order-items.ndjson': content }, { owner, ...options })
  }

  it('loads them directly, and gives what one in another order gives', async () => {
    const all = numbers(1, 5_000)
    const result = await importTo(records, items(...all))
    assert.deepEqual([...records.loaded], ['order_items'])
    const { added, changed, removed } = result.collections[0] ?? {}
    assert.deepEqual({ added, changed, removed }, { added: 5_000, changed: 0, removed: 0 })
    await importTo(others, items(...all.toReversed()))
    assert.deepEqual([...others.loaded], ['staged_order_items'])
    assert.deepEqual(await contents(records, 'order_items'), await contents(others, 'order_items'))
  })

  it('compares them with what is stored, if that is much', async () => {
    const result = await importTo(records, items(...numbers(4_001, 6_000)))
    assert.deepEqual([...records.loaded], ['staged_order_items'])
    const { added, unchanged } = result.collections[0] ?? {}
    assert.deepEqual({ added, unchanged }, { added: 1_000, unchanged: 1_000 })
  })
})

describe('rows that can be loaded directly at first', async () => {
  let count = 0
  /** Imports into a database with the items 1 and 4,000. */
  const importBeside = async (content: string, options = {}) => {
    count += 1
    const records = await openWatched(`beside-${count}.db`)
    await importInto(records, { 'order-items.ndjson': items(1, 4_000) }, { owner })
    records.loaded.clear()
    const result = await importInto(
      records,
      { 'order-items.ndjson': content },
      { owner, ...options },
    )
    const [stored = []] = await records.database.read([
      { text: 'select lower(hex("id")) from "order_items" order by 1', values: [] },
    ])
    const ids = stored.map(([id]) => Number.parseInt(String(id).slice(0, 8), 16))
    return { ...result, ...result.collections[0], ids, loaded: [...records.loaded] }
  }

  it('stay there beside a few stored records', async () => {
    const { ids, added, loaded } = await importBeside(items(...numbers(2, 3_999)))
    assert.deepEqual([added, loaded], [3_998, ['order_items']])
    assert.deepEqual(ids, numbers(1, 4_000))
  })

  it('are staged when one is not in order', async () => {
    const { ids, added, loaded } = await importBeside(items(...numbers(5, 3_900), 3))
    assert.deepEqual([added, loaded.at(-1)], [3_897, 'staged_order_items'])
    assert.deepEqual(ids, [1, 3, ...numbers(5, 3_900), 4_000])
  })

  it('are staged when one is stored already', async () => {
    const { ids, added, unchanged } = await importBeside(items(...numbers(2, 4_000)))
    assert.deepEqual([added, unchanged], [3_998, 1])
    assert.deepEqual(ids, numbers(1, 4_000))
  })

  it('are staged when they replace what is stored', async () => {
    const { ids, removed, loaded } = await importBeside(items(...numbers(2, 3_000)), {
      replace: true,
    })
    assert.deepEqual([removed, loaded], [2, ['order_items']])
    assert.deepEqual(ids, numbers(2, 3_000))
  })

  it('are refused for a duplicate, and it is reported with its line', async () => {
    const content = `${items(...numbers(2, 2_500))}\n\n${items(2_500, 2_501)}`
    const { reported, written, ids } = await importBeside(content)
    assert.deepEqual(reported, [
      [
        'order-items.ndjson:2502',
        '',
        idOf(2_500),
        'has the same identity as line 2499 of order-items.ndjson',
      ],
    ])
    assert.deepEqual([written, ids], [false, [1, 4_000]])
  })

  it('keep their order among rows that have to be parsed', async () => {
    const escaped = ndjson([{ ...item(700), category: 'Hats "and" caps' }])
    const content = [items(...numbers(2, 699)), escaped, items(...numbers(701, 3_000))].join('')
    const { ids, added, loaded } = await importBeside(content)
    assert.deepEqual([added, loaded], [2_999, ['order_items']])
    assert.deepEqual(ids, [...numbers(1, 3_000), 4_000])
  })
})

describe('rows loaded directly with a dangling reference', async () => {
  const records = await openWatched('dangling.db')
  const content = ndjson(numbers(1, 2_600).map((number) => item(number, number === 2_400 ? 9 : 1)))
  const missing = 'refers to a record of orders that is neither in this import nor stored'

  it('are refused, and each is reported with its line', async () => {
    const files = { 'order-items.ndjson': `\n${content}` }
    const { reported, written } = await importInto(records, files, { owner })
    assert.deepEqual(reported, [['order-items.ndjson:2401', '/orderId', idOf(9), missing]])
    assert.equal(written, false)
  })

  it('are stored without those in quarantine', async () => {
    const files = { 'order-items.ndjson': content }
    const { reported, collections } = await importInto(records, files, {
      owner,
      onError: 'quarantine',
    })
    const waits = `${missing}: the row waits for it`
    assert.deepEqual(reported, [['order-items.ndjson:2400', '/orderId', idOf(9), waits]])
    assert.deepEqual([collections[0]?.added, collections[0]?.parked], [2_599, 1])
    const [[[count] = []] = []] = await records.database.read([
      { text: 'select count(*) from "order_items"', values: [] },
    ])
    assert.equal(count, 2_599)
  })
})
