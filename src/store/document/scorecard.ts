import {
  addDays,
  type Catalog,
  compareDecimals,
  conditionWithin,
  daysBetween,
  never,
  parseDecimal,
  resourceAt,
  scorecardDays,
  scorecardOrders,
  scoredOrder,
  type Today,
} from '#contract'
import type { Summaries } from '../query/summary.ts'
import type { MoneySum, SummaryFigures } from '../query/summary-request.ts'
import { follow } from './follow.ts'
import { viewOf } from './resolve.ts'
import type { DocumentWalk } from './walk.ts'

/** The totals of a view's records. */
export interface OpenTotal {
  readonly items: number
  readonly pieces: number
  readonly amounts: MoneySum['currencies']
  readonly base: MoneySum['base']
}

/** Adds up fields of a supplier's records in a view. */
type SumView = (
  supplier: string,
  group: string,
  view: string,
  sum: readonly string[],
) => Promise<SummaryFigures>

/** Adds up in the snapshot of a walk. */
export const sumViews =
  (
    { catalog, summaries }: { readonly catalog: Catalog; readonly summaries: Summaries },
    { steps, brand, scope, resolve }: DocumentWalk,
    { today, baseCurrency }: { readonly today: Today; readonly baseCurrency: string },
  ): SumView =>
  (supplier, group, view, sum) => {
    const where = resolve(viewOf(catalog, group, view).where, group)
    return summaries.readIn(steps, {
      ...{ resource: resourceAt(catalog, group), brand, ids: null, min: [], max: [], by: [], sum },
      ...{ today, baseCurrency },
      where: [scope.has(group) ? conditionWithin(scope, where) : never],
      filters: new Map([['supplierId', supplier]]),
    })
  }

/** The delivery performance of a supplier: see `scorecardFigures`. */
export interface Scorecard {
  readonly from: string
  readonly orders: number
  readonly onTime: number
  readonly late: number
  readonly withoutDate: number
  readonly daysLate: number
  readonly receiptLines: number
  readonly shortLines: number
  readonly expectedPieces: number
  readonly shortPieces: number
  readonly prices: { readonly higher: number; readonly lower: number; readonly same: number }
  readonly openOrders: OpenTotal
  readonly openBalance: OpenTotal
  readonly overdueBalance: OpenTotal
  readonly disputedBalance: OpenTotal
}

interface DueOrder {
  readonly id: string
  readonly planned: string
  readonly hasLeft: boolean
  readonly orderDate: string
  readonly currency: string
}

const leftStatuses = ['shipped', 'received', 'closed']
/** Orders whose lines are read at once. */
const batchOrders = 100

export const readScorecard = async (
  read: DocumentWalk,
  supplier: string,
  { day }: Today,
  sumView: SumView,
): Promise<Scorecard> => {
  const earliest = addDays(day, -scorecardDays)
  const allDue = await readDueOrders(read, supplier)
  const from = firstCountedDay(allDue, earliest)
  const due = allDue.filter(({ planned }) => planned >= from)
  const counts = { onTime: 0, late: 0, withoutDate: 0, daysLate: 0 }
  const receipts = { receiptLines: 0, shortLines: 0, expectedPieces: 0, shortPieces: 0 }
  const bought: Bought[] = []
  for (let start = 0; start < due.length; start += batchOrders) {
    const batch = due.slice(start, start + batchOrders)
    const lastRuns = await readLastRuns(read, batch)
    for (const order of batch) countPunctuality(counts, order, lastRuns.get(order.id) ?? null, day)
    const items = await readItems(read, batch)
    bought.push(...items)
    await countReceipts(read, items, receipts)
  }
  const total = async (group: string, view: string, amount: string, pieces: string | null) => {
    const fields = pieces === null ? [amount] : [amount, pieces]
    return openTotal(await sumView(supplier, group, view, fields), amount, pieces)
  }
  return {
    from,
    orders: due.length,
    ...counts,
    ...receipts,
    prices: comparePrices(bought),
    openOrders: await total('orders', 'open', 'totalAmount', 'totalQuantity'),
    openBalance: await total('invoices', 'unpaid', 'balanceAmount', null),
    overdueBalance: await total('invoices', 'overdue', 'balanceAmount', null),
    disputedBalance: await total('invoices', 'disputed', 'balanceAmount', null),
  }
}

/** The earliest day such that no more than `scorecardOrders` orders were due since then. */
const firstCountedDay = (due: readonly DueOrder[], earliest: string): string => {
  if (due.length <= scorecardOrders) return earliest
  const days = [...Map.groupBy(due, ({ planned }) => planned)].sort(([one], [other]) =>
    one < other ? 1 : -1,
  )
  let [from = earliest] = days[0] ?? []
  let orders = 0
  for (const [day, ofDay] of days) {
    orders += ofDay.length
    if (orders > scorecardOrders) break
    from = day
  }
  return from
}

