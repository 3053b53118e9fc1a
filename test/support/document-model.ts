/** The figures of documents, worked out by plain functions over the records of a season. */
import type { JsonValue } from '#contract'
import type { DemoRecord } from '#demo'
import { count, exact, one, type SeasonRecords } from './season-records.ts'
import { viewModel } from './view-model.ts'

const isActive = (record: DemoRecord | undefined): boolean =>
  record !== undefined &&
  !record['deletedAt'] &&
  !record['cancelledAt'] &&
  !['cancelled', 'void'].includes(String(record['status']))

const hasDeparted = ({ status, deletedAt }: DemoRecord): boolean =>
  !deletedAt &&
  ['in_transit', 'customs', 'arrived', 'delivered', 'received'].includes(String(status))

/** Pieces of order items at each stage. */
export const piecesOf = (season: SeasonRecords, items: readonly DemoRecord[]) => {
  const all = (path: string, field: string) => items.flatMap(({ id }) => season.of(path, field, id))
  const made = all('production-run-items', 'orderItemId').filter((each) => {
    const run = season.get('production-runs', each['productionRunId'])
    return !run['retractedAt'] && (each['source'] !== 'plan' || run['actualExFactoryDate'] !== null)
  })
  const shipped = all('shipment-items', 'orderItemId').filter(
    (each) => !each['deletedAt'] && hasDeparted(season.get('shipments', each['shipmentId'])),
  )
  const forwarded = shipped
    .flatMap(({ id }) => season.of('shipment-item-lineages', 'targetShipmentItemId', id))
    .filter(({ kind, sourceShipmentItemId }) => {
      const source = season.get('shipment-items', sourceShipmentItemId)
      return (
        kind === 'forward' &&
        source['orderItemId'] !== null &&
        !source['deletedAt'] &&
        hasDeparted(season.get('shipments', source['shipmentId']))
      )
    })
  const received = all('goods-receipt-lines', 'orderItemId').filter((each) =>
    isActive(season.get('goods-receipts', each['goodsReceiptId'])),
  )
  const invoiced = all('invoice-lines', 'orderItemId').filter((each) => {
    const invoice = season.get('invoices', each['invoiceId'])
    return each['kind'] === 'goods' && isActive(invoice) && invoice['kind'] !== 'credit_note'
  })
  return {
    ordered: count(items, 'qty'),
    made: count(made, 'quantity'),
    shipped: count(shipped, 'quantity') - count(forwarded, 'quantity'),
    received: count(received, 'receivedQuantity'),
    damaged: count(received, 'damagedQuantity'),
    invoiced: count(invoiced, 'quantity'),
  }
}

/** Amounts by currency, as millionths. */
export const moneyOf = (records: readonly DemoRecord[], field: string, currency = 'currency') => {
  const sums: { [currency: string]: bigint } = {}
  for (const record of records) {
    const name = String(record[currency])
    sums[name] = (sums[name] ?? 0n) + exact(record[field])
  }
  return sums
}

/** What records add up to in the base currency, and what is left out of it because of no rate. */
export const baseOf = (records: readonly DemoRecord[], field: string, baseCurrency: string) => {
  const isBase = (record: DemoRecord) => record['currency'] === baseCurrency
  const leftOut = records.filter((each) => !isBase(each) && each['exchangeRate'] === null)
  const amounts = records
    .filter((each) => !leftOut.includes(each))
    .map((each) => exact(each[field]) * (isBase(each) ? one : exact(each['exchangeRate'])))
  return {
    /** In millionths of millionths. */
    amount: amounts.reduce((sum, each) => sum + each, 0n),
    withoutRate: leftOut.length,
    leftOut: moneyOf(leftOut, field),
  }
}

export const activeInvoices = (
  season: SeasonRecords,
  field: string,
  id: JsonValue | undefined,
): readonly DemoRecord[] => season.of('invoices', field, id).filter(isActive)

const left = ['shipped', 'received', 'closed']

const dayDiff = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000

