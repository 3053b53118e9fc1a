import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { catalog, facts, resourceAt, stageIndexOf, stages, walkBounds } from '#contract'
import { type DemoRecord, openStory } from '#demo'
import { type Api, createApi, readBrands } from '../../console/src/api.ts'
import { type Group, groupAt, groups } from '../../console/src/contract.ts'
import { drawingOf } from '../../console/src/lineage/drawing.ts'
import { layoutOf, nodeSize } from '../../console/src/lineage/layout.ts'
import {
  edgesOf,
  hiddenCount,
  type Lineage,
  missingCount,
  nameOf,
  openRelations,
} from '../../console/src/lineage/lineage.ts'
import {
  follow,
  pageOfRecords,
  readLineage,
  showMore,
  type Walk,
  walk,
} from '../../console/src/lineage/load.ts'
import { markOf, nodeFacts } from '../../console/src/lineage/node-facts.ts'
import { differs, gapsOf, quantitiesIn } from '../../console/src/lineage/quantities.ts'
import { momentsOf, placeOn, timelineOf } from '../../console/src/lineage/timeline.ts'
import { chain } from '../../src/contract/lineage.ts'
import { relationOfStep } from '../../src/contract/lineage-relations.ts'
import { rights } from '../support/auth.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let api: Api
const today = Date.parse('2026-06-01T12:00:00Z')

before(async () => {
  service = await openTestService()
  api = createApi({ origin: service.url, brand: 'aldermoor', key: await service.key('aldermoor') })
})

after(() => service.close())

test('every step of the chain has a relation in the contract, in both directions', () => {
  for (const { from, to, by } of chain) {
    const [one, other] = [resourceAt(catalog, from), resourceAt(catalog, to)]
    assert.ok(relationOfStep(one, { to, by }), `${from} leads to ${to}`)
    assert.ok(relationOfStep(other, { to: from, by }), `${to} leads to ${from}`)
    if (!by) continue
    for (const each of [one, other]) {
      assert.ok(
        each.filters.some(({ name }) => name === by),
        `${each.path} is filtered by ${by}`,
      )
    }
  }
})

test('every group of the chain has a stage, and no other group has one', () => {
  const inChain = new Set(chain.flatMap(({ from, to }) => [from, to]))
  const placed = new Set(stages.flatMap((stage) => stage.groups))
  assert.deepEqual([...inChain].sort(), [...placed].sort())
  assert.equal(groups.filter(({ path }) => stageIndexOf(path) !== undefined).length, placed.size)
})

test('the facts shown of a record are fields of its group', () => {
  for (const [path, { title = '', quantity, money, date, about = [] }] of Object.entries(facts)) {
    const named = [...title.matchAll(/\{(\w+)\}/g)].map(([, field]) => field)
    const names = group(path).fields.map(({ name }) => name)
    for (const field of [...named, quantity, money, date, ...about]) {
      if (field !== undefined) assert.ok(names.includes(field), `${path}.${field}`)
    }
  }
})

test('from the order the chain reaches its product and its payments within the bounds', async () => {
  const { lineage, reads, ended } = await walkFrom('orders', 'orderNumber', 'PO-5512')
  assert.equal(ended?.reason, 'complete')
  assert.ok(lineage.nodes.size <= walkBounds.records && reads <= walkBounds.reads)
  const paths = pathsOf(lineage)
  for (const stage of stages) {
    assert.ok(
      stage.groups.some((path) => paths.has(path)),
      stage.title,
    )
  }
  assert.deepEqual(namesOf(lineage, 'payments'), ['PAY-311', 'PAY-342'])
  assert.deepEqual(namesOf(lineage, 'parent-products'), ['Harbour chore jacket'])
})

test('from a payment the chain reaches the order, the runs and the product it was for', async () => {
  const { lineage, ended } = await walkFrom('payments', 'paymentNumber', 'PAY-342')
  assert.equal(ended?.reason, 'complete')
  assert.deepEqual(namesOf(lineage, 'orders'), ['PO-5512'])
  assert.deepEqual(namesOf(lineage, 'quotes'), ['Q-2031'])
  assert.deepEqual(namesOf(lineage, 'parent-products'), ['Harbour chore jacket'])
  assert.ok(namesOf(lineage, 'production-runs').includes('Run 1'))
})