const readDueOrders = async (
  read: DocumentWalk,
  supplier: string,
): Promise<readonly DueOrder[]> => {
  const orders: DueOrder[] = []
  const request = {
    group: 'orders',
    column: 'supplierId',
    values: [supplier],
    where: read.resolve(scoredOrder, 'orders'),
    fields: ['status', 'confirmedExFactoryDate', 'requestedExFactoryDate', 'orderDate', 'currency'],
  }
  for await (const batch of follow(read, request)) {
    for (const { key, values } of batch) {
      const planned = values['confirmedExFactoryDate'] ?? values['requestedExFactoryDate'] ?? null
      if (planned === null) continue
      orders.push({
        id: key[0] ?? '',
        planned,
        hasLeft: leftStatuses.includes(values['status'] ?? ''),
        orderDate: values['orderDate'] ?? '',
        currency: values['currency'] ?? '',
      })
    }
  }
  return orders
}

/** The day on which the last batch of each order left the factory. */
const readLastRuns = async (
  read: DocumentWalk,
  orders: readonly DueOrder[],
): Promise<ReadonlyMap<string, string>> => {
  const last = new Map<string, string>()
  const request = {
    group: 'production-runs',
    column: 'orderId',
    values: orders.map(({ id }) => id),
    fields: ['actualExFactoryDate'],
    where: { kind: 'null', field: 'retractedAt', isNull: true } as const,
  }
  for await (const batch of follow(read, request)) {
    for (const { from, values } of batch) {
      const left = values['actualExFactoryDate'] ?? null
      if (left !== null && left > (last.get(from) ?? '')) last.set(from, left)
    }
  }
  return last
}

const countPunctuality = (
  counts: { onTime: number; late: number; withoutDate: number; daysLate: number },
  { planned, hasLeft }: DueOrder,
  left: string | null,
  today: string,
): void => {
  if (hasLeft && left === null) counts.withoutDate += 1
  else {
    const days = daysBetween(planned, hasLeft && left !== null ? left : today)
    if (days <= 0) counts.onTime += 1
    else {
      counts.late += 1
      counts.daysLate += days
    }
  }
}

/** A SKU on an order. */
interface Bought {
  readonly itemId: string
  readonly sku: string | null
  readonly price: string | null
  readonly order: DueOrder
}

const readItems = async (
  read: DocumentWalk,
  orders: readonly DueOrder[],
): Promise<readonly Bought[]> => {
  const byId = new Map(orders.map((order) => [order.id, order]))
  const items: Bought[] = []
  const request = {
    group: 'order-items',
    column: 'orderId',
    values: [...byId.keys()],
    fields: ['skuId', 'unitPrice'],
    where: null,
  }
  for await (const batch of follow(read, request)) {
    for (const { from, key, values } of batch) {
      const order = byId.get(from)
      if (!order) continue
      const [itemId = ''] = key
      items.push({
        itemId,
        sku: values['skuId'] ?? null,
        price: values['unitPrice'] ?? null,
        order,
      })
    }
  }
  return items
}

/** Lines of completed receipts with an expected quantity. */
const counted = {
  kind: 'all',
  of: [
    { kind: 'null', field: 'expectedQuantity', isNull: false },
    {
      kind: 'some',
      collection: 'goods-receipts',
      match: 'id',
      local: 'goodsReceiptId',
      where: {
        kind: 'all',
        of: [
          { kind: 'compare', field: 'status', is: 'eq', value: 'completed' },
          { kind: 'null', field: 'deletedAt', isNull: true },
        ],
      },
    },
  ],
} as const

const countReceipts = async (
  read: DocumentWalk,
  items: readonly Bought[],
  counts: { receiptLines: number; shortLines: number; expectedPieces: number; shortPieces: number },
): Promise<void> => {
  const request = {
    group: 'goods-receipt-lines',
    column: 'orderItemId',
    values: items.map(({ itemId }) => itemId),
    fields: ['expectedQuantity', 'receivedQuantity'],
    where: counted,
  }
  for await (const batch of follow(read, request)) {
    for (const { values } of batch) {
      const expected = Number(values['expectedQuantity'])
      const short = expected - Number(values['receivedQuantity'])
      counts.receiptLines += 1
      counts.expectedPieces += expected
      if (short <= 0) continue
      counts.shortLines += 1
      counts.shortPieces += short
    }
  }
}

/** Compares the price of a SKU on each order with that on the order before. */
const comparePrices = (bought: readonly Bought[]): Scorecard['prices'] => {
  const counts = { higher: 0, lower: 0, same: 0 }
  const priced = bought.filter(({ sku, price }) => sku !== null && price !== null)
  const bySku = Map.groupBy(priced, ({ sku, order }) => `${sku} ${order.currency}`)
  for (const group of bySku.values()) {
    const inOrder = group.sort((one, other) => (placeOf(one) < placeOf(other) ? -1 : 1))
    for (const [index, { order, price }] of inOrder.entries()) {
      const before = inOrder[index - 1]
      // A SKU may be on several lines of one order.
      if (!before || before.order.id === order.id) continue
      const change = compareDecimals(parseDecimal(price ?? '0'), parseDecimal(before.price ?? '0'))
      counts[change > 0 ? 'higher' : change < 0 ? 'lower' : 'same'] += 1
    }
  }
  return counts
}

const placeOf = ({ order, itemId }: Bought): string => `${order.orderDate} ${order.id} ${itemId}`

const openTotal = (
  { total: { items, sum } }: SummaryFigures,
  amount: string,
  pieces: string | null,
): OpenTotal => {
  const { currencies, base } = sum[amount] as MoneySum
  return { items, pieces: pieces === null ? 0 : Number(sum[pieces]), amounts: currencies, base }
}
