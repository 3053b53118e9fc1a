/** How PostgreSQL runs lists once it knows what is in the tables: never through a whole one. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { catalog, resourceAt, wholeScope } from '#contract'
import { type Database, openDatabase, type Query } from '#database'
import { openStory } from '#demo'
import { createStore, ownerNumber } from '#store'
import { compileOne } from '../../src/store/document/follow.ts'
import { joinState } from '../../src/store/read/collection-state.ts'
import { compileGet, planGet } from '../../src/store/read/get.ts'
import { compileJoined, type ListRequest, planList } from '../../src/store/read/list.ts'
import { bind } from '../../src/store/read/query-template.ts'
import { tablesOf } from '../../src/store/schema/tables.ts'
import { compileCount } from '../support/count-template.ts'
import { idOf } from '../support/model.ts'
import { openPostgresDatabases, type PostgresDatabases } from '../support/postgres.ts'

const items = resourceAt(catalog, 'order-items')
const tables = tablesOf(catalog)
const brand = 'aldermoor'
const rows = 20_000

describe('a large collection on PostgreSQL', () => {
  let postgres: PostgresDatabases
  let database: Database

  before(async () => {
    postgres = await openPostgresDatabases()
    database = openDatabase(await postgres.url('plans'))
    const store = await createStore(catalog, database)
    const { records } = await openStory()
    const [item] = records['order-items'] ?? []
    const types = ['product', 'sample', 'material']
    await store.write(brand, async (writer) => {
      await writer.stage(
        items,
        Array.from({ length: rows }, (_, n) => ({
          ...item,
          id: idOf(n + 1),
          itemType: types[n % 3],
        })),
      )
      await writer.merge(items)
    })
  })
  after(async () => {
    await database.close()
    await postgres.close()
  })

  /** The plan as a request gets it: on its connection, in its role, with its brand. */
  const planOf = async ({ text, values }: Query): Promise<string> => {
    const explain = { text: `explain (analyze, buffers, costs off) ${text}`, values }
    const [lines = []] = await database.read([explain], ownerNumber(brand))
    return lines.map(([line]) => line).join('\n')
  }

  const pageOf = (request: ListRequest): Query =>
    bind(
      compileJoined(planList(request, tables), database.dialect, (values) =>
        joinState([{ owner: () => ownerNumber(brand), path: items.path }], values),
      ),
      request,
    )

  const requests: readonly ListRequest[] = [0, rows / 2, rows - 30, rows].flatMap((place) =>
    [new Map<string, string>(), new Map([['itemType', 'sample']])].map((filters) => ({
      resource: items,
      brand,
      filters,
      limit: 25,
      after: place === 0 ? null : [idOf(place)],
      include: [],
    })),
  )

  it('is read along its indexes, at its beginning, in the middle and at its end', async () => {
    for (const request of requests) {
      const said = await planOf(pageOf(request))
      assert.match(said, /Index .*Scan/)
      assert.doesNotMatch(said, /Seq Scan on order_items|Sort|Bitmap/, said)
      const [, hit = '0', read = '0'] = /Buffers: shared hit=(\d+)(?: read=(\d+))?/.exec(said) ?? []
      assert.ok(Number(hit) + Number(read) < 200, said)
    }
  })

  it('is planned once for all pages of a kind, along the same indexes', async () => {
    const shared = openDatabase(`${await postgres.url('plans')}?readers=1&query-ms=60000`)
    const client = new pg.Client(await postgres.url('plans'))
    await client.connect()
    await client.query('set enable_seqscan = off; set role selvedge_reader')
    for (const request of requests) {
      for (let limit = 1; limit <= 12; limit += 1) {
        await shared.read([pageOf({ ...request, limit })], ownerNumber(brand))
      }
      const { text } = pageOf(request)
      const { rows: lines } = await client.query({
        text: `explain (generic_plan, costs off) ${text.replaceAll('?', '$')}`,
        rowMode: 'array',
      })
      const said = lines.join('\n')
      assert.match(said, /Index .*Scan/)
      assert.doesNotMatch(said, /Seq Scan|Sort|Bitmap/, said)
    }
    const [plans = []] = await shared.read(
      [
        {
          text: "select custom_plans from pg_prepared_statements where statement ~ '^select a'",
          values: [],
        },
      ],
      ownerNumber(brand),
    )
    assert.equal(plans.length, 4)
    // The server makes five plans for given values before it compares them with one for any.
    for (const [custom] of plans) assert.equal(custom, 5)
    await client.end()
    await shared.close()
  })

  it('is known to the server when it is committed: a long download keeps its first plans', async () => {
    const client = new pg.Client(await postgres.url('plans'))
    await client.connect()
    const { rows: statistics } = await client.query(
      "select n_distinct from pg_stats where tablename = 'order_items' and attname = 'id'",
    )
    assert.deepEqual(statistics, [{ n_distinct: -1 }])
    await client.end()
  })

  it('is followed along the index of a reference that was frequent when it was last counted', async () => {
    const [orderId = '', otherId = ''] = [idOf(rows + 1), idOf(rows + 2)]
    const client = new pg.Client(await postgres.url('plans'))
    await client.connect()
    const set = (id: string) => client.query('update order_items set "orderId" = $1', [id])
    await set(orderId)
    await client.query('analyze order_items')
    await set(otherId)
    await client.end()
    const all = async () => []
    const steps = { all, stepMs: 0, tookMs: 0 }
    const read = { steps, dialect: database.dialect, tables, brand, scope: wholeScope }
    const request = { group: 'order-items', column: 'orderId', fields: ['qty'], where: null }
    for (const after of [null, [idOf(7)]]) {
      const said = await planOf(compileOne(read, { ...request, values: [] }, orderId, after))
      assert.match(said, /Index .*Scan using "order_items__orderId"/, said)
      assert.doesNotMatch(said, /Sort|Rows Removed/, said)
    }
  })

  it('is counted and looked up along its indexes', async () => {
    const request = { resource: items, brand, key: [idOf(7)], include: [] }
    const get = bind(compileGet(planGet(request, tables), database.dialect), request)
    assert.match(await planOf(get), /Index Scan using order_items_pkey/)
    const filtered = requests[1] as ListRequest
    const count = bind(compileCount(planList(filtered, tables), database.dialect), filtered)
    assert.doesNotMatch(await planOf(count), /Seq Scan/)
  })
})