test('a freight payment leads to the shipments through its charges', async () => {
  const { lineage } = await walkFrom('payments', 'paymentNumber', 'PAY-346')
  assert.deepEqual(namesOf(lineage, 'shipments'), ['S-9001', 'S-9002'])
  assert.deepEqual(namesOf(lineage, 'orders'), ['PO-5512'])
})

test('from the product, a SKU and the stock the chain reaches the payments or the order', async () => {
  for (const [path, field, value, reached] of [
    ['parent-products', 'code', 'AM-1042', 'payments'],
    ['skus', 'code', 'AM-1042-IND-M', 'payments'],
    ['inventory', 'skuId', await idOf('skus', 'code', 'AM-1042-IND-M'), 'orders'],
  ] as const) {
    const { lineage } = await walkFrom(path, field, value)
    assert.ok(pathsOf(lineage).has(reached), `${path} reaches ${reached}`)
  }
})

test('a record that is not part of the chain leads into it', async () => {
  const { lineage } = await walkFrom('bom-components', 'placement', null)
  assert.ok(pathsOf(lineage).has('parent-products'))
})

test('the walk stops at the limit of records and reports what is left', async () => {
  const { lineage, ended } = await walkFrom('orders', 'orderNumber', 'PO-5512', { limit: 20 })
  assert.ok(lineage.nodes.size <= 20)
  assert.ok(ended?.reason === 'records' && ended.limit === 20 && ended.left > 0)
})

test('the walk of a key that is limited to groups continues in these', async () => {
  const withoutGroups = ['skus']
  const { key } = await service.records.keys.issue(rights({ withoutGroups }))
  const [{ groups: allowed } = {}] = await readBrands({ origin: service.url, key })
  const limited = createApi({ origin: service.url, brand: 'aldermoor', key, groups: allowed })
  const first = await readLineage(limited, group('orders'), await orderId(), { limit: 3 })
  assert.equal(first.ended?.reason, 'records')
  const { lineage, ended } = await walk(limited, first.lineage)
  assert.equal(ended?.reason, 'complete')
  const paths = pathsOf(lineage)
  assert.ok(paths.has('order-items') && paths.has('payments'))
  assert.ok(withoutGroups.every((path) => !paths.has(path)))
})

test('the walk stops at the limit of reads and reports it', async () => {
  let requests = 0
  const counted = createApi({
    origin: service.url,
    brand: 'aldermoor',
    key: await service.key('aldermoor'),
    fetch: (...request) => {
      requests += 1
      return fetch(...request)
    },
  })
  const start = await openLineage(counted, group('orders'), await orderId())
  requests = 0
  const { reads, ended } = await walk(counted, start, { bounds: { ...walkBounds, reads: 10 } })
  assert.equal(reads, 10)
  assert.equal(requests, 10)
  assert.ok(ended?.reason === 'reads' && ended.limit === 10 && ended.left > 0)
})

test('a cancelled walk stops reading and keeps what it has', async () => {
  const stop = new AbortController()
  const start = await openLineage(api, group('orders'), await orderId())
  const seen: Walk[] = []
  const last = await walk(api, start, {
    signal: stop.signal,
    onChange: (step) => {
      seen.push(step)
      if (step.reads >= 8) stop.abort()
    },
  })
  assert.equal(last.ended?.reason, 'cancelled')
  assert.ok(last.reads >= 8 && last.reads < 16)
  assert.ok(last.lineage.nodes.size > 1)
})

test('a walk that stopped continues where it was, with the same result', async () => {
  const start = await openLineage(api, group('orders'), await orderId())
  const whole = await walk(api, start)
  const stopped = await walk(api, start, { bounds: { ...walkBounds, reads: 9 } })
  const rest = await walk(api, stopped.lineage)
  assert.equal(rest.ended?.reason, 'complete')
  assert.equal(stopped.reads + rest.reads, whole.reads)
  assert.deepEqual([...rest.lineage.nodes.keys()].sort(), [...whole.lineage.nodes.keys()].sort())
})

