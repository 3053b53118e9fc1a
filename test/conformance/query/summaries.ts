/** Views and summaries of a store are what plain functions over its records give. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  addDays,
  type Condition,
  catalog,
  fieldAt,
  type Grouping,
  groupingsOf,
  resolveView,
  resourceAt,
  trendFigures,
  wholeScope,
} from '#contract'
import { openStory } from '#demo'
import { calendarJson, todayJson } from '#reading'
import { figuresJson, groupJson, type Store, type SummaryRequest, snapshotOf } from '#store'
import { createStore } from '../../../src/store/store.ts'
import { calendarOfExport, comparableCalendar } from '../../support/calendar-model.ts'
import { fulfils } from '../../support/condition-model.ts'
import { seeded } from '../../support/model.ts'
import { type Find, summaryModel } from '../../support/summary-model.ts'
import {
  comparable,
  figuresOfExport,
  isOfPeriod,
  partFigures,
  seriesOfExport,
} from '../../support/today-figures.ts'
import { type ViewContext, type ViewRecord, viewModel } from '../../support/view-model.ts'
import { drawViewRecords } from '../../support/view-records.ts'
import type { OpenedForStore } from '../store/samples.ts'

const { records: story } = await openStory()

/** Brands in time zones far apart, whose records have the same identities. */
const brands = [
  { slug: 'kowhai', today: '2026-11-19', timezone: 'Pacific/Auckland', baseCurrency: 'NZD' },
  { slug: 'redwood', today: '2026-11-01', timezone: 'America/Los_Angeles', baseCurrency: 'USD' },
] as const

const currencies = ['USD', 'NZD', 'EUR', 'JPY']
const rates = ['1', '0.0067', '1.0834', '14.5', '123456789.123456789']
const amounts = ['0.00', '-12.5', '12.50', '0.001', '99999999999999.99', '1250', '3.10']

/** The ends of the calendar, and near midnight in summers and winters of other decades. */
const farDays = ['0001-01-01', '0001-01-07', '1899-12-31', '9999-12-31']
const farTimes = [
  '0001-01-01T00:00:00.000Z',
  '0001-01-02T01:00:00.000Z',
  '1900-01-01T00:00:00.000Z',
  '1987-07-01T07:30:00.000Z',
  '2010-06-30T11:30:00.000Z',
  '2010-07-01T07:30:00.000Z',
  '2050-07-01T07:30:00.000Z',
  '2050-06-30T11:30:00.000Z',
  '9999-12-30T23:59:59.999Z',
  '9999-12-31T23:59:59.999Z',
]

/** The records of the views, with amounts of many currencies and lengths. */
const drawRecords = (
  seed: number,
  today: string,
  timezone: string,
): { readonly [path: string]: readonly ViewRecord[] } => {
  const random = seeded(seed)
  const draw: Draw = (values) => values[random(values.length)] as never
  const records = drawViewRecords(seed, today, timezone)
  const withMoney = (each: ViewRecord): ViewRecord =>
    Object.fromEntries(
      Object.entries(each).map(([name, value]) => {
        if (name === 'exchangeRate') return [name, draw([null, ...rates])]
        if (name === 'orderDate') return [name, draw([value, ...farDays])]
        if (name === 'approvedAt' || name === 'completedAt') {
          return [name, draw([value, ...farTimes])]
        }
        if (name === 'baseAmount') return [name, draw([null, null, ...amounts])]
        if (value === null) return [name, value]
        if (/currency$/i.test(name)) return [name, draw(currencies)]
        return /(amount|price|priceBase|cost)$/i.test(name) ? [name, draw(amounts)] : [name, value]
      }),
    )
  const drawn = Object.entries(records).map(([path, each]) => [path, each.map(withMoney)])
  return {
    ...Object.fromEntries(drawn),
    'shipment-carton-items': drawItems(draw),
    'packing-lists': drawLists(draw),
  }
}

