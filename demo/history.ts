import { addDays, daysBetween, mondayOf, startOfDay } from '#contract'
import { money } from './season/amounts.ts'
import type { DemoItem } from './season/record-buffer.ts'
import type { DemoRecord } from './story.ts'

/** The past of a season's records, as far as the figures of a day depend on it. */
export interface DemoHistory {
  /** Adds a record. Every record is added before the first day is asked for. */
  note(item: DemoItem): void
  /**
   * The records as they were at the end of a day in a time zone: those that differ from the last
   * call. Days are asked for in order.
   */
  advanceTo(day: string, timezone: string): readonly DemoItem[]
  /**
   * The number of records by collection that were created or changed on a day or the day before, in
   * a time zone.
   */
  changedOn(day: string, timezone: string): ReadonlyMap<string, number>
}

/** The collections that the figures of a day are made of. */
const figurePaths = [
  ...(['orders', 'production-runs', 'shipments', 'invoices'] as const),
  ...(['payment-agreements', 'payment-milestones', 'inventory', 'skus'] as const),
]
type FigurePath = (typeof figurePaths)[number]

/** The collections that date what happened to them. */
const datingPaths = [
  ...(['order-shipments', 'goods-receipts', 'goods-receipt-lines'] as const),
  ...(['shipment-items', 'payment-settlements'] as const),
]

const paths: ReadonlySet<string> = new Set([...figurePaths, ...datingPaths])

/** A moment in the past: the end of a day. */
interface Cut {
  readonly day: string
  /** Whether a time is before it. */
  readonly isBy: (time: unknown) => boolean
}

/** The fields of a record that were others then; null if there was no such record. */
type Then = DemoRecord | null

/** Goes back in the records of a season by their own dates. */
export const createHistory = (): DemoHistory => {
  const noted = new Map<string, DemoRecord[]>([...paths].map((path) => [path, []]))
  const changes = createChanges()
  const records = (path: string): readonly DemoRecord[] => noted.get(path) ?? []
  const by = (path: string, field: string) => Map.groupBy(records(path), (record) => record[field])
  const last = new Map<DemoRecord, string>()
  let states: ReturnType<typeof createStates> | undefined
  return {
    note: (item) => {
      noted.get(item.path)?.push(item.record)
      changes.note(item)
    },
    changedOn: changes.on,
    advanceTo: (day, timezone) => {
      states ??= createStates({ records, by })
      const end = new Date(startOfDay(timezone, addDays(day, 1))).toISOString()
      const cut: Cut = { day, isBy: (time) => typeof time === 'string' && time < end }
      const changed: DemoItem[] = []
      for (const path of figurePaths) {
        for (const record of records(path)) {
          const then = states[path](record, cut)
          const text = then && Object.values(then).join(' ')
          if (text === null || last.get(record) === text) continue
          // What was over before the first day is in no figure, and no figure depends on it.
          if (!last.has(record) && isOver(path, then)) continue
          last.set(record, text)
          changed.push({ path, record: { ...record, ...then } })
        }
      }
      return changed
    },
  }
}

/** Counts the records that were created or changed on a day or the day before, by collection. */
const createChanges = () => {
  const times = new Map<string, (readonly unknown[])[]>()
  return {
    note: ({ path, record: { createdAt, updatedAt } }: DemoItem): void => {
      const own = times.get(path) ?? []
      times.set(path, own)
      own.push([createdAt, updatedAt])
    },
    on: (day: string, timezone: string): ReadonlyMap<string, number> => {
      const [from, to] = [-1, 1].map((by) =>
        new Date(startOfDay(timezone, addDays(day, by))).toISOString(),
      ) as [string, string]
      const isIn = (at: unknown) => typeof at === 'string' && at >= from && at < to
      return new Map(
        [...times]
          .map(([path, all]) => [path, all.filter((each) => each.some(isIn)).length] as const)
          .filter(([, items]) => items > 0),
      )
    },
  }
}

const overStatuses: { readonly [path: string]: readonly unknown[] } = {
  invoices: ['paid'],
  'payment-milestones': ['paid', 'waived'],
}

const isOver = (path: FigurePath, then: Then): boolean =>
  Boolean(overStatuses[path]?.includes(then?.['status']))

interface Lookup {
  readonly records: (path: string) => readonly DemoRecord[]
  readonly by: (path: string, field: string) => ReadonlyMap<unknown, readonly DemoRecord[]>
}

type StateOf = (record: DemoRecord, cut: Cut) => Then

