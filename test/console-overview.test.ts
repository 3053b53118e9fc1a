import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DemoRecord, openStory, season } from '#demo'
import { type Api, openApi } from '../console/src/api.ts'
import { signOf, sumOf } from '../console/src/charts/decimal.ts'
import { domains } from '../console/src/contract.ts'
import { quantitiesOfOrder } from '../console/src/lineage/quantities.ts'
import {
  domainTotals,
  isPart,
  lists,
  openInvoices,
  openStatuses,
  orderToFollow,
  rowsMax,
  shipmentMonths,
  statusCounts,
  statusesOf,
  totalOf,
  unitTotals,
} from '../console/src/overview/counts.ts'
import { openTestService, type TestService } from './support/service.ts'

let service: TestService
let api: Api
let large: Api
const made = new Map<string, DemoRecord[]>()

before(async () => {
  service = await openTestService()
  const brand = 'larger'
  for (const { path, record } of season({ brand, orders: 250, seed: 1 })) {
    const kept = made.get(path)
    if (kept) kept.push(record)
    else made.set(path, [record])
  }
  await service.write(brand, Object.fromEntries(made))
  api = openApi(service.url, 'aldermoor', await service.key('aldermoor'))
  large = openApi(service.url, brand, await service.key(brand))
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
    const { total, counts } = await statusCounts(large, collection)
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

test('every bar leads to a list of as many records as it counts', async () => {
  for (const { count, filters } of (await statusCounts(large, 'orders')).counts) {
    assert.equal(await totalOf(large, 'orders', filters), count)
  }
})

test('shipments by month count each shipment once, and empty months are there', async () => {
  const { months, extent } = await shipmentMonths(large)
  assert.ok(!isPart(extent))
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
  const units = await unitTotals(api)
  assert.deepEqual(
    units.map(({ name, units: count }) => [name, count]),
    [
      ['ordered', 640],
      ['shipped', 636],
      ['received', 634],
    ],
  )
  assert.ok(units.every(({ extent }) => !isPart(extent)))
})

test('no more is shipped than ordered in a season with hubs and cancelled orders', async () => {
  const units = new Map((await unitTotals(large)).map(({ name, units: count }) => [name, count]))
  assert.ok((units.get('shipped') ?? 0) <= (units.get('ordered') ?? 0) * 1.05)
})

test('the count of an order is its own total, and no more is shipped than made', async () => {
  for (const { id, totalQuantity } of (made.get('orders') ?? []).slice(0, 40)) {
    const { totals, partial } = await quantitiesOfOrder(large, id as string)
    assert.deepEqual(partial, [])
    assert.equal(totals.ordered, totalQuantity)
    if (totals.shipped === null) continue
    assert.ok(totals.shipped <= (totals.made ?? 0), `${id}`)
    assert.ok((totals.received ?? 0) <= totals.shipped * 1.05, `${id}`)
  }
})

test('a list longer than the bound is read up to it, and says so', async () => {
  const lines = made.get('goods-receipt-lines')?.length ?? 0
  const received = (await unitTotals(large)).find(({ name }) => name === 'received')
  assert.equal(received?.extent.total, lines)
  assert.ok(lines > rowsMax)
  assert.equal(received?.extent.read, rowsMax)
})

test('open invoices add up by currency and month, the overdue ones apart', async () => {
  const today = '2026-06-01'
  const { dues, invoices } = await openInvoices(large, today)
  const owed = (made.get('invoices') ?? []).filter(
    ({ status, balanceAmount, deletedAt }) =>
      (openStatuses as readonly unknown[]).includes(status) &&
      deletedAt === null &&
      signOf(String(balanceAmount)) !== 0,
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
    assert.equal(amount, sumOf(own.map(({ balanceAmount }) => String(balanceAmount))))
  }
})

test('the story owes 1,450.00 dollars of freight', async () => {
  const { dues } = await openInvoices(api, '2026-06-01')
  assert.deepEqual(
    dues.map(({ currency, amount, invoices, filters }) => [currency, amount, invoices, filters]),
    [['USD', '1450.00', 1, { currency: 'USD', status: 'partially_paid' }]],
  )
})

test('the order to follow is one that arrived', async () => {
  assert.equal((await orderToFollow(api))?.['orderNumber'], 'PO-5512')
  assert.equal((await orderToFollow(large))?.['status'], 'received')
})

test('a brand without records has nothing to follow and charts of nothing', async () => {
  await service.write('bare', {
    brand: [{ ...((await openStory()).records['brand']?.[0] as DemoRecord), slug: 'bare' }],
  })
  const bare = openApi(service.url, 'bare', await service.key('bare'))
  assert.equal(await orderToFollow(bare), null)
  assert.deepEqual((await shipmentMonths(bare)).months, [])
  assert.equal((await statusCounts(bare, 'orders')).total, 0)
  assert.deepEqual((await openInvoices(bare, '2026-06-01')).dues, [])
})

test('decimal amounts are added exactly', () => {
  assert.equal(sumOf(['0.1', '0.20', '-0.3']), '0.00')
  assert.equal(sumOf(['9007199254740993.01', '0.99']), '9007199254740994.00')
  assert.equal(sumOf(['-4.5', '1']), '-3.5')
  assert.deepEqual(['0.00', '-0.01', '3'].map(signOf), [0, -1, 1])
})
