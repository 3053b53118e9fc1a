/** Lists of the query API over HTTP: parameters, pages, cursors, conditional requests. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { basePath, catalog, queryBasePath, queryParametersOf, sortsOf } from '#contract'
import { lists, recordsAt } from '../support/model.ts'
import { openTestService, type TestResponse } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())

const at = (rest: string, brand = 'aldermoor') => `${queryBasePath}/brands/${brand}/${rest}`
const query = (rest: string, options = {}): Promise<TestResponse> => service.get(at(rest), options)

const idsOf = ({ body }: TestResponse): readonly string[] =>
  body.items.map(({ id }: { id: string }) => id)

/** All problems of a refused request, by parameter. */
const problemsOf = ({ status, body }: TestResponse): { readonly [parameter: string]: string } => {
  assert.equal(status, 400)
  const details: readonly { parameter: string; issue: string }[] = body.details
  return Object.fromEntries(details.map(({ parameter, issue }) => [parameter, issue]))
}

describe('a list of the query API', () => {
  it('has the bytes of the contract, for every group, where nothing else is asked for', async () => {
    for (const { path } of lists) {
      const [own, ofContract] = [await query(path), await service.get(path)]
      assert.equal(own.status, 200, path)
      const { nextCursor: _, ...page } = own.body
      const { nextCursor: __, ...contractPage } = ofContract.body
      assert.deepEqual(page, contractPage, path)
    }
  })

  it('can be sorted by every sortable field of every group, with the same total', async () => {
    for (const { path, sortable } of lists) {
      for (const field of sortable) {
        const up = await query(`${path}?sort=${field}&limit=100`)
        const down = await query(`${path}?sort=-${field}&limit=100`)
        assert.equal(up.status, 200, `${path} ${field} ${up.text}`)
        assert.equal(up.body.totalItems, recordsAt(path).length)
        const withValue = ({ body }: TestResponse) =>
          body.items.filter((record: { [name: string]: unknown }) => record[field] !== null)
        if (up.body.totalItems <= 100) {
          assert.deepEqual(withValue(up), withValue(down).reverse(), `${path} ${field}`)
        }
      }
    }
  })

  it('can be sorted by every other order of every group, with the same total', async () => {
    let sorted = 0
    for (const resource of lists) {
      const { path, sortable, views } = resource
      for (const field of sortsOf(resource).filter((each) => !sortable.includes(each))) {
        sorted += 1
        const dated = views.filter(({ dates }) => dates.length > 0)
        const conditions = field === 'viewDate' ? dated.map(({ name }) => `&view=${name}`) : ['']
        for (const condition of conditions) {
          const plain = await query(`${path}?limit=100${condition}`)
          const up = await query(`${path}?sort=${field}&limit=100${condition}`)
          assert.equal(up.status, 200, `${path} ${field} ${up.text}`)
          assert.equal(up.body.totalItems, plain.body.totalItems)
          assert.deepEqual(idsOf(up).toSorted(), idsOf(plain).toSorted(), `${path} ${field}`)
          const values = up.body.items.map((each: { [name: string]: unknown }) => each[field])
          if (values.every((value: unknown) => typeof value === 'string')) {
            assert.deepEqual(values, values.toSorted(), `${path} ${field}`)
          }
        }
      }
    }
    assert.ok(sorted > 80)
  })

  it('has the greatest amount in the base currency first, and what is not converted last', async () => {
    const [payment = {}] = recordsAt('payments')
    const made = (
      amount: string,
      currency: string,
      rate: string | null,
      stated: string | null,
    ) => ({
      ...payment,
      id: crypto.randomUUID(),
      paymentNumber: amount,
      ...{ amount, currency, exchangeRate: rate, baseAmount: stated },
    })
    const other = await openTestService()
    after(() => other.close())
    await other.write('aldermoor', {
      payments: [
        made('900.00', 'USD', null, null),
        made('40000.00', 'TRY', '0.02', null),
        made('39999.00', 'TRY', '0.02', '900.01'),
        made('99999999.00', 'TRY', null, null),
        made('45000.00', 'TRY', '0.02', null),
      ],
    })
    const numbers = 'paymentNumber.in=900.00,40000.00,39999.00,99999999.00,45000.00'
    const { body } = await other.get(at(`payments?sort=-amount.base&${numbers}`))
    const profile = await other.get('')
    assert.equal(profile.body.baseCurrencyCode, 'USD')
    const amounts = body.items.map(({ amount }: { amount: string }) => amount)
    const [first, second, third, fourth, last] = amounts
    assert.deepEqual([first, fourth, last], ['39999.00', '40000.00', '99999999.00'])
    // 45,000 lira are 900 dollars: equal amounts are in the order of the identity.
    assert.deepEqual([second, third].toSorted(), ['45000.00', '900.00'])
  })

  it('has the date of a view only with such a view', async () => {
    const { sort: missing } = problemsOf(await query('orders?sort=viewDate'))
    assert.equal(missing, 'needs a view')
    const { sort: dateless } = problemsOf(
      await query('order-amendments?view=pending&sort=viewDate'),
    )
    assert.match(dateless ?? '', /is not a field that this list can be sorted by/)
    const late = await query('orders?view=late&sort=viewDate&asOf=2030-01-01&limit=100')
    const dates = late.body.items.map(
      (order: { [name: string]: string | null }) =>
        order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate'],
    )
    assert.deepEqual(dates, dates.toSorted())
  })

  it('has totals of all its records, as the summary has them', async () => {
    const lists = [
      ['orders', 'totalQuantity,totalAmount', ''],
      ['orders', 'totalAmount', 'view=open&asOf=2026-03-01'],
      ['invoices', 'balanceAmount', 'view=unpaid&dueDate.gte=2000-01-01&sort=-totalAmount.base'],
      ['order-items', 'qty,unitPrice', 'qty.gte=1'],
    ] as const
    for (const [path, fields, conditions] of lists) {
      const page = await query(`${path}?${conditions}&totals=${fields}&limit=1`)
      assert.equal(page.status, 200, page.text)
      const selected = conditions.replace(/&sort=.*/, '')
      const summary = await query(`${path}/summary?${selected}&sum=${fields}`)
      assert.deepEqual(page.body.totals, { sum: summary.body.total.sum }, path)
      assert.equal(page.body.totalItems, summary.body.totalItems)
    }
    const ids = idsOf(await query('order-items?limit=2'))
    const some = await query(`order-items?ids=${ids.join()}&totals=qty`)
    const sum = some.body.items.reduce((all: number, { qty }: { qty: number }) => all + qty, 0)
    assert.deepEqual(some.body.totals, { sum: { qty: sum } })
  })

  it('has a tag that changes with everything its totals come from', async () => {
    const other = await openTestService()
    after(() => other.close())
    const path = at('order-items?totals=unitPrice&limit=1')
    const { headers } = await other.get(path)
    const tag = { 'if-none-match': headers.get('etag') ?? '' }
    assert.equal((await other.get(path, { headers: tag })).status, 304)
    assert.equal((await other.get(at('order-items?limit=1'), { headers: tag })).status, 200)
    const [order] = (await other.get('orders?limit=1')).body.items
    await other.write('aldermoor', { orders: [{ ...order, currency: 'CHF' }] })
    assert.equal((await other.get(path, { headers: tag })).status, 200)
  })

  it('refuses totals of what cannot be added up, and where there is no page', async () => {
    const { totals } = problemsOf(await query('orders?totals=totalAmount,status'))
    assert.match(totals ?? '', /names "status", which is not a field to add up/)
    const refused = [
      'orders/summary?totals=totalAmount',
      'orders/download?format=csv&totals=totalAmount',
    ]
    for (const path of refused) {
      assert.match(problemsOf(await query(path))['totals'] ?? '', /is not a parameter here/, path)
    }
  })

  it('takes every parameter that is described, and no two have the same name', () => {
    for (const resource of lists) {
      const names = queryParametersOf(resource).map(({ name }) => name)
      assert.equal(new Set(names).size, names.length, resource.path)
    }
  })

  it('is limited to ranges, values, prefixes and identities', async () => {
    const orders = recordsAt('orders')
    const [order = {}] = orders
    const number = String(order['orderNumber'])
    const match = await query(`orders?orderNumber.startsWith=${number.slice(0, 4).toLowerCase()}`)
    assert.ok(idsOf(match).includes(String(order['id'])))
    const since = await query('orders?orderDate.gte=1900-01-01&orderDate.lt=2900-01-01')
    assert.equal(since.body.totalItems, orders.length)
    const none = await query('orders?totalAmount.gt=999999999999.99')
    assert.deepEqual([none.body.items, none.body.totalItems, none.body.nextCursor], [[], 0, null])
    const stranger = '00000000-0000-4000-8000-000000000000'
    const chosen = await query(`orders?ids=${order['id']},${stranger}`)
    assert.deepEqual([idsOf(chosen), chosen.body.missingIds], [[order['id']], [stranger]])
    const listed = await query(`orders?orderNumber.in=${number}&orderNumber.in=NONE`)
    assert.deepEqual(idsOf(listed), [order['id']])
  })

  it('leaves deleted records out, or has only them, in every group that has such', async () => {
    const groups = lists.filter(({ fields }) => Object.hasOwn(fields, 'deletedAt'))
    assert.ok(groups.length > 10)
    for (const { path } of groups) {
      const { status, body } = await query(`${path}?deletedAt.isNull=true`)
      assert.deepEqual([status, body.totalItems], [200, recordsAt(path).length], path)
    }
    const [season] = recordsAt('collections')
    const stored = '00000000-0000-4000-8000-000000000001'
    const deleted = '00000000-0000-4000-8000-000000000002'
    const brand = (await service.get('')).body
    await service.write('erased', {
      brand: [{ ...brand, slug: 'erased' }],
      collections: [
        { ...season, id: stored, code: 'K' },
        { ...season, id: deleted, code: 'D', deletedAt: '2026-03-01T09:00:00.000Z' },
      ],
    })
    const key = await service.key('erased')
    const idsWith = async (condition: string) =>
      idsOf(await service.get(at(`collections?${condition}`, 'erased'), { key }))
    assert.deepEqual(await idsWith('deletedAt.isNull=true'), [stored])
    assert.deepEqual(await idsWith('deletedAt.isNull=false'), [deleted])
    assert.deepEqual(await idsWith('limit=25'), [stored, deleted])
  })

  it('takes a date for a time, and times of any offset', async () => {
    const times = recordsAt('orders').map(({ updatedAt }) => String(updatedAt))
    const total = async (bound: string) =>
      (await query(`orders?updatedSince=${bound}`)).body.totalItems
    const [first = ''] = times
    assert.equal(await total(first), times.filter((time) => time >= first).length)
    const inBerlin = `${new Date(Date.parse(first) + 7_200_000).toISOString().slice(0, -1)}+02:00`
    assert.equal(await total(inBerlin), await total(first))
    assert.equal(await total(encodeURIComponent(inBerlin)), await total(first))
    assert.equal(await total('2000-01-01'), times.length)
  })

  it('leaves out fields that were not asked for, byte for byte, but never the identity', async () => {
    const { body } = await query('orders?fields=orderNumber,status&limit=1&include=supplier')
    const [item] = body.items
    assert.deepEqual(Object.keys(item), ['id', 'orderNumber', 'status', 'supplier'])
    const short = await query('order-shipments?fields=createdAt&limit=1')
    assert.deepEqual(Object.keys(short.body.items[0]), ['orderId', 'shipmentId', 'createdAt'])
  })

  it('names everything that is wrong with its parameters', async () => {
    const problems = problemsOf(
      await query(
        'orders?sort=memo&orderDate.gte=2026-02-30&totalAmount.lt=1,5&limit=0&ids=x&status.isNull=maybe&orderDate.startsWith=2026&colour=red&fields=id,nmae',
      ),
    )
    assert.match(problems['sort'] ?? '', /names "memo", .* possible are orderNumber, orderDate, /)
    assert.match(problems['orderDate.gte'] ?? '', /must be a date such as 2026-03-01/)
    assert.match(problems['totalAmount.lt'] ?? '', /must be a decimal number such as 1250\.00/)
    assert.match(problems['limit'] ?? '', /from 1 to 100/)
    assert.match(problems['ids'] ?? '', /has "x", which is not an identity of orders/)
    assert.match(problems['orderDate.startsWith'] ?? '', /possible with orderNumber/)
    assert.match(problems['colour'] ?? '', /is not a parameter here/)
    assert.match(problems['fields'] ?? '', /names "nmae", .*possible are id, /i)
    assert.equal(Object.keys(problems).length, 9)
  })

  it('says of a misspelled parameter which one was meant, and lists all that there are', async () => {
    const { 'orderDate.gtee': issue = '' } = problemsOf(await query('orders?orderDate.gtee=1'))
    assert.match(issue, /did you mean orderDate\.gte\?/)
    const { nothing = '' } = problemsOf(await query('orders?nothing=1'))
    assert.match(nothing, /\.gte, \.gt, \.lte, \.lt with orderDate, /)
    assert.match(nothing, /\.startsWith with orderNumber/)
  })

  it('bounds its lists of values and identities', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `v${n}`).join()
    const values = problemsOf(await query(`orders?status.in=${many(51)}`))
    assert.match(values['status.in'] ?? '', /at most 50 values/)
    const ids = problemsOf(await query(`orders?ids=${many(101)}`))
    assert.match(ids['ids'] ?? '', /at most 100 identities/)
    const prefix = problemsOf(await query(`orders?orderNumber.startsWith=${'x'.repeat(101)}`))
    assert.match(prefix['orderNumber.startsWith'] ?? '', /1 to 100 characters/)
  })

  it('is walked through by its Link header', async () => {
    const seen: string[] = []
    let next: string | null = at(
      'order-items?sort=-qty&limit=3&updatedAt.gte=2000-01-01T00:00:00Z&fields=qty',
    )
    while (next) {
      const page: TestResponse = await service.get(next)
      assert.equal(page.status, 200, page.text)
      seen.push(...idsOf(page))
      next = /^<([^>]+)>; rel="next"$/.exec(page.headers.get('link') ?? '')?.[1] ?? null
    }
    const all = recordsAt('order-items')
    assert.deepEqual([...seen].sort(), all.map(({ id }) => id).sort())
  })

  it('has a tag that a conditional request is compared with', async () => {
    const path = 'orders?sort=-orderDate&limit=2'
    const { headers } = await query(path)
    const tag = headers.get('etag') ?? ''
    const same = await query(path, { headers: { 'if-none-match': tag } })
    assert.deepEqual([same.status, same.headers.get('etag')], [304, tag])
    const other = await query('orders?sort=orderDate&limit=2', {
      headers: { 'if-none-match': tag },
    })
    assert.equal(other.status, 200)
    const head = await query(path, { method: 'HEAD' })
    assert.deepEqual([head.status, head.headers.get('etag')], [200, tag])
  })
})