const createStates = (lookup: Lookup): { readonly [Path in FigurePath]: StateOf } => ({
  orders: existing(createOrderState(lookup)),
  'production-runs': existing(({ actualExFactoryDate, retractedAt }, { day, isBy }) => ({
    actualExFactoryDate: String(actualExFactoryDate) <= day ? (actualExFactoryDate ?? null) : null,
    retractedAt: isBy(retractedAt) ? (retractedAt ?? null) : null,
  })),
  shipments: existing(shipmentState),
  invoices: existing(createInvoiceState(lookup)),
  'payment-agreements': existing(({ status, updatedAt }, { isBy }) => ({
    status: status === 'cancelled' && !isBy(updatedAt) ? 'agreed' : (status ?? null),
  })),
  'payment-milestones': existing(createMilestoneState(lookup)),
  inventory: createStockState(lookup),
  skus: existing(() => ({})),
})

/** Of a record that had been created by then. */
const existing =
  (stateOf: (record: DemoRecord, cut: Cut) => DemoRecord): StateOf =>
  (record, cut) =>
    cut.isBy(record['createdAt'])
      ? {
          ...stateOf(record, cut),
          ...('deletedAt' in record && {
            deletedAt: cut.isBy(record['deletedAt']) ? (record['deletedAt'] ?? null) : null,
          }),
        }
      : null

const createOrderState = ({ by }: Lookup) => {
  const [links, shipments] = [by('order-shipments', 'orderId'), by('shipments', 'id')]
  const [runs, receipts] = [by('production-runs', 'orderId'), by('goods-receipts', 'shipmentId')]
  return (order: DemoRecord, { isBy }: Cut): DemoRecord => {
    const { status, supplierConfirmedAt, confirmedExFactoryDate, exchangeRate } = order
    const own = (links.get(order['id']) ?? []).flatMap(
      ({ shipmentId }) => shipments.get(shipmentId) ?? [],
    )
    const departed = own.filter(({ actualDepartureAt }) => isBy(actualDepartureAt))
    const counted = own
      .flatMap(({ id }) => receipts.get(id) ?? [])
      .map(({ receivedAt }) => String(receivedAt))
    const isReceived = status === 'received' || status === 'closed'
    const receivedAt = counted.sort().at(-1) ?? order['updatedAt']
    const isConfirmed = isBy(supplierConfirmedAt)
    const then = () => {
      if (status === 'draft') return 'draft'
      if (isBy(order['cancelledAt'])) return 'cancelled'
      if (isBy(order['closedAt'])) return 'closed'
      if (isReceived && isBy(receivedAt)) return 'received'
      if ((isReceived || status === 'shipped') && departed.length === own.length) return 'shipped'
      if (departed.length > 0) return 'partially_shipped'
      if ((runs.get(order['id']) ?? []).some(({ createdAt }) => isBy(createdAt))) {
        return 'in_production'
      }
      return isConfirmed ? 'confirmed' : 'sent'
    }
    return {
      status: then(),
      supplierConfirmedAt: isConfirmed ? (supplierConfirmedAt ?? null) : null,
      confirmedExFactoryDate: isConfirmed ? (confirmedExFactoryDate ?? null) : null,
      exchangeRate: isConfirmed ? (exchangeRate ?? null) : null,
    }
  }
}

const shipmentDates = ['actualDepartureAt', 'actualArrivalAt', 'customsClearedAt', 'deliveredAt']

const shipmentState = (shipment: DemoRecord, { day, isBy }: Cut): DemoRecord => {
  const dates = Object.fromEntries(
    shipmentDates.map((field) => [field, isBy(shipment[field]) ? (shipment[field] ?? null) : null]),
  )
  const { actualDepartureAt, actualArrivalAt, customsClearedAt, deliveredAt } = dates
  const then = () => {
    if (shipment['status'] === 'cancelled') return 'cancelled'
    if (deliveredAt) return 'delivered'
    if (customsClearedAt) return 'arrived'
    if (actualArrivalAt) return 'customs'
    if (actualDepartureAt) return 'in_transit'
    return String(shipment['cargoReadyDate']) <= day ? 'ready' : 'booked'
  }
  return { status: then(), ...dates }
}

const cents = (amount: unknown): number => Math.round(Number(amount ?? 0) * 100)

/** The settled amount at a time, in cents. */
const settledBy = (settlements: readonly DemoRecord[], { isBy }: Cut): number =>
  settlements
    .filter(({ settledAt, reversedAt }) => isBy(settledAt) && !isBy(reversedAt))
    .reduce((sum, { invoiceAmount }) => sum + cents(invoiceAmount), 0)

const createInvoiceState = ({ by }: Lookup) => {
  const settlements = by('payment-settlements', 'invoiceId')
  const credits = by('invoices', 'creditedInvoiceId')
  return (invoice: DemoRecord, cut: Cut): DemoRecord => {
    const { status, totalAmount, creditedAmount, kind, approvedAt } = invoice
    const isCredited =
      kind === 'credit_note' ||
      (credits.get(invoice['id']) ?? []).some(({ createdAt }) => cut.isBy(createdAt))
    const credited = isCredited ? cents(creditedAmount) : 0
    const paid = settledBy(settlements.get(invoice['id']) ?? [], cut)
    const balance = cents(totalAmount) - credited - paid
    const then = () => {
      if (status === 'disputed' || kind === 'credit_note') return status ?? null
      if (balance === 0) return 'paid'
      if (paid > 0) return 'partially_paid'
      return cut.isBy(approvedAt) ? 'approved' : 'received'
    }
    return {
      status: then(),
      creditedAmount: money(credited),
      paidAmount: money(paid),
      balanceAmount: money(balance),
    }
  }
}