test('a lineage that the server has followed is the one that the console would follow', async () => {
  for (const [path, field, value] of [
    ['orders', 'orderNumber', 'PO-5512'],
    ['payments', 'paymentNumber', 'PAY-346'],
    ['skus', 'code', 'AM-1042-IND-M'],
    ['bom-components', 'placement', null],
  ] as const) {
    const id = await idOf(path, field, value)
    const own = await walk(api, await openLineage(api, group(path), id))
    const { lineage, ended } = await readLineage(api, group(path), id)
    assert.equal(ended?.reason, own.ended?.reason)
    const placesOf = ({ nodes }: Lineage) =>
      [...nodes.values()].map(({ key, column, record }) => [key, column, record]).toSorted()
    assert.deepEqual(placesOf(lineage), placesOf(own.lineage))
    assert.deepEqual(
      edgesOf(lineage)
        .map(({ key, label }) => [key, label])
        .toSorted(),
      edgesOf(own.lineage)
        .map(({ key, label }) => [key, label])
        .toSorted(),
    )
    const listsOf = ({ truncated }: Lineage) =>
      [...truncated].map(([key, { total, shown }]) => [key, total, shown]).toSorted()
    assert.deepEqual(listsOf(lineage), listsOf(own.lineage))
    for (const node of lineage.nodes.values()) {
      const openOf = (of: Lineage) => openRelations(of, nodeAt(of, node.key)).length
      assert.ok(openOf(lineage) >= openOf(own.lineage), node.key)
    }
  }
})

test('a long list shows its first records, its exact total, and more on request', async () => {
  const { lineage } = await walkFrom('orders', 'orderNumber', 'PO-5512')
  const [key, list] =
    [...lineage.truncated].find(
      ([, { relation, total }]) => relation.to.path === 'shipment-cartons' && total === 20,
    ) ?? []
  assert.ok(key && list)
  assert.equal(list.shown, walkBounds.firstOfList)
  const once = await showMore(api, lineage, key)
  assert.equal(once.truncated.get(key)?.shown, walkBounds.firstOfList + pageOfRecords)
  assert.equal(hiddenCount(once), hiddenCount(lineage) - pageOfRecords)
  const twice = await showMore(api, once, key)
  assert.equal(twice.truncated.get(key), undefined)
  assert.equal(twice.nodes.size, lineage.nodes.size + 17)
})

test('a list of more than one page is shown to its end', async () => {
  const at = '2026-06-01T09:00:00.000Z'
  const shipmentId = await idOf('shipments', 'shipmentNumber', 'S-9002')
  const [like] = (await api.list('notes', { limit: 1 })).items
  const notes = Array.from({ length: 31 }, (_, place) => ({
    ...(like as DemoRecord),
    ...{ orderId: null, productId: null, sampleId: null, shipmentId, body: `Note ${place}` },
    ...{ id: `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`, updatedAt: at },
  }))
  await service.write('aldermoor', { notes })
  const start = await openLineage(api, group('shipments'), shipmentId)
  const relation = openRelations(start, nodeAt(start, start.start)).find(
    (each) => each.to.path === 'notes',
  )
  assert.ok(relation)
  let shown = await follow(api, start, start.start, relation)
  const [[key, list] = []] = shown.truncated
  assert.deepEqual([list?.shown, list?.total], [pageOfRecords, 31])
  while (shown.truncated.size > 0) shown = await showMore(api, shown, key ?? '')
  assert.equal(namesOf(shown, 'notes').length, 31)
})

test('relations that are not part of the chain can be expanded, in both directions', async () => {
  const start = await openLineage(api, group('orders'), await orderId())
  const relations = openRelations(start, nodeAt(start, start.start))
  const supplier = relations.find((each) => each.kind === 'get' && each.field === 'supplierId')
  const documents = relations.find((each) => each.to.path === 'documents')
  assert.ok(supplier && documents)
  const one = await follow(api, start, start.start, supplier)
  const two = await follow(api, one, start.start, documents)
  assert.deepEqual(namesOf(two, 'suppliers'), ['Costa & Filhos'])
  assert.ok(namesOf(two, 'documents').length > 0)
  assert.ok(
    edgesOf(two).some(({ from, to }) => from.startsWith('suppliers/') && to === start.start),
  )
})

