/** The figures of documents are what plain functions over their records give. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, documents, resourceAt, type ScorecardSort, scorecardOrders } from '#contract'
import { type DemoItem, type DemoRecord, openStory, season } from '#demo'
import {
  type Position,
  type RecordDocument,
  type ScorecardsPage,
  type Store,
  sharedOwner,
} from '#store'
import type { CurrencyAmount } from '../../../src/store/query/summary-request.ts'
import { decodeBody } from '../../../src/store/read/body.ts'
import { createStore } from '../../../src/store/store.ts'
import {
  activeInvoices,
  baseOf,
  exFactoryOf,
  isInView,
  moneyOf,
  piecesOf,
  scorecardOf,
} from '../../support/document-model.ts'
import { checkGrids, gridRows } from '../../support/grid-model.ts'
import { seeded } from '../../support/model.ts'
import { count, exact, SeasonRecords } from '../../support/season-records.ts'
import type { OpenedForStore } from '../store/samples.ts'

const { shared } = await openStory()
const slug = 'kowhai'
const today = '2026-07-10'

/** A season in which some of everything was cancelled, retracted, reversed or forwarded. */
const drawSeason = (): SeasonRecords => {
  const random = seeded(19)
  const changes: { readonly [path: string]: (record: DemoRecord) => DemoRecord } = {
    'production-runs': (run) => ({ ...run, retractedAt: '2026-05-01T00:00:00.000Z' }),
    shipments: (shipment) => ({ ...shipment, status: 'cancelled' }),
    'shipment-items': (item) => ({ ...item, deletedAt: '2026-05-01T00:00:00.000Z' }),
    'goods-receipts': (receipt) => ({ ...receipt, status: 'cancelled' }),
    invoices: (invoice) => ({ ...invoice, status: 'void' }),
    'payment-settlements': (each) => ({ ...each, reversedAt: '2026-05-01T00:00:00.000Z' }),
    'order-items': (item) => ({ ...item, unitPrice: '7.13' }),
    // An order may say only by its date that it was cancelled.
    orders: (order) =>
      random(2) === 0
        ? { ...order, cancelledAt: '2026-05-01T00:00:00.000Z' }
        : { ...order, status: ['draft', 'shipped', 'cancelled'][random(3)] ?? null },
  }
  const withoutRate = (item: DemoItem): DemoItem =>
    ['orders', 'invoices'].includes(item.path) && random(2) === 0
      ? { ...item, record: { ...item.record, exchangeRate: null } }
      : item
  const items = [...season({ brand: slug, orders: 15, seed: 4 })].map((item): DemoItem => {
    const change = changes[item.path]
    return withoutRate(change && random(8) === 0 ? { ...item, record: change(item.record) } : item)
  })
  const shipped = items.filter(({ path }) => path === 'shipment-items').slice(0, 12)
  const forwards = shipped.slice(1).map(({ record }, index): DemoItem => {
    const kind = index % 3 === 0 ? 'split' : 'forward'
    const source = shipped[index]?.record['id'] ?? null
    return {
      path: 'shipment-item-lineages',
      record: {
        id: `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
        sourceShipmentItemId: source,
        targetShipmentItemId: record['id'] ?? null,
        ...{ kind, quantity: 3 + index, reason: null, createdAt: '2026-05-01T00:00:00.000Z' },
      },
    }
  })
  return new SeasonRecords([...items, ...forwards])
}

export const documentConformance = (engine: string, open: () => Promise<OpenedForStore>): void => {
  describe(`documents on ${engine}`, () => {
    let opened: OpenedForStore
    let store: Store
    let baseCurrency: string
    let timezone: string
    const records = drawSeason()

    before(async () => {
      opened = await open()
      store = await createStore(catalog, opened.database)
      const write = (owner: string, all: Iterable<readonly [string, readonly DemoRecord[]]>) =>
        store.write(owner, async (writer) => {
          for (const [path, each] of all) {
            const resource = resourceAt(catalog, path)
            await writer.stage(resource, each)
            await writer.merge(resource)
          }
        })
      await write(sharedOwner, Object.entries(shared))
      const byPath = Map.groupBy(records.items, ({ path }) => path as string)
      await write(
        slug,
        [...byPath].map(([path, items]) => [path, items.map(({ record }) => record)] as const),
      )
      const profile = await store.profile(slug)
      timezone = profile?.timezone ?? ''
      baseCurrency = profile?.baseCurrency ?? ''
    })
    after(() => opened.close())

    const find = (path: string, id: unknown, limit = 100): Promise<RecordDocument | null> =>
      store.documents.read({
        resource: resourceAt(catalog, path),
        brand: slug,
        id: String(id),
        limit,
        today: { day: today, timezone },
        baseCurrency,
      })
    const read = async (path: string, id: unknown, limit?: number): Promise<RecordDocument> => {
      const document = await find(path, id, limit)
      assert.ok(document, `${path} ${id}`)
      return document
    }
    const stageOf = ({ progress }: RecordDocument, name: string) => {
      const stage = progress.find((each) => each.name === name)
      assert.ok(stage, name)
      return stage
    }
    const sectionOf = ({ sections }: RecordDocument, name: string) => {
      const section = sections.find((each) => each.name === name)
      assert.ok(section, name)
      return section
    }
    const idsIn = (document: RecordDocument, name: string): readonly string[] =>
      sectionOf(document, name).rows.map(({ record }) => JSON.parse(decodeBody(record)).id)
    const amountsOf = (document: RecordDocument, name: string) =>
      Object.fromEntries(
        stageOf(document, name).amounts.map(({ currency, amount }) => [currency, exact(amount)]),
      )

    it('of orders have the pieces and amounts of every stage', async () => {
      const orders = records.all('orders')
      assert.ok(orders.length > 12)
      for (const order of orders) {
        const document = await read('orders', order['id'])
        const { damaged: _, ...pieces } = piecesOf(
          records,
          records.of('order-items', 'orderId', order['id']),
        )
        for (const [stage, expected] of Object.entries(pieces)) {
          assert.equal(stageOf(document, stage).pieces, expected, `${order['id']} ${stage}`)
        }
        const invoices = activeInvoices(records, 'orderId', order['id'])
        assert.deepEqual(amountsOf(document, 'ordered'), moneyOf([order], 'totalAmount'))
        assert.deepEqual(amountsOf(document, 'invoiced'), moneyOf(invoices, 'totalAmount'))
        assert.deepEqual(amountsOf(document, 'paid'), moneyOf(invoices, 'paidAmount'))
      }
    })

    it('of orders have the pieces of each line, and names and an image of its goods', async () => {
      let pictured = 0
      for (const order of records.all('orders')) {
        const document = await read('orders', order['id'])
        const items = records.of('order-items', 'orderId', order['id'])
        const { rows, total } = sectionOf(document, 'lines')
        assert.equal(total, items.length)
        for (const { record, figures, goods } of rows) {
          const item = JSON.parse(decodeBody(record)) as DemoRecord
          assert.deepEqual(figures, piecesOf(records, [item]))
          if (item['skuId'] === null) {
            assert.equal(goods, null)
            continue
          }
          const sku = records.get('skus', item['skuId'])
          const option = records.get('product-options', sku['productOptionId'])
          const style = records.get('parent-products', sku['productId'])
          assert.equal(goods?.sku?.code, sku['code'])
          assert.equal(goods?.option?.name, option['name'])
          assert.equal(goods?.style?.name, style['name'])
          const sizes = records
            .of('sku-dimension-values', 'skuId', sku['id'])
            .map((each) => records.get('dimension-values', each['dimensionValueId'])['name'])
          assert.deepEqual([...(goods?.sizes ?? [])].sort(), sizes.sort())
          if (!goods?.imageId) continue
          pictured += 1
          const image = records.get('images', goods.imageId)
          assert.ok(image['skuId'] === sku['id'] || image['productOptionId'] === option['id'])
          assert.equal(document.pictures.get(goods.imageId)?.fileName, image['fileName'])
        }
      }
      assert.ok(pictured > 0)
    })

    it('of orders have their own records in each section, and no others', async () => {
      for (const order of records.all('orders')) {
        const document = await read('orders', order['id'])
        const own = (path: string) => records.of(path, 'orderId', order['id'])
        const items = new Set(own('order-items').map(({ id }) => id))
        const links = new Set(own('order-shipments').map(({ shipmentId }) => shipmentId))
        const shipments = records.all('shipments').filter(({ id }) => links.has(id))
        const sorted = (rows: readonly DemoRecord[]) => rows.map(({ id }) => id).sort()
        assert.deepEqual([...idsIn(document, 'shipments')].sort(), sorted(shipments))
        assert.deepEqual([...idsIn(document, 'invoices')].sort(), sorted(own('invoices')))
        assert.deepEqual([...idsIn(document, 'amendments')].sort(), sorted(own('order-amendments')))
        const lines = records.all('goods-receipt-lines').filter((line) => {
          const receipt = records.get('goods-receipts', line['goodsReceiptId'])
          return items.has(line['orderItemId'] ?? null) && receipt['status'] !== 'cancelled'
        })
        const receipts = [...new Set(lines.map(({ goodsReceiptId }) => goodsReceiptId))].sort()
        assert.deepEqual([...idsIn(document, 'receipts')].sort(), receipts)
        const noted = lines.filter((line) => line['discrepancyReason'] !== null)
        assert.deepEqual([...idsIn(document, 'discrepancies')].sort(), sorted(noted))
        for (const { record, figures } of sectionOf(document, 'shipments').rows) {
          const { id } = JSON.parse(decodeBody(record))
          const onBoard = records
            .of('shipment-items', 'shipmentId', id)
            .filter((each) => items.has(each['orderItemId'] ?? null) && !each['deletedAt'])
          assert.equal(figures?.['pieces'], count(onBoard, 'quantity'))
        }
        const settled = activeInvoices(records, 'orderId', order['id'])
          .flatMap(({ id }) => records.of('payment-settlements', 'invoiceId', id))
          .filter((each) => !each['reversedAt'])
        assert.deepEqual([...idsIn(document, 'payments')].sort(), sorted(settled))
      }
    })

    it('say how late an order, shipment or invoice is, as their views do', async () => {
      let late = 0
      const views = [
        { path: 'orders', view: 'late', names: ['exFactory'] },
        { path: 'orders', view: 'deliveryLate', names: ['delivery'] },
        { path: 'shipments', view: 'delayed', names: ['departure', 'arrival'] },
        { path: 'invoices', view: 'overdue', names: ['due'] },
      ]
      for (const { path, view, names } of views) {
        for (const record of records.all(path)) {
          const { deadlines } = await read(path, record['id'])
          const open = deadlines.filter(
            ({ name, isOpen, isLate }) => names.includes(name) && isOpen && isLate,
          )
          const expected = isInView(records, path, view, record, { today, timezone })
          assert.equal(open.length > 0, expected, `${path} ${view} ${record['id']}`)
          for (const each of open) {
            assert.equal(each.view, view)
            assert.equal(each.days, (Date.parse(today) - Date.parse(each.planned)) / 86_400_000)
            late += 1
          }
        }
      }
      assert.ok(late > 10)
      for (const order of records.all('orders')) {
        const { deadlines } = await read('orders', order['id'])
        const actual = deadlines.find(({ name }) => name === 'exFactory')
        const expected = exFactoryOf(records, order, today)
        const { name: _, view: __, ...rest } = actual ?? { name: '', view: null }
        assert.deepEqual(actual ? rest : null, expected, String(order['id']))
      }
    })

    it('of shipments count what was received of each item', async () => {
      for (const shipment of records.all('shipments')) {
        const document = await read('shipments', shipment['id'])
        const items = records
          .of('shipment-items', 'shipmentId', shipment['id'])
          .filter((each) => !each['deletedAt'])
        const lines = items
          .flatMap(({ id }) => records.of('goods-receipt-lines', 'shipmentItemId', id))
          .filter((line) => {
            const receipt = records.get('goods-receipts', line['goodsReceiptId'])
            return receipt['status'] !== 'cancelled' && !receipt['deletedAt']
          })
        assert.equal(stageOf(document, 'packed').pieces, count(items, 'quantity'))
        assert.equal(stageOf(document, 'received').pieces, count(lines, 'receivedQuantity'))
        const cartons = records.of('shipment-cartons', 'shipmentId', shipment['id'])
        assert.equal(sectionOf(document, 'cartons').total, cartons.length)
      }
    })

    it('of payments add up what they settle, and of SKUs and styles what was ordered', async () => {
      for (const payment of records.all('payments')) {
        const document = await read('payments', payment['id'])
        const settlements = records.of('payment-settlements', 'paymentId', payment['id'])
        const active = settlements.filter((each) => !each['reversedAt'])
        const expected = moneyOf(
          active.map((each) => ({ ...each, currency: payment['currency'] ?? null })),
          'amount',
        )
        assert.deepEqual(amountsOf(document, 'settled'), expected)
      }
      const isPlaced = (item: DemoRecord) => {
        const order = records.get('orders', item['orderId'])
        const isOut = ['draft', 'cancelled'].includes(String(order['status']))
        return !order['deletedAt'] && !order['cancelledAt'] && !isOut
      }
      let pastItems = 0
      const itemsOf = (sku: DemoRecord) => records.of('order-items', 'skuId', sku['id'])
      for (const style of records.all('parent-products').slice(0, 8)) {
        const skus = records.of('skus', 'productId', style['id'])
        const document = await read('parent-products', style['id'])
        const pieces = piecesOf(records, skus.flatMap(itemsOf).filter(isPlaced))
        assert.equal(stageOf(document, 'ordered').pieces, pieces.ordered)
        assert.equal(stageOf(document, 'received').pieces, pieces.received)
        for (const sku of skus.slice(0, 3)) {
          const own = await read('skus', sku['id'])
          const expected = piecesOf(records, itemsOf(sku).filter(isPlaced))
          assert.equal(stageOf(own, 'made').pieces, expected.made)
          assert.equal(stageOf(own, 'shipped').pieces, expected.shipped)
          const shown = ['openOrders', 'pastOrders'].map((name) => idsIn(own, name))
          const placed = itemsOf(sku).filter(isPlaced)
          const isFinished = ({ orderId }: DemoRecord) =>
            ['received', 'closed'].includes(String(records.get('orders', orderId)['status']))
          const [past = [], open = []] = [true, false].map((each) =>
            placed.filter((item) => isFinished(item) === each).map(({ id }) => id),
          )
          assert.deepEqual(shown, [open.sort(), past.sort()])
          pastItems += past.length
          const stock = records.of('inventory', 'skuId', sku['id'])
          assert.equal(sectionOf(own, 'stock').total, stock.length)
        }
      }
      assert.ok(pastItems > 0)
    })

    it('of orders, receipts, styles and stock have grids of their records', async () => {
      let [cells, lines, deep] = [0, 0, 0]
      for (const [path, rowsOf] of Object.entries(gridRows)) {
        for (const record of records.all(path).slice(0, 20)) {
          const grids = await store.grids.read({
            resource: resourceAt(catalog, path),
            brand: slug,
            id: String(record['id']),
            today: { day: today, timezone },
          })
          assert.ok(grids && !grids.isTooLarge)
          const about = `${path} ${record['id']}`
          cells += checkGrids(records, rowsOf(records, record), grids, about)
          lines += grids.lines.length
          deep += grids.grids.filter(({ dimensions }) => dimensions.length > 1).length
        }
      }
      assert.ok(cells > 500 && deep > 5, `${cells} cells, ${lines} lines, ${deep} deep`)
    })

    it('of suppliers have a scorecard with the counts behind it', async () => {
      let [counted, missing, ownWithoutRate] = [0, 0, 0]
      const byCurrency = (amounts: readonly CurrencyAmount[]) =>
        Object.fromEntries(amounts.map(({ currency, amount }) => [currency, exact(amount)]))
      for (const supplier of records.all('suppliers')) {
        const { scorecard } = await read('suppliers', supplier['id'])
        assert.ok(scorecard)
        const { openOrders, openBalance, overdueBalance, disputedBalance, ...rest } = scorecard
        assert.deepEqual(rest, scorecardOf(records, String(supplier['id']), today))
        counted += rest.orders
        const inView = (path: string, view: string) =>
          records
            .of(path, 'supplierId', supplier['id'])
            .filter((each) => isInView(records, path, view, each, { today, timezone }))
        const totals = [
          [openOrders, inView('orders', 'open'), 'totalAmount'],
          [openBalance, inView('invoices', 'unpaid'), 'balanceAmount'],
          [overdueBalance, inView('invoices', 'overdue'), 'balanceAmount'],
          [disputedBalance, inView('invoices', 'disputed'), 'balanceAmount'],
        ] as const
        for (const [total, expected, field] of totals) {
          assert.equal(total.items, expected.length)
          assert.deepEqual(byCurrency(total.amounts), moneyOf(expected, field))
          const { currency, amount, withoutRate, leftOut } = total.base
          const base = baseOf(expected, field, baseCurrency)
          assert.equal(currency, baseCurrency)
          assert.equal(exact(amount, 12), base.amount)
          assert.equal(withoutRate, base.withoutRate)
          assert.deepEqual(byCurrency(leftOut), base.leftOut)
          missing += withoutRate
          ownWithoutRate += expected.filter(
            (each) => each['currency'] === baseCurrency && each['exchangeRate'] === null,
          ).length
        }
        assert.equal(openOrders.pieces, count(inView('orders', 'open'), 'totalQuantity'))
      }
      assert.ok(counted > 5)
      assert.ok(missing > 0)
      assert.ok(ownWithoutRate > 0)
    })

    it('of suppliers are those of the list of scorecards, in any order and page by page', async () => {
      const suppliers = resourceAt(catalog, 'suppliers')
      const request = {
        ...{ resource: suppliers, brand: slug, filters: new Map(), where: [], ids: null },
        ...{ sort: null, limit: 100, after: null, today: { day: today, timezone }, baseCurrency },
      }
      const all = await store.scorecards.read(request)
      const owned = records.all('suppliers')
      assert.equal(all.total, owned.length)
      assert.deepEqual(
        all.items.map(({ id }) => id),
        owned.map(({ id }) => String(id)).sort(),
      )
      for (const { id, title, scorecard } of all.items) {
        assert.deepEqual(scorecard, (await read('suppliers', id)).scorecard)
        assert.equal(title, records.get('suppliers', id)['name'])
      }
      const share = (part: number, whole: number) => (whole === 0 ? null : part / whole)
      const values: Record<ScorecardSort, (id: string) => bigint | number | null> = {
        onTime: (id) => {
          const { onTime, late } = scorecardOf(records, id, today)
          return share(onTime, onTime + late)
        },
        short: (id) => {
          const { shortLines, receiptLines } = scorecardOf(records, id, today)
          return share(shortLines, receiptLines)
        },
        openOrders: (id) => baseIn(id, 'orders', 'open', 'totalAmount'),
        disputedBalance: (id) => baseIn(id, 'invoices', 'disputed', 'balanceAmount'),
      }
      const baseIn = (id: string, path: string, view: string, field: string) => {
        const inView = records
          .of(path, 'supplierId', id)
          .filter((each) => isInView(records, path, view, each, { today, timezone }))
        return baseOf(inView, field, baseCurrency).amount
      }
      for (const [field, rankOf] of Object.entries(values)) {
        for (const isDescending of [false, true]) {
          const expected = owned
            .map(({ id }) => ({ id: String(id), value: rankOf(String(id)) }))
            .sort((one, other) => {
              if (one.value === null || other.value === null) {
                if (one.value !== other.value) return one.value === null ? 1 : -1
              } else if (one.value !== other.value) {
                return one.value < other.value !== isDescending ? -1 : 1
              }
              return one.id < other.id !== isDescending ? -1 : 1
            })
          assert.ok(new Set(expected.map(({ value }) => value)).size > 1, field)
          const walked: string[] = []
          for (let after: Position | null = null; ; ) {
            const sort = { field, isDescending }
            const page: ScorecardsPage = await store.scorecards.read({
              ...{ ...request, sort, limit: 3, after },
            })
            assert.equal(page.total, owned.length)
            walked.push(...page.items.map(({ id }) => id))
            after = page.next
            if (after === null) break
          }
          assert.deepEqual(
            walked,
            expected.map(({ id }) => id),
            `${field} ${isDescending}`,
          )
        }
      }
    })

    it('of suppliers score again only those whose records have changed', async () => {
      const [first, second] = records.all('suppliers')
      const request = {
        ...{ resource: resourceAt(catalog, 'suppliers'), brand: slug, where: [] },
        filters: new Map([['name', String(first?.['name'])]]),
        ...{ ids: [first, second].map((each) => [String(each?.['id'])]), sort: null, limit: 100 },
        ...{ after: null, today: { day: today, timezone }, baseCurrency },
      }
      const before = await store.scorecards.read(request)
      assert.deepEqual(
        before.items.map(({ id }) => id),
        [String(first?.['id'])],
      )
      assert.equal((await store.scorecards.state(request)).version, before.version)
      const invoice = records
        .all('invoices')
        .find((each) => each['status'] === 'received' && each['supplierId'] !== null)
      const put = (record: DemoRecord | undefined) =>
        store.write(slug, async (writer) => {
          const resource = resourceAt(catalog, 'invoices')
          await writer.stage(resource, [record as DemoRecord])
          await writer.merge(resource)
        })
      await put({
        ...(invoice as DemoRecord),
        supplierId: first?.['id'] ?? null,
        status: 'disputed',
      })
      const after = await store.scorecards.read(request)
      assert.notEqual(after.version, before.version)
      assert.equal(
        after.items[0]?.scorecard.disputedBalance.items,
        (before.items[0]?.scorecard.disputedBalance.items ?? 0) + 1,
      )
      await put(invoice)
    })

    it('of suppliers with more orders than a scorecard counts begin with a later day', async () => {
      const [brand] = records.all('brand')
      const [supplier] = records.all('suppliers')
      const [order] = records.all('orders')
      const days = [
        ...Array.from({ length: 500 }, () => '2026-05-01'),
        ...Array.from({ length: 400 }, () => '2026-06-01'),
        ...Array.from({ length: scorecardOrders - 400 }, () => '2026-06-02'),
      ]
      await store.write('mako', async (writer) => {
        const orders = days.map((day, place) => ({
          ...order,
          id: `00000000-0000-4000-8000-${String(place).padStart(12, '0')}`,
          ...{ supplierId: supplier?.['id'], status: 'sent', confirmedExFactoryDate: day },
        }))
        for (const [path, all] of [
          ['brand', [{ ...brand, slug: 'mako' }]],
          ['suppliers', [supplier]],
          ['orders', orders],
        ] as const) {
          const resource = resourceAt(catalog, path)
          await writer.stage(resource, all as readonly DemoRecord[])
          await writer.merge(resource)
        }
      })
      const document = await store.documents.read({
        resource: resourceAt(catalog, 'suppliers'),
        brand: 'mako',
        id: String(supplier?.['id']),
        limit: 1,
        today: { day: today, timezone },
        baseCurrency,
      })
      const { from, orders, late, openOrders } = document?.scorecard ?? {}
      assert.deepEqual([from, orders, late], ['2026-06-01', scorecardOrders, scorecardOrders])
      assert.equal(openOrders?.items, days.length)
    })

    it('have exact totals however few rows are shown, and the first rows in order', async () => {
      const [order] = records.all('orders')
      const whole = await read('orders', order?.['id'])
      const short = await read('orders', order?.['id'], 1)
      for (const [index, section] of short.sections.entries()) {
        assert.equal(section.total, whole.sections[index]?.total)
        assert.equal(section.rows.length, Math.min(1, section.total))
      }
      const dates = sectionOf(whole, 'shipments').rows.map(
        ({ record }) => JSON.parse(decodeBody(record)).estimatedDepartureAt,
      )
      assert.deepEqual(dates, [...dates].sort())
    })

    it('of unknown records do not exist', async () => {
      for (const path of documents.keys()) {
        assert.equal(await find(path, '00000000-0000-4000-8000-000000000999'), null, path)
      }
    })

    it('survive references to records that do not exist', async () => {
      const [order] = records.all('orders')
      const [item] = records.of('order-items', 'orderId', order?.['id'])
      const [style] = records.all('parent-products')
      const nowhere = '00000000-0000-4000-8000-0000000000aa'
      await store.write('rimu', async (writer) => {
        for (const [path, record] of [
          ['brand', { ...records.all('brand')[0] }],
          ['orders', { ...order, supplierId: nowhere, destinationLocationId: nowhere }],
          ['order-items', { ...item, skuId: nowhere }],
          ['parent-products', { ...style, supplierId: nowhere, categoryId: nowhere }],
        ] as const) {
          const resource = resourceAt(catalog, path)
          await writer.stage(resource, [record as DemoRecord])
          await writer.merge(resource)
        }
      })
      const request = { brand: 'rimu', limit: 10, today: { day: today, timezone }, baseCurrency }
      const orders = resourceAt(catalog, 'orders')
      const id = String(order?.['id'])
      const document = await store.documents.read({ ...request, resource: orders, id })
      const [line] = document?.sections[0]?.rows ?? []
      assert.equal(line?.goods?.sku, null)
      assert.equal(JSON.parse(decodeBody(document?.record ?? new Uint8Array())).supplier, null)
      const styles = resourceAt(catalog, 'parent-products')
      const styleId = String(style?.['id'])
      assert.ok(await store.documents.read({ ...request, resource: styles, id: styleId }))
    })

    it('say how many parts of their record are in quarantine', async () => {
      const order = records.items.find(({ path }) => path === 'orders')?.record
      const items = resourceAt(catalog, 'order-items')
      const before = await read('orders', order?.['id'])
      assert.deepEqual(before.missingParts, [])
      const part = { row: null, body: null, natural: null, problems: [], received: null }
      const held = [1, 2].map((line) => ({
        ...{ ...part, reason: 'row' as const, line, parent: String(order?.['id']) },
        ...{ key: [`0000000${line}-0000-4000-8000-000000000000`], from: { file: 'items.csv' } },
      }))
      const put = () => store.write(slug, (writer) => writer.quarantine(items, held))
      await put()
      const after = await read('orders', order?.['id'])
      assert.deepEqual(after.missingParts, [{ collection: 'order-items', rows: 2 }])
      assert.notEqual(after.version, before.version)
      await put()
      assert.equal((await read('orders', order?.['id'])).version, after.version)
      assert.equal(await store.quarantine.discard({ owner: slug }), 2)
      const left = await read('orders', order?.['id'])
      assert.deepEqual(left.missingParts, [])
      assert.notEqual(left.version, after.version)
    })
  })
}