const createMilestoneState = ({ by }: Lookup) => {
  const settlements = by('payment-settlements', 'paymentMilestoneId')
  return (milestone: DemoRecord, cut: Cut): DemoRecord => {
    const { status, reachedAt, dueDate, updatedAt } = milestone
    const own = (settlements.get(milestone['id']) ?? []).filter((each) => !each['reversedAt'])
    const isReached = cut.isBy(reachedAt)
    const then = () => {
      if (status === 'waived') return cut.isBy(updatedAt) ? 'waived' : 'pending'
      const settled = own.filter(({ settledAt }) => cut.isBy(settledAt))
      if (status === 'paid' && settled.length === own.length) return 'paid'
      if (settled.length > 0) return 'partially_paid'
      return isReached ? 'due' : 'pending'
    }
    return {
      status: then(),
      reachedAt: isReached ? (reachedAt ?? null) : null,
      dueDate: isReached ? (dueDate ?? null) : null,
    }
  }
}

/** Pieces that came to a place, or are on their way to it. */
interface Movement {
  readonly departedAt: unknown
  readonly receivedAt: unknown
  readonly expected: number
  readonly sound: number
}

/**
 * The stock of a SKU at a place. Pieces that came later were not there; those that were sold since
 * the first came are taken to have been sold evenly, counted once a week.
 */
const createStockState = ({ records, by }: Lookup): StateOf => {
  const movements = movementsOf({ records, by })
  return (level, { day, isBy }) => {
    const own = movements.get(placeOf(level['skuId'], level['locationId'])) ?? []
    const came = own.filter(({ receivedAt }) => isBy(receivedAt))
    const later = own.filter(({ receivedAt, departedAt }) => !isBy(receivedAt) && isBy(departedAt))
    if (came.length === 0 && later.length === 0) return null
    const count = (of: readonly Movement[], field: 'expected' | 'sound') =>
      of.reduce((sum, each) => sum + each[field], 0)
    const [available, reserved] = [level['availableQuantity'], level['reservedQuantity']].map(
      Number,
    )
    const left = (available ?? 0) + (reserved ?? 0)
    const received = own.filter(({ receivedAt }) => receivedAt !== null)
    const sold = Math.max(0, count(received, 'sound') - left)
    const times = received.map(({ receivedAt }) => String(receivedAt)).sort()
    const [first, until] = [times[0]?.slice(0, 10) ?? day, String(level['asOf']).slice(0, 10)]
    const whole = Math.max(1, daysBetween(first, until))
    const since = Math.min(whole, Math.max(0, daysBetween(mondayOf(day), until)))
    const soldSince = day >= until ? 0 : Math.floor((sold * since) / whole)
    const missing = count(received, 'sound') - count(came, 'sound')
    const then = came.length === 0 ? 0 : Math.max(0, left - missing + soldSince)
    const reservedThen =
      left === 0 ? Math.floor(then / 8) : Math.floor((then * (reserved ?? 0)) / left)
    return {
      availableQuantity: then - reservedThen,
      reservedQuantity: reservedThen,
      incomingQuantity: count(later, 'expected'),
    }
  }
}

const placeOf = (sku: unknown, location: unknown): string => `${sku} ${location}`

const movementsOf = ({ records, by }: Lookup): ReadonlyMap<string, readonly Movement[]> => {
  const [items, lines] = [
    by('shipment-items', 'shipmentId'),
    by('goods-receipt-lines', 'goodsReceiptId'),
  ]
  const receipts = by('goods-receipts', 'shipmentId')
  const all = records('shipments').flatMap((shipment) => {
    const { id, actualDepartureAt: departedAt, destinationLocationId } = shipment
    const counted = (receipts.get(id) ?? []).flatMap((receipt) =>
      (lines.get(receipt['id']) ?? []).map((line) => ({
        place: placeOf(line['skuId'], receipt['locationId']),
        departedAt,
        receivedAt: receipt['receivedAt'],
        expected: Number(line['expectedQuantity']),
        sound:
          Number(line['receivedQuantity']) -
          Number(line['damagedQuantity']) -
          Number(line['rejectedQuantity']),
      })),
    )
    if (counted.length > 0) return counted
    return (items.get(id) ?? []).map((item) => ({
      place: placeOf(item['skuId'], destinationLocationId),
      departedAt,
      receivedAt: null,
      expected: Number(item['quantity']),
      sound: 0,
    }))
  })
  return Map.groupBy(all, ({ place }) => place)
}