/** Carton lines of more SKUs than a summary keeps groups at once. */
const drawItems = (draw: Draw): readonly ViewRecord[] => {
  const [template = {}] = story['shipment-carton-items'] ?? []
  const numbers = Array.from({ length: 1_300 }, (_, at) => at)
  const skus = [
    null,
    ...numbers.map((at) => idOf('4', at)),
    ...numbers.map((at) => idOf('4', at % 9)),
  ]
  return Array.from({ length: 4_000 }, (_, at) => ({
    ...template,
    id: idOf('3', at),
    shipmentCartonId: idOf('5', draw([1, 2])),
    skuId: at < 1_200 ? idOf('4', at) : draw(skus),
    quantity: draw([1, 2, 3, 5, 8, 13, 2_147_483_647]),
    createdAt: draw(['2026-03-01T00:00:00.000Z', '2026-05-01T00:00:00.000Z']),
  }))
}

/** Packing lists of more references than a summary keeps groups at once, in two spellings. */
const drawLists = (draw: Draw): readonly ViewRecord[] => {
  const [template = {}] = story['packing-lists'] ?? []
  return Array.from({ length: 2_400 }, (_, at) => ({
    ...template,
    id: idOf('6', at),
    reference: at % 50 === 0 ? null : `${draw(['PL', 'pl'])}-${at % 1_950}`,
  }))
}

const idOf = (first: string, at: number): string =>
  `${first}0000000-0000-4000-8000-${String(at).padStart(12, '0')}`

const kindIn = (group: string, field: string) =>
  fieldAt(resourceAt(catalog, group).fields, field)?.kind ?? 'any'

type Draw = <Value>(values: readonly Value[]) => Value

interface SummaryCase {
  readonly group: string
  readonly sum?: readonly string[]
  readonly min?: readonly string[]
  readonly max?: readonly string[]
  readonly by?: readonly string[]
  readonly sort?: string
  readonly top?: number
  readonly filters?: { readonly [name: string]: string | number }
  readonly where?: readonly Condition[]
}

const cases: readonly SummaryCase[] = [
  { group: 'orders' },
  { group: 'orders', sum: ['totalAmount', 'totalQuantity'], by: ['status'] },
  { group: 'orders', sum: ['totalAmount'], by: ['currency', 'orderDate:month'] },
  { group: 'orders', by: ['orderDate:week'] },
  { group: 'orders', max: ['totalAmount', 'orderDate', 'supplierConfirmedAt'], by: ['kind'] },
  { group: 'invoices', sum: ['balanceAmount'], by: ['dueDate:ageing'] },
  { group: 'invoices', sum: ['balanceAmount', 'paidAmount'], by: ['dueDate:week', 'status'] },
  {
    group: 'invoices',
    min: ['balanceAmount', 'dueDate', 'exchangeRate'],
    filters: { status: 'paid' },
  },
  {
    group: 'invoices',
    sum: ['totalAmount'],
    by: ['approvedAt:month'],
    where: [{ kind: 'compare', field: 'balanceAmount', is: 'gt', value: '0.0005' }],
  },
  {
    group: 'payments',
    sum: ['amount', 'baseAmount', 'bankFeeAmount'],
    by: ['direction', 'method'],
  },
  { group: 'payments', sum: ['amount'], by: ['completedAt:week'], filters: { currency: 'JPY' } },
  { group: 'payment-milestones', sum: ['amount', 'sequence'], by: ['reachedAt:ageing', 'trigger'] },
  { group: 'payment-agreements', sum: ['totalAmount'], by: ['status'] },
  { group: 'payment-settlements', sum: ['amount', 'invoiceAmount'], by: ['settledAt:month'] },
  { group: 'payment-receipts', sum: ['statedAmount'] },
  { group: 'order-items', sum: ['unitPrice', 'qty'], by: ['skuId'] },
  { group: 'invoice-lines', sum: ['amount', 'taxAmount'], by: ['kind'] },
  { group: 'shipment-charges', sum: ['amount'], by: ['stage'] },
  { group: 'boms', sum: ['totalCost'], by: ['status'] },
  { group: 'payments', by: ['completedAt:month', 'completedAt:week'] },
  { group: 'shipments', sum: ['totalQuantity', 'volumeCbm'], by: ['estimatedArrivalAt:week'] },
  { group: 'shipments', min: ['volumeCbm', 'totalCartons'], max: ['actualArrivalAt', 'volumeCbm'] },
  { group: 'shipments', by: ['estimatedArrivalAt:month', 'estimatedDepartureAt:ageing'] },
  { group: 'inventory', sum: ['onHandQuantity', 'unitCost'], by: ['locationId'] },
  { group: 'goods-receipt-lines', sum: ['receivedQuantity'], by: ['discrepancyReason'] },
  { group: 'production-runs', by: ['orderId'], filters: { runNumber: 7 } },
  { group: 'orders', sum: ['totalAmount'], by: ['status'], sort: '-totalAmount' },
  { group: 'orders', by: ['orderDate:week'], sort: 'items' },
  {
    group: 'invoices',
    sum: ['paidAmount', 'balanceAmount'],
    by: ['status', 'orderId'],
    sort: 'balanceAmount',
    top: 7,
  },
  // More groups than are kept at once: along the index of a grouping.
  { group: 'shipment-carton-items', sum: ['quantity'], by: ['skuId'], sort: '-quantity', top: 20 },
  {
    group: 'shipment-carton-items',
    sum: ['quantity'],
    by: ['skuId'],
    sort: 'quantity',
    top: 1_000,
  },
  { group: 'shipment-carton-items', max: ['quantity'], by: ['skuId'], sort: '-items', top: 3 },
  { group: 'packing-lists', by: ['reference'], sort: '-items', top: 300 },
  {
    group: 'shipment-carton-items',
    sum: ['quantity'],
    by: ['shipmentCartonId', 'skuId'],
    sort: '-quantity',
    top: 50,
  },
  {
    group: 'shipment-carton-items',
    sum: ['quantity'],
    by: ['skuId', 'createdAt:week'],
    sort: '-quantity',
    top: 5,
    where: [{ kind: 'compare', field: 'quantity', is: 'gt', value: 3 }],
  },
]

