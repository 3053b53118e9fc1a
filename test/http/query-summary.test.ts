/** Summaries and the figures of the day, over HTTP. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { lists } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const base = '/api/query/v1/brands/aldermoor'

describe('a summary', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
  })
  after(() => service.close())

  const get = (path: string, headers = {}) => service.get(`${base}/${path}`, { headers })
  const problemsOf = async (path: string) => {
    const { status, body } = await get(path)
    assert.equal(status, 400, path)
    return body.details as readonly { parameter: string; issue: string }[]
  }

  it('of every list counts the records that the list has', async () => {
    for (const { path } of lists) {
      const list = await get(`${path}?limit=1`)
      const { status, body } = await get(`${path}/summary`)
      assert.equal(status, 200, path)
      assert.deepEqual(body, { totalItems: list.body.totalItems, total: {} }, path)
    }
  })

  it('counts the records that filters, ranges and views select', async () => {
    for (const query of [
      'orders/summary?status=closed',
      'order-items/summary?qty.gte=10',
      'invoices/summary?view=unpaid&asOf=2026-03-01',
      'invoices/summary?view=dueWithin&days=60&asOf=2026-03-01',
      'shipments/summary?mode.in=ocean,air',
      'invoices/summary?orderId.isNull=false',
    ]) {
      const list = await get(`${query.replace('/summary', '')}&limit=1`)
      assert.equal((await get(query)).body.totalItems, list.body.totalItems, query)
    }
  })

  it('adds up amounts by currency and in the base currency', async () => {
    const { body } = await get('invoices/summary?sum=totalAmount&by=currency')
    const { sum } = body.total
    assert.ok(sum.totalAmount.currencies.length > 0)
    for (const { by, sum: ofGroup } of body.groups) {
      const [own] = ofGroup.totalAmount.currencies
      assert.equal(own.currency, by.currency)
      assert.deepEqual(
        sum.totalAmount.currencies.find(
          (each: { currency: string }) => each.currency === by.currency,
        ),
        own,
      )
    }
  })

  it('has the groups with the greatest sums first, and only so many of them', async () => {
    const path = 'order-items/summary?sum=qty&by=skuId'
    const { body: all } = await get(path)
    const { body: top } = await get(`${path}&sort=-qty&top=3`)
    const ranked = (all.groups as { by: { skuId: string }; sum: { qty: number } }[]).toSorted(
      (one, other) => other.sum.qty - one.sum.qty,
    )
    assert.deepEqual(top.groups, ranked.slice(0, 3))
    assert.equal(top.totalGroups, all.groups.length)
    assert.deepEqual(top.total, all.total)
    // The greatest first sum is the order of top itself.
    assert.deepEqual((await get(`${path}&top=3`)).body, top)
    const { body: fewest } = await get('orders/summary?by=status&sort=items')
    const counts = fewest.groups.map(({ items }: { items: number }) => items)
    assert.deepEqual(
      counts,
      counts.toSorted((a: number, b: number) => a - b),
    )
    assert.equal(fewest.totalGroups, undefined)
  })

  it('names the day that ageing counts from', async () => {
    const { body } = await get('invoices/summary?by=dueDate:ageing&asOf=2026-03-01')
    assert.equal(body.asOf, '2026-03-01')
    assert.match((await get('invoices/summary?view=overdue')).body.asOf, /^\d{4}-\d\d-\d\d$/)
    assert.equal((await get('invoices/summary')).body.asOf, undefined)
  })

  it('refuses what cannot be worked out, and says what is possible', async () => {
    const [sum] = await problemsOf('orders/summary?sum=orderNumber')
    assert.match(sum?.issue ?? '', /not a field to add up; possible are revisionNumber/)
    const [by] = await problemsOf('orders/summary?by=memo')
    assert.match(by?.issue ?? '', /possible are .*status.*orderDate:month/)
    const [three] = await problemsOf('orders/summary?by=status,kind,currency')
    assert.equal(three?.issue, 'must have at most 2 fields')
    assert.deepEqual(await problemsOf('orders/summary?top=5&sort=items'), [
      { parameter: 'sort', issue: 'needs by' },
      { parameter: 'top', issue: 'needs by' },
    ])
    const [sort] = await problemsOf('orders/summary?by=status&sum=totalQuantity&sort=-totalAmount')
    assert.match(sort?.issue ?? '', /not items or one of sum; .*items, totalQuantity/)
    for (const top of ['0', '1001', 'ten', '-1']) {
      const [problem] = await problemsOf(`orders/summary?by=status&top=${top}`)
      assert.equal(problem?.issue, 'must be a whole number from 1 to 1000')
    }
    const [limit] = await problemsOf('orders/summary?limit=5')
    assert.match(limit?.issue ?? '', /is not a parameter here/)
    const [asOf] = await problemsOf('orders/summary?asOf=2026-03-01')
    assert.deepEqual(asOf, { parameter: 'asOf', issue: 'needs a view' })
    const all = await problemsOf('orders/summary?sum=x&min=y&by=z')
    assert.deepEqual(
      all.map(({ parameter }) => parameter),
      ['sum', 'min', 'by'],
    )
  })

  it('is not sent again while nothing has changed', async () => {
    const path = 'orders/summary?sum=totalAmount'
    const { headers } = await get(path)
    const tag = headers.get('etag') ?? ''
    assert.equal((await get(path, { 'if-none-match': tag })).status, 304)
    const [order] = (await get('orders?limit=1')).body.items
    await service.write('aldermoor', { orders: [{ ...order, totalAmount: '1.00' }] })
    const later = await get(path, { 'if-none-match': tag })
    assert.equal(later.status, 200)
    assert.match(JSON.stringify(later.body), /"amount":"1\.00"/)
  })

  it('is kept apart for each brand, and needs its key', async () => {
    const [order] = (await get('orders?limit=1')).body.items
    const [own] = (await service.get('')).body.slug ? [(await service.get('')).body] : []
    await service.write('other', {
      brand: [{ ...own, id: '99999999-0000-4000-8000-000000000000', slug: 'other' }],
      orders: [
        { ...order, totalAmount: '7.00', status: 'sent', confirmedExFactoryDate: '2020-01-01' },
      ],
    })
    const key = await service.key('other')
    const at = (path: string) => service.get(`/api/query/v1/brands/other/${path}`, { key })
    assert.equal((await at('orders/summary?sum=totalAmount')).body.totalItems, 1)
    assert.equal((await at('today')).body.figures.ordersLate.items, 1)
    assert.equal((await at('invoices/summary')).body.totalItems, 0)
    for (const path of ['orders/summary', 'today']) {
      assert.equal((await service.get(`${base}/${path}`, { key })).status, 401, path)
      assert.equal((await service.get(`${base}/${path}`, { key: null })).status, 401, path)
    }
    const before = (await get('today')).body.figures.ordersOpen.items
    const { body } = await get('orders?view=open&limit=1')
    assert.equal(before, body.totalItems)
  })
})

describe('the figures of the day', () => {
  let service: TestService
  before(async () => {
    // Noon in New York.
    service = await openTestService({}, { now: () => Date.parse('2026-03-02T17:00:00.000Z') })
  })
  after(() => service.close())
  const get = (query: string, headers = {}) => service.get(`${base}/today${query}`, { headers })

  it('are of today in the time zone of the brand by default', async () => {
    assert.equal((await get('')).body.asOf, '2026-03-02')
  })

  it('change with the records, and are not sent again before', async () => {
    const first = await get('?asOf=2026-03-02')
    const tag = first.headers.get('etag') ?? ''
    assert.equal((await get('?asOf=2026-03-02', { 'if-none-match': tag })).status, 304)
    assert.equal((await get('?asOf=2026-03-03', { 'if-none-match': tag })).status, 200)
    const [order] = (await service.get('orders?limit=1')).body.items
    const late = {
      ...order,
      status: 'confirmed',
      confirmedExFactoryDate: '2026-03-01',
      deletedAt: null,
    }
    await service.write('aldermoor', { orders: [late] })
    const { body } = await get('?asOf=2026-03-02', { 'if-none-match': tag })
    assert.equal(body.figures.ordersLate.items, first.body.figures.ordersLate.items + 1)
    assert.deepEqual(body.figures.ordersLate.first[0], {
      id: order.id,
      title: order.orderNumber,
      date: '2026-03-01',
      days: 1,
      amount: { currency: order.currency, amount: order.totalAmount },
      quantity: order.totalQuantity,
      url: `/api/public/v1/brands/aldermoor/orders/${order.id}`,
    })
  })

  it('come with the exact number of records of every group', async () => {
    const { body } = await get('')
    assert.deepEqual(Object.keys(body.totals).sort(), lists.map(({ path }) => path).sort())
    for (const { path } of lists) {
      const list = await service.get(`${path}?limit=1`)
      assert.equal(body.totals[path], list.body.totalItems, path)
    }
  })

  it('say when records last changed, and how many the last import changed', async () => {
    const [order] = (await service.get('orders?limit=1')).body.items
    const before = Date.now()
    await service.write('aldermoor', { orders: [{ ...order, memo: 'Moved.' }] })
    const { records } = (await get('')).body
    assert.equal(records.lastImport.changed, 1)
    assert.equal(records.lastImport.at, records.changedAt)
    assert.ok(Date.parse(records.changedAt) >= before - 1_000)
    assert.ok(Date.parse(records.changedAt) <= Date.now() + 1_000)
    await service.write('aldermoor', { orders: [{ ...order, memo: 'Moved.' }] })
    const later = (await get('')).body.records
    assert.equal(later.lastImport.changed, 0)
    assert.equal(later.changedAt, records.changedAt)
    assert.ok(later.lastImport.at >= records.lastImport.at)
  })

  it('refuse a day that does not exist, and other parameters', async () => {
    assert.match((await get('?asOf=2026-02-30')).text, /asOf must be a date/)
    assert.match((await get('?day=2026-02-03')).text, /day is not a parameter here/)
  })

  it('of the last days refuse other numbers of them, and are not sent again', async () => {
    for (const days of ['1', '367', '2.5', '-3', '1e2', '']) {
      const { status, text } = await get(`/trend?days=${days}`)
      assert.equal(status, 400, days)
      assert.match(text, /days/)
    }
    const first = await get('/trend')
    assert.equal(first.body.days.length, 90)
    const tag = first.headers.get('etag') ?? ''
    assert.equal((await get('/trend', { 'if-none-match': tag })).status, 304)
    assert.equal((await get('/trend?days=366', { 'if-none-match': tag })).body.days.length, 366)
  })
})