test('records that are referred to but do not exist are shown as missing, beside all others', async () => {
  const { records } = await openStory()
  const dropped = ['quote-revisions', 'production-runs', 'shipments', 'skus', 'payments']
  const remaining = Object.entries(records).map(([path, all]) => [
    path,
    dropped.includes(path) ? [] : all.map((each) => (path === 'brand' ? loose(each) : each)),
  ])
  await service.write('loose', Object.fromEntries(remaining))
  const dangling = createApi({
    origin: service.url,
    brand: 'loose',
    key: await service.key('loose'),
  })
  const { lineage, ended } = await readLineage(dangling, group('orders'), await orderId())
  assert.equal(ended?.reason, 'complete')
  const missing = [...lineage.nodes.values()].filter(({ isMissing }) => isMissing)
  assert.deepEqual([...new Set(missing.map((node) => node.group.path))].sort(), dropped.toSorted())
  assert.equal(missingCount(lineage), missing.length)
  assert.ok(pathsOf(lineage).has('payment-settlements'))
  for (const node of missing) {
    assert.equal(nameOf(lineage, node), node.id.slice(0, 8))
    assert.deepEqual(openRelations(lineage, node), [])
    assert.deepEqual(Object.values(nodeFacts(lineage, node)), [null, null, null, null, null])
    assert.ok(
      edgesOf(lineage).some(({ from, to }) => from === node.key || to === node.key),
      `${node.key} is joined to what refers to it`,
    )
  }
  assert.ok(namesOf(lineage, 'order-items').every((name) => name.startsWith('Harbour chore')))
  assert.equal(layoutOf(lineage, drawingOf(lineage, 'all')).nodes.length, lineage.nodes.size)
  const { undated } = timelineOf(lineage, [...lineage.nodes.values()], today)
  assert.ok(missing.every((node) => undated.includes(node)))
  const { totals } = await quantitiesOf(dangling, 'orders', await orderId())
  assert.equal(totals.ordered, 640)
})

test('a card marks the lines that the figures count as different, damaged ones too', async () => {
  const quantities = await quantitiesOf(api, 'orders', await orderId())
  const first = quantities.lines.filter(differs).map(({ orderItemId }) => orderItemId)
  const { lineage } = await readLineage(api, group('orders'), await orderId(), { first })
  const lines = [...lineage.nodes.values()].filter((node) => node.group.path === 'order-items')
  const marks = lines.flatMap((node) => markOf(node, quantities) ?? [])
  assert.deepEqual(marks.map(({ text }) => text).sort(), ['1 damaged', '2 short', '4 short'])
  assert.equal(marks.length, first.length)
  const [line] = quantities.lines.filter(({ orderItemId }) => orderItemId === first[0])
  assert.ok(line)
  const back = { ...line, counts: { ordered: 30, made: 26, shipped: 30, received: 30 }, damaged: 0 }
  const node = nodeAt(lineage, `order-items/${first[0]}`)
  assert.equal(markOf(node, { ...quantities, lines: [back] })?.text, '4 short')
})

test('what is only planned and booked is not counted, as in the document', async () => {
  const { records } = await openStory()
  const asPlanned = (path: string, change: DemoRecord) =>
    (records[path] ?? []).map((each) => ({ ...each, ...change }))
  await service.write('planned', {
    ...records,
    brand: asPlanned('brand', { slug: 'planned' }),
    'production-runs': asPlanned('production-runs', { actualExFactoryDate: null }),
    'production-run-items': asPlanned('production-run-items', { source: 'plan' }),
    shipments: asPlanned('shipments', { status: 'booked' }),
    'goods-receipts': asPlanned('goods-receipts', { status: 'cancelled' }),
  })
  const planned = createApi({
    origin: service.url,
    brand: 'planned',
    key: await service.key('planned'),
  })
  const { totals, lines } = await quantitiesOf(planned, 'orders', await orderId())
  assert.deepEqual(totals, { ordered: 640, made: null, shipped: null, received: null })
  assert.ok(lines.every(({ counts, reasons }) => gapsOf(counts).length + reasons.length === 0))
})