/** How late an order is at the factory: days, and whether it has not left yet. */
export const exFactoryOf = (season: SeasonRecords, order: DemoRecord, today: string) => {
  const status = String(order['status'])
  const planned = order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate'] ?? null
  if (planned === null || !isActive(order) || status === 'draft') return null
  const dates = season
    .of('production-runs', 'orderId', order['id'])
    .filter((run) => !run['retractedAt'])
    .flatMap((run) => (run['actualExFactoryDate'] ? [String(run['actualExFactoryDate'])] : []))
    .sort()
  const actual = left.includes(status) ? (dates.at(-1) ?? null) : null
  const isOpen = !left.includes(status)
  if (!isOpen && actual === null) return null
  const days = dayDiff(String(planned), actual ?? today)
  return { planned, actual, days, isOpen, isLate: days > 0 }
}

/** Whether a record is in a view, as the sentence of the view says. */
export const isInView = (
  season: SeasonRecords,
  path: string,
  view: string,
  record: DemoRecord,
  { today, timezone }: { readonly today: string; readonly timezone: string },
): boolean => {
  const test = viewModel[path]?.[view]
  if (!test) throw new RangeError(`There is no model of ${path} ${view}.`)
  const context = {
    ...{ today, timezone, days: null },
    all: (path: string) => season.all(path),
    find: (path: string, id: string) => season.get(path, id),
  }
  return test(record, context)
}

/** The scorecard of a supplier. */
export const scorecardOf = (season: SeasonRecords, supplierId: string, today: string) => {
  const from = new Date(Date.parse(today) - 365 * 86_400_000).toISOString().slice(0, 10)
  const orders = season.of('orders', 'supplierId', supplierId).filter((order) => {
    const planned = order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate']
    const isPlaced = isActive(order) && order['status'] !== 'draft'
    return isPlaced && typeof planned === 'string' && planned >= from && planned < today
  })
  const score = { onTime: 0, late: 0, withoutDate: 0, daysLate: 0 }
  for (const order of orders) {
    const result = exFactoryOf(season, order, today)
    if (!result) score.withoutDate += 1
    else if (result.days <= 0) score.onTime += 1
    else {
      score.late += 1
      score.daysLate += result.days
    }
  }
  const items = orders.flatMap(({ id }) => season.of('order-items', 'orderId', id))
  const lines = items
    .flatMap(({ id }) => season.of('goods-receipt-lines', 'orderItemId', id))
    .filter((line) => {
      const receipt = season.get('goods-receipts', line['goodsReceiptId'])
      const isCompleted = receipt['status'] === 'completed' && !receipt['deletedAt']
      return isCompleted && line['expectedQuantity'] !== null
    })
  const short = lines.filter(
    (line) => Number(line['receivedQuantity']) < Number(line['expectedQuantity']),
  )
  const prices = { higher: 0, lower: 0, same: 0 }
  const lastPrice = new Map<string, { readonly price: bigint; readonly order: string }>()
  const inOrder = items
    .filter((item) => item['skuId'] && item['unitPrice'])
    .map((item) => ({ item, order: season.get('orders', item['orderId']) }))
    .sort((a, b) => {
      const place = ({ item, order }: typeof a) =>
        `${order['orderDate']} ${order['id']} ${item['id']}`
      return place(a) < place(b) ? -1 : 1
    })
  for (const { item, order } of inOrder) {
    const name = `${item['skuId']} ${order['currency']}`
    const price = exact(item['unitPrice'])
    const before = lastPrice.get(name)
    if (before && before.order !== order['id']) {
      prices[price > before.price ? 'higher' : price < before.price ? 'lower' : 'same'] += 1
    }
    lastPrice.set(name, { price, order: String(order['id']) })
  }
  return {
    from,
    orders: orders.length,
    ...score,
    receiptLines: lines.length,
    shortLines: short.length,
    expectedPieces: count(lines, 'expectedQuantity'),
    shortPieces: count(short, 'expectedQuantity') - count(short, 'receivedQuantity'),
    prices,
  }
}
