/** What the lineage page draws, prints and compares with the plan. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { type DemoRecord, openStory } from '#demo'
import { type Api, createApi } from '../../console/src/api.ts'
import { groupAt } from '../../console/src/contract.ts'
import { drawingOf } from '../../console/src/lineage/drawing.ts'
import { layoutOf } from '../../console/src/lineage/layout.ts'
import type { Lineage, LineageNode } from '../../console/src/lineage/lineage.ts'
import { nameOf } from '../../console/src/lineage/lineage.ts'
import { readLineage } from '../../console/src/lineage/load.ts'
import { deviationsOf } from '../../console/src/lineage/plans.ts'
import { quantitiesIn } from '../../console/src/lineage/quantities.ts'
import { fitScale, nextScale } from '../../console/src/lineage/scale.ts'
import { timelineOf } from '../../console/src/lineage/timeline.ts'
import { openTestService, type TestService } from '../support/service.ts'

const order = '0465aaa1-f611-4100-8183-c96543dd62a3'

let service: TestService
let api: Api

before(async () => {
  service = await openTestService()
  api = createApi({ origin: service.url, brand: 'aldermoor', key: await service.key('aldermoor') })
})

after(() => service.close())

const lineageOf = async (path: string, id: string, from: Api = api): Promise<Lineage> => {
  const group = groupAt(path)
  assert.ok(group)
  return (await readLineage(from, group, id)).lineage
}

const pathsOf = (nodes: readonly LineageNode[]): readonly string[] =>
  [...new Set(nodes.map(({ group }) => group.path))].toSorted()

test('lines are folded into their heads, and every record is drawn or counted once', async () => {
  const lineage = await lineageOf('orders', order)
  const { nodes, edges, folded } = drawingOf(lineage, new Set())
  assert.deepEqual(pathsOf(nodes), [
    ...['bookings', 'goods-receipts', 'inventory', 'invoices', 'orders', 'parent-products'],
    ...['payments', 'production-runs', 'quotes', 'shipments'],
  ])
  const hidden = [...folded.values()].flat().flatMap((each) => each.nodes)
  assert.equal(nodes.length + hidden.length, lineage.nodes.size)
  assert.equal(new Set([...nodes, ...hidden]).size, lineage.nodes.size)
  // The rest of a truncated list counts as well.
  const ofOrder = folded.get(`orders/${order}`)?.map(({ group, count }) => [group.path, count])
  assert.deepEqual(ofOrder, [['order-items', 10]])
  const drawn = new Set(nodes.map(({ key }) => key))
  assert.ok(edges.every(({ from, to }) => drawn.has(from) && drawn.has(to) && from !== to))
  // Everything is still joined to the order.
  const reached = new Set([`orders/${order}`])
  for (let before = 0; before < reached.size; ) {
    before = reached.size
    for (const { from, to } of edges) {
      if (reached.has(from) || reached.has(to)) reached.add(from).add(to)
    }
  }
  assert.deepEqual(
    [...drawn].filter((key) => !reached.has(key)),
    [],
  )
})

test('an opened head shows its lines, and only them', async () => {
  const lineage = await lineageOf('orders', order)
  const opened = drawingOf(lineage, new Set([`orders/${order}`]))
  assert.ok(pathsOf(opened.nodes).includes('order-items'))
  assert.ok(!pathsOf(opened.nodes).includes('shipment-items'))
  assert.equal(opened.folded.has(`orders/${order}`), false)
  const all = drawingOf(lineage, 'all')
  assert.equal(all.nodes.length, lineage.nodes.size)
  assert.equal(all.folded.size, 0)
})

test('the record that the lineage starts from is drawn although it is a line', async () => {
  const { items } = await api.list('shipment-items', { limit: 1 })
  const lineage = await lineageOf('shipment-items', String(items[0]?.['id']))
  const { nodes } = drawingOf(lineage, new Set())
  assert.equal(nodes.filter(({ group }) => group.path === 'shipment-items').length, 1)
  assert.ok(nodes.some(({ key }) => key === lineage.start))
})

test('the folded chain fits on a laptop, and is twice as narrow as with all lines', async () => {
  const lineage = await lineageOf('orders', order)
  const folded = layoutOf(lineage, drawingOf(lineage, new Set()))
  const all = layoutOf(lineage, drawingOf(lineage, 'all'))
  assert.ok(folded.width * 2 < all.width, `${folded.width} ${all.width}`)
  const scale = fitScale(folded, { width: 1130, height: 430 })
  assert.ok(scale >= 0.5, `${scale}`)
  assert.ok(folded.width * scale <= 1130 && folded.height * scale <= 430)
})

test('the scale goes through its steps to both ends and stays there', () => {
  let scale = 1
  for (let step = 0; step < 30; step += 1) scale = nextScale(scale, false)
  assert.equal(scale, nextScale(scale, false))
  assert.ok(scale < 0.2)
  for (let step = 0; step < 30; step += 1) scale = nextScale(scale, true)
  assert.equal(scale, 1.5)
  assert.equal(fitScale({ width: 100, height: 100 }, { width: 900, height: 900 }), 1)
  assert.equal(fitScale({ width: 0, height: 0 }, { width: 0, height: 0 }) > 0, true)
})

test('records that refer to each other in a circle are drawn', async () => {
  const { records } = await openStory()
  const [first, second] = (records['invoices'] ?? []).slice(0, 2)
  assert.ok(first && second)
  const circle = (records['invoices'] ?? []).map((each): DemoRecord => {
    if (each === first) return { ...each, creditedInvoiceId: String(second['id']) }
    return each === second ? { ...each, creditedInvoiceId: String(first['id']) } : each
  })
  const brand = (records['brand'] ?? []).map((each) => ({ ...each, slug: 'circular' }))
  await service.write('circular', { ...records, brand, invoices: circle })
  const key = await service.key('circular')
  const circular = createApi({ origin: service.url, brand: 'circular', key })
  for (const id of [first, second].map((each) => String(each['id']))) {
    const lineage = await lineageOf('invoices', id, circular)
    for (const open of [new Set<string>(), 'all'] as const) {
      const drawing = drawingOf(lineage, open)
      assert.equal(layoutOf(lineage, drawing).nodes.length, drawing.nodes.length)
    }
  }
})

test('what happened is compared with its plan in days, and what is late with today', async () => {
  const lineage = await lineageOf('orders', order)
  const at = (path: string, name: string) => {
    const node = [...lineage.nodes.values()].find(
      (each) => each.group.path === path && nameOf(lineage, each) === name,
    )
    assert.ok(node, name)
    return node
  }
  const shipment = at('shipments', 'S-9001')
  const record = {
    ...shipment.record,
    estimatedDepartureAt: '2026-05-01T22:00:00.000Z',
    actualDepartureAt: '2026-05-03T04:00:00.000Z',
    estimatedArrivalAt: '2026-05-20T10:00:00.000Z',
    actualArrivalAt: null,
    status: 'in_transit',
  }
  assert.deepEqual(deviationsOf(lineage, { ...shipment, record }, '2026-06-01'), [
    { planned: record.estimatedDepartureAt, actual: record.actualDepartureAt, days: 2 },
    { planned: record.estimatedArrivalAt, actual: null, days: 12 },
  ])
  assert.equal(deviationsOf(lineage, { ...shipment, record }, '2026-05-10').length, 1)
  const cancelled = { ...record, status: 'cancelled' }
  assert.deepEqual(deviationsOf(lineage, { ...shipment, record: cancelled }, '2026-06-01'), [])
  // A run is compared with the date of its order.
  const run = at('production-runs', 'Run 1')
  assert.deepEqual(deviationsOf(lineage, run, '2026-06-01'), [
    {
      planned: '2026-04-24',
      actual: run.record['actualExFactoryDate'],
      days:
        (Date.parse(String(run.record['actualExFactoryDate'])) - Date.parse('2026-04-24')) /
        86_400_000,
    },
  ])
  const invoice = at('invoices', 'CF-26-171')
  const owed = {
    ...invoice.record,
    balanceAmount: '10.00',
    dueDate: '2026-05-30',
    status: 'approved',
  }
  assert.deepEqual(deviationsOf(lineage, { ...invoice, record: owed }, '2026-06-01'), [
    { planned: '2026-05-30', actual: null, days: 2 },
  ])
  const paid = { ...owed, balanceAmount: '0.00' }
  assert.deepEqual(deviationsOf(lineage, { ...invoice, record: paid }, '2026-06-01'), [])
})

test('the timeline reaches today where that is near, and only there', async () => {
  const lineage = await lineageOf('orders', order)
  const nodes = [...lineage.nodes.values()]
  const near = timelineOf(lineage, nodes, Date.parse('2026-08-15T12:00:00Z'))
  assert.equal(near.today, Date.UTC(2026, 7, 15))
  assert.equal(near.to, Date.UTC(2026, 8, 1))
  const far = timelineOf(lineage, nodes, Date.parse('2031-08-15T12:00:00Z'))
  assert.equal(far.today, null)
  assert.ok(far.to < Date.UTC(2027, 0, 1))
})

test('the money of an order has its open balance and the first day that some of it is due', async () => {
  const { money } = quantitiesIn(await api.document('orders', order))
  assert.deepEqual([money?.open, money?.dueDate], ['0.00', null])
  const { records } = await openStory()
  const open = (records['invoices'] ?? []).map(
    (each): DemoRecord =>
      each['invoiceNumber'] === 'CF-26-171'
        ? {
            ...each,
            ...{
              paidAmount: '0.00',
              balanceAmount: String(each['totalAmount']),
              status: 'approved',
            },
          }
        : each,
  )
  const invoice = open.find((each) => each['invoiceNumber'] === 'CF-26-171')
  const brand = (records['brand'] ?? []).map((each) => ({ ...each, slug: 'owing' }))
  await service.write('owing', { ...records, brand, invoices: open })
  const key = await service.key('owing')
  const owing = createApi({ origin: service.url, brand: 'owing', key })
  const after = quantitiesIn(await owing.document('orders', order))
  assert.deepEqual(
    [after.money?.open, after.money?.dueDate],
    [invoice?.['totalAmount'], invoice?.['dueDate']],
  )
})