test('of more lines than a document has, the totals are exact and the others are counted', async () => {
  const { records } = await openStory()
  const [order] = records['orders'] ?? []
  const [item] = records['order-items'] ?? []
  const items = Array.from({ length: 103 }, (_, place) => ({
    ...(item as DemoRecord),
    id: `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`,
    qty: 2,
  }))
  await service.write('long', {
    brand: (records['brand'] ?? []).map((each) => ({ ...each, slug: 'long' })),
    orders: [order as DemoRecord],
    'order-items': items,
  })
  const long = createApi({ origin: service.url, brand: 'long', key: await service.key('long') })
  const { totals, lines, otherLines, damaged } = await quantitiesOf(long, 'orders', await orderId())
  assert.equal(totals.ordered, 206)
  assert.deepEqual([lines.length, otherLines, damaged], [100, 3, null])
})

test('an edge that a longer path already shows is not drawn', async () => {
  const { lineage } = await walkFrom('orders', 'orderNumber', 'PO-5512')
  const drawn = edgesOf(lineage).map(({ from, to }) => `${pathOf(from)} ${pathOf(to)}`)
  assert.ok(drawn.includes('production-run-items shipment-items'))
  assert.ok(!drawn.includes('order-items shipment-items'))
  assert.ok(!drawn.includes('parent-products skus'))
})

test('the edge to a line shows its quantity', async () => {
  const { lineage } = await walkFrom('skus', 'code', 'AM-1042-IND-M')
  const labels = edgesOf(lineage)
    .filter(({ to }) => to.startsWith('shipment-items/'))
    .map(({ label }) => label)
  assert.deepEqual(labels.sort(), ['120', '40'])
})

test('of the order 640 were ordered, 636 made and shipped, 634 received, one damaged', async () => {
  const quantities = await quantitiesOf(api, 'orders', await orderId())
  assert.deepEqual(quantities.totals, { ordered: 640, made: 636, shipped: 636, received: 634 })
  assert.equal(quantities.damaged, 1)
  assert.equal(quantities.settled, true)
  assert.equal(quantities.otherLines, 0)
  assert.deepEqual(gapsOf(quantities.totals), [
    { from: 'ordered', to: 'made', pieces: -4 },
    { from: 'shipped', to: 'received', pieces: -2 },
  ])
  assert.deepEqual(quantities.money, {
    currency: 'EUR',
    ordered: '15872.00',
    invoiced: '15723.20',
    paid: '15723.20',
    open: '0.00',
    dueDate: null,
  })
})

test('the lines show where pieces are missing, and why', async () => {
  const { lines } = await quantitiesOf(api, 'orders', await orderId())
  const differing = lines
    .filter(({ counts, damaged }) => gapsOf(counts).length > 0 || damaged > 0)
    .map(({ title, counts, damaged, reasons }) => [title, Object.values(counts), damaged, reasons])
  assert.deepEqual(differing.toSorted(), [
    ['Harbour chore jacket ECR L', [50, 50, 50, 50], 1, ['damaged']],
    ['Harbour chore jacket ECR XL', [30, 26, 26, 26], 0, []],
    ['Harbour chore jacket IND M', [160, 160, 160, 158], 0, ['short']],
  ])
})

test('the quantities of a SKU include all its orders', async () => {
  const quantities = await quantitiesOf(api, 'skus', await idOf('skus', 'code', 'AM-1042-IND-M'))
  assert.deepEqual(quantities.totals, { ordered: 160, made: 160, shipped: 160, received: 158 })
  assert.deepEqual(
    quantities.lines.map(({ title }) => title),
    ['PO-5512'],
  )
})

test('lines that differ are shown first when they are preferred', async () => {
  const { lines } = await quantitiesOf(api, 'orders', await orderId())
  const first = lines
    .filter(({ counts }) => gapsOf(counts).length > 0)
    .map(({ orderItemId }) => orderItemId)
  assert.equal(first.length, 2)
  const { lineage } = await readLineage(api, group('orders'), await orderId(), { first })
  for (const id of first) assert.ok(lineage.nodes.has(`order-items/${id}`))
})