describe('a cursor of the query API', () => {
  const cursorOf = async (rest: string): Promise<string> => {
    const { body } = await query(rest)
    assert.equal(typeof body.nextCursor, 'string', rest)
    return body.nextCursor
  }

  it('is bound to its collection, conditions and order', async () => {
    const cursor = await cursorOf('order-items?sort=-qty&qty.gte=1&limit=1')
    const errorOf = async (rest: string) => {
      const { status, body } = await query(`${rest}&cursor=${cursor}`)
      return [status, body.errorCode, body.details?.different]
    }
    assert.equal(
      (await query(`order-items?sort=-qty&qty.gte=1&limit=5&cursor=${cursor}`)).status,
      200,
    )
    assert.equal(
      (await query(`order-items?sort=-qty&qty.gte=1&fields=qty&cursor=${cursor}`)).status,
      200,
    )
    const mismatch = (...different: string[]) => [400, 'cursor_mismatch', different]
    assert.deepEqual(await errorOf('order-items?sort=qty&qty.gte=1'), mismatch('sort'))
    assert.deepEqual(await errorOf('order-items?sort=-qty&qty.gte=2'), mismatch('conditions'))
    assert.deepEqual(await errorOf('order-items?qty.gte=1'), mismatch('sort'))
    const byAmount = await query('payments?sort=-amount.base&limit=1')
    const byStatus = await query(`payments?sort=status&cursor=${byAmount.body.nextCursor}`)
    assert.deepEqual(byStatus.body.details?.different, ['sort'])
    assert.deepEqual(await errorOf('orders?x=1').then(([status]) => status), 400)
    assert.deepEqual(await errorOf('orders?limit=1'), mismatch('collection', 'conditions', 'sort'))
  })

  it('is not one of the contract, and the other way round', async () => {
    const own = await cursorOf('order-items?limit=1')
    const { body } = await service.get('order-items?limit=1')
    const refused = [
      await query(`order-items?limit=1&cursor=${body.nextCursor}`),
      await service.get(`order-items?limit=1&cursor=${own}`),
    ]
    for (const { status, body: answer } of refused) {
      assert.deepEqual([status, answer.errorCode], [400, 'invalid_cursor'])
    }
  })

  it('may be used by another order of the same parameters', async () => {
    const cursor = await cursorOf('order-items?qty.gte=1&qty.lt=100000&limit=1')
    const { status } = await query(`order-items?qty.lt=100000&qty.gte=1&limit=1&cursor=${cursor}`)
    assert.equal(status, 200)
  })
})