export const summaryConformance = (engine: string, open: () => Promise<OpenedForStore>): void => {
  describe(`views and summaries on ${engine}`, () => {
    let opened: OpenedForStore
    let store: Store
    const all = brands.map((brand, at) => ({
      ...brand,
      records: drawRecords(at + 11, brand.today, brand.timezone),
    }))
    type Brand = (typeof all)[number]

    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database)
      for (const { slug, records, timezone, baseCurrency } of all) {
        const [template = {}] = story['brand'] ?? []
        const own = { ...template, slug, timezone, baseCurrencyCode: baseCurrency }
        await store.write(slug, async (writer) => {
          for (const [path, each] of Object.entries({ brand: [own], ...records })) {
            await writer.stage(resourceAt(catalog, path), each as never)
            await writer.merge(resourceAt(catalog, path))
          }
        })
      }
    })
    after(() => opened?.close())

    const findIn =
      ({ records }: Brand): Find =>
      (path, id) =>
        records[path]?.find((record) => record['id'] === id)

    const requestOf = (
      { slug, today, timezone, baseCurrency }: Brand,
      { group, filters = {}, where = [], sum = [], min = [], max = [], ...order }: SummaryCase,
    ): SummaryRequest => {
      const resource = resourceAt(catalog, group)
      const groupings = groupingsOf(resource)
      const { by = [], sort, top = null } = order
      const field = sort?.replace('-', '') ?? null
      return {
        resource,
        brand: slug,
        filters: new Map(Object.entries(filters)),
        where,
        ids: null,
        sum,
        min,
        max,
        by: by.map((name) => groupings.find((each) => each.name === name) as Grouping),
        order: sort
          ? { field: field === 'items' ? null : field, isDescending: sort.startsWith('-') }
          : null,
        top,
        today: { day: today, timezone },
        baseCurrency,
      }
    }

    for (const each of cases) {
      const { group, sum = [], min = [], max = [], by = [], sort, top, filters = {} } = each
      it(`${group} ${JSON.stringify({ ...each, group: undefined })}`, async () => {
        for (const brand of all) {
          const request = requestOf(brand, each)
          const matching = (brand.records[group] ?? []).filter(
            (record) =>
              Object.entries(filters).every(([name, value]) => record[name] === value) &&
              (each.where ?? []).every((condition) =>
                fulfils(record, condition, (field) => kindIn(group, field), {}),
              ),
          )
          const { today, timezone, baseCurrency } = brand
          const model = { group, sum, min, max, by, sort, top, today, timezone, baseCurrency }
          const summary = await store.summary(request)
          // As texts, so that both engines give the same bytes.
          const actual = {
            total: figuresJson(summary.total),
            groups: summary.groups.map((one) => groupJson(one, request.by)),
            groupCount: summary.groupCount,
          }
          const expected = summaryModel(matching, model, findIn(brand))
          assert.equal(JSON.stringify(actual, null, 1), JSON.stringify(expected, null, 1))
          assert.ok(matching.length > 0)
        }
      })
    }

    for (const resource of catalog.resources) {
      for (const view of resource.views) {
        it(`${resource.path}?view=${view.name}`, async () => {
          for (const brand of all) {
            const { today, timezone, records } = brand
            const context: ViewContext = {
              today,
              timezone,
              days: null,
              find: findIn(brand),
              all: (path) => records[path] ?? [],
            }
            const expected = (records[resource.path] ?? []).filter((record) =>
              viewModel[resource.path]?.[view.name]?.(record, context),
            )
            const where = resolveView(
              view,
              { day: today, timezone },
              new Map(),
              (field, collection) =>
                fieldAt(resourceAt(catalog, collection ?? resource.path).fields, field),
            )
            const request = requestOf(brand, { group: resource.path, where: [where] })
            const { total } = await store.summary(request)
            assert.equal(total.items, expected.length, brand.slug)
          }
        })
      }
    }

    /** The figures of a day as HTTP has them, seen on that day or on a later one. */
    const figuresOn = async (
      { slug, timezone, baseCurrency }: Brand,
      day: string,
      currentDay: string = day,
    ) => {
      const request = { brand: slug, today: { day, timezone }, currentDay, baseCurrency }
      const figures = await store.today(request)
      // As texts, so that whole numbers keep all digits.
      const text = JSON.stringify(todayJson(request, figures))
      return { figures, text, body: JSON.parse(text) }
    }
    const take = async (brand: Brand, day: string) => {
      const { figures } = await figuresOn(brand, day)
      const snapshot = snapshotOf(figures, { day, takenAt: `${day}T23:59:59.999Z` })
      await store.daySnapshots.add(brand.slug, snapshot)
    }

    it('the figures of the day', async () => {
      for (const brand of all) {
        const { slug, today, timezone, baseCurrency, records } = brand
        const { body } = await figuresOn(brand, today)
        const exported = {
          timezone,
          baseCurrency,
          all: (path: string) => records[path] ?? [],
          find: findIn(brand),
        }
        const expected = figuresOfExport(exported, today)
        assert.deepEqual(Object.keys(body.figures), Object.keys(expected))
        for (const [name, figure] of Object.entries(expected)) {
          assert.deepEqual(comparable(name, body.figures[name]), figure, `${slug} ${name}`)
        }
        for (const [name, parts] of Object.entries(seriesOfExport(exported, today))) {
          assert.deepEqual(body.series[name].map(partFigures), parts, `${slug} ${name}`)
        }
      }
    })

    it('the calendar of open orders, by the days of the brand', async () => {
      const launches = ['suppliers', 'collections', 'launch-windows']
      const links = ['product-collections', 'product-option-collections', 'product-launch-windows']
      for (const brand of all) {
        const { slug, today: day, timezone, records } = brand
        const shipments = records['shipments'] ?? []
        const written: { readonly [path: string]: readonly ViewRecord[] } = {
          'order-shipments': (records['orders'] ?? []).flatMap(({ id }, at) =>
            [at, (at * 7) % shipments.length].slice(0, (at % 2) + 1).map((shipment) => ({
              orderId: id,
              shipmentId: shipments[shipment]?.['id'],
              createdAt: '2026-03-01T00:00:00.000Z',
            })),
          ),
          ...Object.fromEntries([...launches, ...links].map((path) => [path, story[path] ?? []])),
        }
        await store.write(slug, async (writer) => {
          for (const [path, added] of Object.entries(written)) {
            await writer.stage(resourceAt(catalog, path), added as never)
            await writer.merge(resourceAt(catalog, path))
          }
        })
        const request = { brand: slug, today: { day, timezone }, scope: wholeScope }
        const parts = await calendarJson(request, await store.calendar(request))
        const body = JSON.parse(Buffer.concat(parts).toString())
        const allOf = (path: string) => written[path] ?? records[path] ?? []
        const find: Find = (path, id) => allOf(path).find((each) => each['id'] === id)
        const expected = calendarOfExport({ timezone, all: allOf, find }, day)
        assert.ok(expected.shipments.length > 10 && expected.late.items > 10)
        assert.ok(expected.collections.length > 0 && expected.launchWindows.length > 0)
        assert.deepEqual(comparableCalendar(body), expected, slug)
      }
    })

    it('the figures of a past day are those of its snapshot', async () => {
      const [brand, other] = all as [Brand, Brand]
      const { today } = brand
      const [level = {}] = brand.records['inventory'] ?? []
      const large = [1, 2].map((at) => ({
        ...level,
        id: `30000000-0000-4000-8000-00000000000${at}`,
        incomingQuantity: Number.MAX_SAFE_INTEGER,
      }))
      const write = (path: string, records: readonly object[]) =>
        store.write(brand.slug, async (writer) => {
          await writer.stage(resourceAt(catalog, path), records as never)
          await writer.merge(resourceAt(catalog, path))
        })
      await write('inventory', large)
      const live = await figuresOn(brand, today)
      // More than a number of JavaScript holds exactly.
      assert.ok(/"incomingQuantity":180143985\d{8}\b/.test(live.text))
      await take(brand, today)
      const orders = brand.records['orders'] ?? []
      await write(
        'orders',
        orders.map((order) => ({ ...order, status: 'closed' })),
      )
      await write(
        'inventory',
        large.map((each) => ({ ...each, incomingQuantity: 0 })),
      )
      const past = await figuresOn(brand, today, addDays(today, 1))
      const unlinked = (text: string) => text.replaceAll(/,"url":"[^"]*\/query\/[^"]*"/g, '')
      const period = Object.keys(live.body.figures).filter(isOfPeriod)
      assert.equal(period.length, 2)
      for (const name of period) {
        assert.deepEqual(past.body.figures[name], live.body.figures[name], name)
        delete live.body.figures[name].url
        delete past.body.figures[name].url
      }
      assert.ok(!JSON.stringify(past.body).includes('/query/'))
      const upToRecords = (text: string) => unlinked(text).split('"records":')[0]
      assert.equal(upToRecords(past.text), upToRecords(live.text))

      const later = addDays(today, 7)
      const { body } = await figuresOn(brand, later)
      for (const [name, { weekAgo }] of Object.entries<ViewRecord>(body.figures)) {
        const { items, sum } = live.body.figures[name]
        if (!isOfPeriod(name)) assert.deepEqual(weekAgo, { items, ...(sum && { sum }) }, name)
      }
      assert.equal(body.figures.ordersOpen.items, 0)
      assert.ok(body.figures.ordersOpen.weekAgo.items > 0)
      assert.equal(await store.daySnapshots.has(other.slug, today), false)
    })

    it('a trend has the snapshots of its days and the figures of now', async () => {
      const [brand, other] = all as [Brand, Brand]
      const current = addDays(brand.today, 1)
      const trendOf = ({ slug, timezone, baseCurrency }: Brand) =>
        store.trend({ brand: slug, timezone, baseCurrency, currentDay: current, days: 70 })
      const trend = await trendOf(brand)
      assert.equal(trend.length, 70)
      const past = await figuresOn(brand, brand.today, current)
      const live = await figuresOn(brand, current)
      const of = (figures: Awaited<ReturnType<typeof figuresOn>>['figures']) =>
        trendFigures.map((name) => figures.figures.find((each) => each.name === name)?.figures)
      const shown = (at: number) => trend.at(at)?.figures.map(({ figures }) => figures)
      assert.deepEqual(shown(-2), of(past.figures))
      assert.ok(trend.at(-2)?.figures.every(({ figures }) => figures.items !== null))
      assert.deepEqual(shown(-1), of(live.figures))
      const day = addDays(current, -69)
      const unknown = { items: null, reason: `No snapshot was taken at the end of ${day}.` }
      assert.deepEqual(
        shown(0),
        trendFigures.map(() => unknown),
      )
      const without = (await trendOf(other)).at(-2)?.figures
      assert.ok(without?.every(({ figures }) => figures.items === null))
    })

    it('a day without a snapshot has figures of its receipts only, and says why', async () => {
      const [, brand] = all as [Brand, Brand]
      const [day, current] = [brand.today, addDays(brand.today, 1)]
      const live = await figuresOn(brand, day)
      const { body } = await figuresOn(brand, day, current)
      const reason = `No snapshot was taken at the end of ${day}.`
      for (const [name, figure] of Object.entries<ViewRecord>(body.figures)) {
        if (isOfPeriod(name)) assert.deepEqual(figure, live.body.figures[name], name)
        else {
          const before = `No snapshot was taken at the end of ${addDays(day, -7)}.`
          const weekAgo = { items: null, reason: before }
          assert.deepEqual(figure, { items: null, reason, weekAgo }, name)
        }
      }
      for (const [name, parts] of Object.entries<ViewRecord[]>(body.series)) {
        assert.equal(parts.length, live.body.series[name].length, name)
        for (const [at, { name: part, from, to }] of live.body.series[name].entries()) {
          const expected = { name: part, from, to, items: null, reason }
          assert.deepEqual({ from: undefined, to: undefined, ...parts[at] }, expected, name)
        }
      }
      const { since } = live.body.changed
      assert.deepEqual(body.changed, { since, items: null, reason, groups: [] })
      const ahead = await figuresOn(brand, addDays(current, 8), current)
      const { weekAgo } = ahead.body.figures.ordersOpen
      assert.deepEqual(weekAgo, { items: null, reason: `${addDays(current, 1)} has not ended.` })
      // Known as soon as it is taken, whatever was answered before.
      await take(brand, day)
      const { figures } = (await figuresOn(brand, day, current)).body
      assert.equal(figures.ordersOpen.items, live.body.figures.ordersOpen.items)
    })

    it('keeps the first snapshot of a day, and snapshots of 400 days', async () => {
      const [brand] = all as [Brand]
      const [slug, first] = [brand.slug, '2031-01-01']
      await take(brand, first)
      const before = await figuresOn(brand, first, '2031-01-02')
      await store.write(slug, async (writer) => {
        const open = (brand.records['orders'] ?? []).map((each) => ({ ...each, status: 'sent' }))
        await writer.stage(resourceAt(catalog, 'orders'), open as never)
        await writer.merge(resourceAt(catalog, 'orders'))
      })
      await take(brand, first)
      const after = await figuresOn(brand, first, '2031-01-02')
      assert.deepEqual(after.body.figures.ordersOpen, before.body.figures.ordersOpen)
      await take(brand, addDays(first, 399))
      assert.equal(await store.daySnapshots.has(slug, first), true)
      await take(brand, addDays(first, 400))
      assert.equal(await store.daySnapshots.has(slug, first), false)
      assert.equal(await store.daySnapshots.has(slug, addDays(first, 399)), true)
    })

    it('a database of an earlier version gets an empty table, and continues from there', async () => {
      const [brand] = all as [Brand]
      await take(brand, '2033-05-05')
      const drop = { text: 'drop table "selvedge_day_snapshots"', values: [] }
      await opened.database.write((session) => session.run(drop), 'records')
      const logged: string[] = []
      store = await createStore(catalog, opened.database, {
        log: (sentence) => void logged.push(sentence),
      })
      assert.match(logged.join(' '), /create selvedge_day_snapshots/)
      const before = await figuresOn(brand, '2033-05-05', '2033-05-06')
      assert.match(before.body.figures.stockOut.reason, /No snapshot was taken/)
      await take(brand, '2033-05-05')
      const after = await figuresOn(brand, '2033-05-05', '2033-05-06')
      assert.equal(typeof after.body.figures.stockOut.items, 'number')
    })

    it('refuses a summary with more than 1,000 groups', async () => {
      const [brand] = all as [Brand]
      const request = requestOf(brand, { group: 'orders', by: ['orderNumber', 'status'] })
      const { groups } = await store.summary(request)
      assert.equal(groups.length, brand.records['orders']?.length)
      const many = Array.from({ length: 1_001 }, (_, at) => ({
        ...brand.records['order-amendments']?.[0],
        id: `10000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
        orderId: `20000000-0000-4000-8000-${String(at).padStart(12, '0')}`,
      }))
      await store.write(brand.slug, async (writer) => {
        await writer.stage(resourceAt(catalog, 'order-amendments'), many as never)
        await writer.merge(resourceAt(catalog, 'order-amendments'))
      })
      await assert.rejects(
        store.summary(requestOf(brand, { group: 'order-amendments', by: ['orderId'] })),
        /Parameter by gives more than 1000 groups/,
      )
    })
  })
}