test('the timeline has each record at its own dates, earliest first', async () => {
  const { lineage } = await walkFrom('orders', 'orderNumber', 'PO-5512')
  const timeline = timelineOf(lineage, [...lineage.nodes.values()], today)
  assert.equal(timeline.rows.length + timeline.undated.length, lineage.nodes.size)
  const begins = timeline.rows.map(({ moments }) => moments[0]?.at ?? 0)
  assert.deepEqual(
    begins,
    begins.toSorted((a, b) => a - b),
  )
  const order = momentsOf(nodeAt(lineage, lineage.start))
  assert.deepEqual(
    order.map(({ field, value, planned }) => [field, value, planned]),
    [
      ['orderDate', '2026-02-02', false],
      ['supplierConfirmedAt', '2026-02-09T09:00:00.000Z', false],
      ['requestedExFactoryDate', '2026-04-20', true],
      ['confirmedExFactoryDate', '2026-04-24', true],
      ['requestedDeliveryDate', '2026-05-20', true],
    ],
  )
  assert.equal(timeline.from, Date.UTC(2025, 9, 1))
  assert.ok(placeOn(timeline, timeline.from) === 0 && placeOn(timeline, timeline.to) === 100)
  assert.ok(timeline.ticks.every(({ at }) => at >= timeline.from && at < timeline.to))
})

test('in the graph nothing overlaps, and every edge runs to the right', async () => {
  const { lineage } = await walkFrom('orders', 'orderNumber', 'PO-5512')
  const drawing = drawingOf(lineage, 'all')
  const { nodes, more, width, height, columns } = layoutOf(lineage, drawing)
  const boxes = [...nodes, ...more]
  for (const [place, a] of boxes.entries()) {
    assert.ok(a.x >= 0 && a.y >= 0 && a.x + a.width <= width && a.y + a.height <= height)
    for (const b of boxes.slice(place + 1)) {
      const apart =
        a.x + a.width <= b.x ||
        b.x + b.width <= a.x ||
        a.y + a.height <= b.y ||
        b.y + b.height <= a.y
      assert.ok(apart, `${a.key} and ${b.key}`)
    }
  }
  const xs = columns.map(({ x }) => x)
  for (const [place, x] of xs.slice(1).entries()) {
    assert.ok(x >= (xs[place] ?? 0) + nodeSize.width)
  }
  const at = new Map(nodes.map((box) => [box.key, box.x]))
  for (const { from, to } of edgesOf(lineage)) {
    assert.ok((at.get(from) ?? 0) <= (at.get(to) ?? 0))
  }
})

const quantitiesOf = async (api: Api, path: 'orders' | 'skus', id: string) =>
  quantitiesIn(await api.document(path, id))

const loose = (brand: DemoRecord): DemoRecord => ({ ...brand, slug: 'loose' })

const group = (path: string): Group => {
  const match = groupAt(path)
  assert.ok(match, path)
  return match
}

const idOf = async (path: string, field: string, value: string | null): Promise<string> => {
  const filters = value === null ? {} : { [field]: value }
  const { items } = await api.list(path, { filters, limit: 1 })
  assert.ok(items[0], `${path} ${field}=${value}`)
  return items[0]['id'] as string
}

const orderId = () => idOf('orders', 'orderNumber', 'PO-5512')

const walkFrom = async (
  path: string,
  field: string,
  value: string | null,
  options: Parameters<typeof readLineage>[3] = {},
) => readLineage(api, group(path), await idOf(path, field, value), options)

/** The start of a lineage alone, from which it can be continued. */
const openLineage = async (from: Api, of: Group, id: string): Promise<Lineage> =>
  (await readLineage(from, of, id, { limit: 1 })).lineage

const nodeAt = (lineage: Lineage, key: string) => {
  const node = lineage.nodes.get(key)
  assert.ok(node, key)
  return node
}

const pathOf = (key: string): string => key.slice(0, key.indexOf('/'))

const pathsOf = (lineage: Lineage): ReadonlySet<string> =>
  new Set([...lineage.nodes.values()].map((node) => node.group.path))

const namesOf = (lineage: Lineage, path: string): readonly string[] =>
  [...lineage.nodes.values()]
    .filter((node) => node.group.path === path)
    .map((node) => nameOf(lineage, node))
    .toSorted()