describe('the query API', () => {
  it('needs a key for the brand, as the contract does', async () => {
    const keys = [null, 'sk_wrong', await service.key('somebody-else'), await service.key()]
    for (const key of keys) {
      for (const brand of ['aldermoor', 'nobody']) {
        const ofContract = await service.get(`${basePath}/brands/${brand}/orders`, { key })
        const own = await service.get(at('orders', brand), { key })
        const { error, errorCode } = ofContract.body
        assert.equal(own.status, ofContract.status)
        assert.deepEqual([own.body.error, own.body.errorCode], [error, errorCode])
      }
    }
  })

  it('has lists only, and leaves the contract as it is', async () => {
    assert.equal((await query('brand')).status, 404)
    assert.equal((await service.get(at('orders'), { method: 'POST' })).status, 405)
    const { status } = await service.get(`${basePath}/brands/aldermoor/orders?sort=orderDate`)
    assert.equal(status, 400)
    assert.equal(lists.length, catalog.resources.filter(({ lookup }) => !lookup).length)
  })

  for (const [path, hint] of [
    ['brands/aldermoor/order_items', 'Did you mean order-items?'],
    ['brands/aldermoor/serch', 'Did you mean search?'],
    ['brands/aldermoor/orders/sumary', 'Did you mean orders/summary?'],
    [
      'brands/aldermoor/orders/PO-5512',
      'To find a record by its orderNumber, use orders?orderNumber=PO-5512.',
    ],
    ['aldermoor/orders', 'Every path begins with /api/query/v1/brands/{brand}/.'],
    ['brands/aldermoor/xyzzy', 'There is no such group.'],
  ] as const) {
    it(`says at ${path} what was meant, and where all paths are listed`, async () => {
      const { status, body } = await service.get(`${queryBasePath}/${path}`)
      assert.equal(status, 404)
      assert.ok(body.error.includes(hint), body.error)
      assert.ok(body.error.includes('/api/query/v1/openapi.json lists all paths.'), body.error)
    })
  }
})
