import {
  type Condition,
  calendarOrdersMax,
  calendarRuns,
  daysBetween,
  openOrderStatuses,
  type Today,
} from '#contract'
import { type FollowedRow, follow } from './follow.ts'
import { type DocumentWalk, type WalkedRow, walk } from './walk.ts'

/** An open order and its dates. */
export interface CalendarOrder {
  readonly id: string
  readonly orderNumber: string
  readonly status: string
  readonly supplierId: string | null
  readonly pieces: number
  readonly exFactory: {
    readonly requested: string | null
    readonly confirmed: string | null
    /** The last day on which a part of it left the factory, once nothing more is expected. */
    readonly actual: string | null
  }
  readonly requestedDelivery: string | null
  /** Days past the ex-factory date; 0 if it is not late. */
  readonly daysLate: number
  readonly shipmentIds: readonly string[]
  readonly collectionIds: readonly string[]
  readonly launchWindowIds: readonly string[]
}

export type PlainOrder = Omit<CalendarOrder, 'shipmentIds' | 'collectionIds' | 'launchWindowIds'>

interface OrderTotals {
  readonly items: number
  readonly pieces: number
}

export interface OpenOrders {
  /** Of all open orders, and of the late ones among them. */
  readonly totals: { readonly open: OrderTotals; readonly late: OrderTotals }
  readonly orders: readonly PlainOrder[]
}

const fields = [
  ...['orderNumber', 'status', 'supplierId', 'totalQuantity'],
  ...['requestedExFactoryDate', 'confirmedExFactoryDate', 'requestedDeliveryDate'],
]

/** Everything has left the factory. */
const leftFactory = 'shipped'

/** Reads all open orders, and keeps those with the earliest ex-factory dates. */
export const readOpenOrders = async (
  read: DocumentWalk,
  today: Today,
  viewAt: (group: string, view: string) => Condition,
): Promise<OpenOrders> => {
  const inView = (view: string, wanted: readonly string[]) =>
    follow(read, {
      ...{ group: 'orders', column: 'status', values: openOrderStatuses, fields: wanted },
      where: viewAt('orders', view),
    })
  let orders: PlainOrder[] = []
  const open = { items: 0, pieces: 0 }
  for await (const batch of inView('open', fields)) {
    for (const row of batch) {
      const order = plainOrder(row)
      open.items += 1
      open.pieces += order.pieces
      orders.push(order)
    }
    if (orders.length >= 2 * calendarOrdersMax) orders = earliest(orders)
  }
  orders = earliest(orders)
  const ids = new Set(orders.map(({ id }) => id))
  const lateIds = new Set<string>()
  const late = { items: 0, pieces: 0 }
  for await (const batch of inView('late', ['totalQuantity'])) {
    for (const { key, values } of batch) {
      const [id = ''] = key
      late.items += 1
      late.pieces += Number(values['totalQuantity'] ?? 0)
      if (ids.has(id)) lateIds.add(id)
    }
  }
  const left = await readLeftDays(read, orders)
  return {
    totals: { open, late },
    orders: orders.map((order) => ({
      ...order,
      exFactory: { ...order.exFactory, actual: left.get(order.id) ?? null },
      daysLate: lateIds.has(order.id) ? daysBetween(exFactoryOf(order) ?? today.day, today.day) : 0,
    })),
  }
}

const plainOrder = ({ key, values }: FollowedRow): PlainOrder => ({
  id: key[0] ?? '',
  orderNumber: values['orderNumber'] ?? '',
  status: values['status'] ?? '',
  supplierId: values['supplierId'] ?? null,
  pieces: Number(values['totalQuantity'] ?? 0),
  exFactory: {
    requested: values['requestedExFactoryDate'] ?? null,
    confirmed: values['confirmedExFactoryDate'] ?? null,
    actual: null,
  },
  requestedDelivery: values['requestedDeliveryDate'] ?? null,
  daysLate: 0,
})

const exFactoryOf = ({ exFactory }: PlainOrder): string | null =>
  exFactory.confirmed ?? exFactory.requested

/** Those with the earliest dates, in their order; those without a date come last. */
const earliest = (orders: readonly PlainOrder[]): PlainOrder[] =>
  orders.toSorted(compareOrders).slice(0, calendarOrdersMax)

const compareOrders = (one: PlainOrder, other: PlainOrder): number =>
  compareTexts(exFactoryOf(one) ?? '~', exFactoryOf(other) ?? '~') ||
  compareTexts(one.orderNumber, other.orderNumber) ||
  compareTexts(one.id, other.id)

const compareTexts = (one: string, other: string): number =>
  one < other ? -1 : one > other ? 1 : 0

const readLeftDays = async (
  read: DocumentWalk,
  orders: readonly PlainOrder[],
): Promise<ReadonlyMap<string, string>> => {
  const left = new Map<string, string>()
  const shipped = orders.filter(({ status }) => status === leftFactory)
  for await (const batch of walk(read, startsOf(shipped), calendarRuns, ['actualExFactoryDate'])) {
    for (const { origin, values } of batch) {
      const day = values['actualExFactoryDate'] ?? ''
      if (day > (left.get(origin) ?? '')) left.set(origin, day)
    }
  }
  return left
}

/** The rows that paths start from. */
export const startsOf = (orders: readonly { readonly id: string }[]): readonly WalkedRow[] =>
  orders.map(({ id }) => ({ origin: id, key: [id], values: {} }))
