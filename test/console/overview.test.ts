import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { parseDecimal, signOf, sumAmounts } from '#contract'
import { type DemoRecord, openStory, season } from '#demo'
import { type Api, createApi, type Filters } from '../../console/src/api.ts'
import { domains } from '../../console/src/contract.ts'
import { quantitiesOfOrder } from '../../console/src/lineage/quantities.ts'
import {
  domainTotals,
  lists,
  openInvoices,
  openStatuses,
  orderToFollow,
  rowsMax,
  shipmentMonths,
  statusCounts,
  statusesOf,
  unitTotals,
} from '../../console/src/overview/counts.ts'
import { totalOf } from '../../console/src/totals.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let api: Api
let large: Api
const countIn = (each: Api) => (collection: string, filters?: Filters) =>
  totalOf(each, collection, filters)
const made = new Map<string, DemoRecord[]>()

before(async () => {
  service = await openTestService()
  const brand = 'larger'
  for (const { path, record } of season({ brand, orders: 250, seed: 1 })) {
    const records = made.get(path)
    if (records) records.push(record)
    else made.set(path, [record])
  }
  await service.write(brand, Object.fromEntries(made))
  api = createApi({ origin: service.url, brand: 'aldermoor', key: await service.key('aldermoor') })
  large = createApi({ origin: service.url, brand: brand, key: await service.key(brand) })
})

after(() => service.close())

test('the totals of the domains are those of all their records', async () => {
  const { records, shared } = await openStory()
  const all = { ...records, ...shared }
  const totals = new Map<string, number>()
  for (const { path } of lists) totals.set(path, await totalOf(api, path))
  const counted = domainTotals(totals)
  assert.deepEqual(
    counted.map(({ domain }) => domain),
    domains,
  )
  for (const { groups: own, total, whole } of counted) {
    for (const { group, total: one } of own) assert.equal(one, all[group.path]?.length, group.path)
    const sum = own.reduce((many, { group }) => many + (all[group.path]?.length ?? 0), 0)
    assert.deepEqual([total, whole], [sum, true])
  }
  totals.delete('orders')
  const waiting = domainTotals(totals).filter(({ whole }) => !whole)
  assert.deepEqual(
    waiting.map(({ domain }) => domain),
    ['orders'],
  )
})

test('orders and shipments by status add up to their totals', async () => {
  for (const collection of ['orders', 'shipments']) {
    const { total, counts } = await statusCounts(countIn(large), collection)
    const records = made.get(collection) ?? []
    assert.equal(total, records.length)
    for (const { name, count, filters } of counts) {
      assert.equal(count, records.filter(({ status }) => status === name).length, name)
      assert.deepEqual(filters, { status: name })
    }
    assert.deepEqual(
      counts.map(({ name }) => name),
      statusesOf(collection),
    )
  }
})

test('every bar links to a list of as many records as it counts', async () => {
  for (const { count, filters } of (await statusCounts(countIn(large), 'orders')).counts) {
    assert.equal(await totalOf(large, 'orders', filters), count)
  }
})

test('shipments by month count each shipment once, including empty months', async () => {
  const { months, tooLong } = await shipmentMonths(large)
  assert.deepEqual(tooLong, [])
  assert.equal(
    months.reduce((sum, { count }) => sum + count, 0),
    made.get('shipments')?.length,
  )
  for (const { count, byPhase } of months) {
    assert.equal(
      Object.values(byPhase).reduce((sum, each) => sum + each, 0),
      count,
    )
  }
  const dated = months.flatMap(({ month }) => month ?? [])
  assert.deepEqual(dated, dated.toSorted())
  const story = await shipmentMonths(api)
  assert.equal(story.months.length, 12)
  assert.deepEqual(
    story.months
      .filter(({ count }) => count > 0)
      .map(({ month, count, filters }) => [month, count, filters]),
    [
      ['2026-04', 1, { status: 'received' }],
      ['2026-05', 1, { status: 'received' }],
    ],
  )
})

test('of the story 640 units were ordered, 636 shipped and 634 received', async () => {
  const { units, tooLong, empty } = await unitTotals(api)
  assert.deepEqual([tooLong, empty], [[], false])
  assert.deepEqual(
    units.map(({ name, units: count }) => [name, count]),
    [
      ['ordered', 640],
      ['shipped', 636],
      ['received', 634],
    ],
  )
})

test('no more is shipped than ordered in a season with hubs and cancelled orders', async () => {
  const { units: totals } = await unitTotals(large)
  const units = new Map(totals.map(({ name, units: count }) => [name, count]))
  assert.ok((units.get('shipped') ?? 0) <= (units.get('ordered') ?? 0) * 1.05)
})

test('the count of an order is its own total, and no more is shipped than made', async () => {
  for (const { id, totalQuantity } of (made.get('orders') ?? []).slice(0, 40)) {
    const { totals, tooLong } = await quantitiesOfOrder(large, id as string)
    assert.deepEqual(tooLong, [])
    assert.equal(totals.ordered, totalQuantity)
    if (totals.shipped === null) continue
    assert.ok(totals.shipped <= (totals.made ?? 0), `${id}`)
    assert.ok((totals.received ?? 0) <= totals.shipped * 1.05, `${id}`)
  }
})

test('a list longer than the limit is not summed, and that takes one request', async () => {
  const lines = made.get('goods-receipt-lines')?.length ?? 0
  assert.ok(lines > rowsMax)
  const urls: string[] = []
  const watched = createApi({
    origin: service.url,
    brand: 'larger',
    key: await service.key('larger'),
    fetch: (...request) => {
      urls.push(String(request[0]))
      return fetch(...request)
    },
  })
  const { units, tooLong } = await unitTotals(watched)
  assert.deepEqual(units.at(-1), { name: 'received', units: null })
  assert.deepEqual(tooLong, [{ collection: 'goods-receipt-lines', filters: {}, max: rowsMax }])
  assert.equal(urls.filter((url) => url.includes('/goods-receipt-lines?')).length, 1)
  const whole = units.find(({ name }) => name === 'ordered')
  const ordered = (made.get('orders') ?? [])
    .filter(({ status, deletedAt }) => status !== 'cancelled' && deletedAt === null)
    .reduce((sum, { totalQuantity }) => sum + Number(totalQuantity), 0)
  assert.equal(whole?.units, ordered)
})

test('amounts, months and pieces of lists that are too long are not added up', async () => {
  const [like] = (await api.list('invoices', { filters: { status: 'paid' }, limit: 1 })).items
  const [shipment] = (await api.list('shipments', { limit: 1 })).items
  const [line] = (await api.list('order-items', { limit: 1 })).items
  const [order] = (await api.list('orders', { limit: 1 })).items
  const [brand] = (await openStory()).records['brand'] ?? []
  const id = (place: number) => `00000000-0000-4000-9000-${String(place).padStart(12, '0')}`
  const many = (record: object | undefined, count: number) =>
    Array.from({ length: count }, (_, place) => ({ ...(record as DemoRecord), id: id(place) }))
  await service.write('long', {
    brand: [{ ...(brand as DemoRecord), id: id(0), slug: 'long' }],
    orders: [order as DemoRecord],
    'order-items': many(line, 501),
    shipments: many(shipment, rowsMax + 1),
    invoices: many({ ...like, status: 'approved', balanceAmount: '1.00' }, rowsMax + 1),
  })
  const long = createApi({ origin: service.url, brand: 'long', key: await service.key('long') })
  const dues = await openInvoices(long, '2026-06-01')
  assert.deepEqual(dues, {
    dues: [],
    invoices: 0,
    tooLong: [{ collection: 'invoices', filters: { status: 'approved' }, max: rowsMax }],
  })
  const months = await shipmentMonths(long)
  assert.deepEqual(months.months, [])
  assert.deepEqual(months.tooLong, [{ collection: 'shipments', filters: {}, max: rowsMax }])
  const orderId = String(order?.['id'])
  const { totals, lines, money, tooLong } = await quantitiesOfOrder(long, orderId)
  assert.deepEqual(Object.values(totals), [null, null, null, null])
  assert.deepEqual([lines, money], [[], null])
  assert.deepEqual(
    tooLong.find(({ collection }) => collection === 'order-items'),
    { collection: 'order-items', filters: { orderId }, max: 500 },
  )
})

test('open invoices add up by currency and month, the overdue ones apart', async () => {
  const today = '2026-06-01'
  const { dues, invoices } = await openInvoices(large, today)
  const owed = (made.get('invoices') ?? []).filter(
    ({ status, balanceAmount, deletedAt }) =>
      (openStatuses as readonly unknown[]).includes(status) &&
      deletedAt === null &&
      signOf(parseDecimal(String(balanceAmount))) !== 0,
  )
  assert.equal(invoices, owed.length)
  for (const { currency, month, overdue, amount, invoices: count } of dues) {
    const own = owed.filter(
      (invoice) =>
        invoice['currency'] === currency &&
        (invoice['dueDate'] === null ? null : String(invoice['dueDate']).slice(0, 7)) === month &&
        (invoice['dueDate'] !== null && String(invoice['dueDate']) < today) === overdue,
    )
    assert.equal(own.length, count)
    assert.equal(amount, sumAmounts(own.map(({ balanceAmount }) => String(balanceAmount))))
  }
})

test('the story owes 1,450.00 dollars of freight', async () => {
  const { dues } = await openInvoices(api, '2026-06-01')
  assert.deepEqual(
    dues.map(({ currency, amount, invoices, filters }) => [currency, amount, invoices, filters]),
    [['USD', '1450.00', 1, { currency: 'USD', status: 'partially_paid' }]],
  )
})

test('the suggested order is one that was received', async () => {
  assert.equal((await orderToFollow(api))?.['orderNumber'], 'PO-5512')
  assert.equal((await orderToFollow(large))?.['status'], 'received')
})

test('a brand without records has no suggested order and empty charts', async () => {
  await service.write('bare', {
    brand: [{ ...((await openStory()).records['brand']?.[0] as DemoRecord), slug: 'bare' }],
  })
  const bare = createApi({ origin: service.url, brand: 'bare', key: await service.key('bare') })
  assert.equal(await orderToFollow(bare), null)
  assert.deepEqual((await shipmentMonths(bare)).months, [])
  assert.equal((await statusCounts(countIn(bare), 'orders')).total, 0)
  assert.deepEqual((await openInvoices(bare, '2026-06-01')).dues, [])
})
