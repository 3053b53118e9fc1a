/** What each view means, as a plain function over records: written from its sentence alone. */

// biome-ignore lint/suspicious/noExplicitAny: records are read freely
export type ViewRecord = { readonly [name: string]: any }

export interface ViewContext {
  readonly today: string
  readonly timezone: string
  readonly days: number | null
  /** The record with an identity. */
  readonly find: (path: string, id: string) => ViewRecord | undefined
  /** The records of a collection. */
  readonly all: (path: string) => readonly ViewRecord[]
}

type Test = (record: ViewRecord, context: ViewContext) => boolean

/** Making one takes longer than using it thousands of times. */
const dayFormats = new Map<string, Intl.DateTimeFormat>()

/** The days of times that were asked for: many records have the same times, and many figures the same records. */
const knownDays = new Map<string, string>()

/** The day that a clock in the time zone shows; the first and the last days are the same everywhere. */
export const localDay = (timestamp: string, timezone: string): string => {
  if (timestamp < '0001-01-02' || timestamp >= '9999-12-31') return timestamp.slice(0, 10)
  const key = `${timestamp} ${timezone}`
  const cached = knownDays.get(key)
  if (cached !== undefined) return cached
  const format =
    dayFormats.get(timezone) ?? new Intl.DateTimeFormat('sv-SE', { timeZone: timezone })
  dayFormats.set(timezone, format)
  const day = format.format(new Date(timestamp)).padStart(10, '0')
  knownDays.set(key, day)
  return day
}

const plus = (day: string, days: number): string => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month - 1, date + days)).toISOString().slice(0, 10)
}

/** The Sunday of the week that begins on Monday. */
const sunday = (day: string): string => {
  const weekday = new Date(`${day}T12:00:00Z`).getUTCDay()
  return plus(day, weekday === 0 ? 0 : 7 - weekday)
}

const isBefore = (day: string | null, { today }: ViewContext) => day !== null && day < today
const isInRestOfWeek = (day: string | null, { today }: ViewContext) =>
  day !== null && day >= today && day <= sunday(today)
const isWithin = (day: string | null, { today }: ViewContext, days: number) =>
  day !== null && day >= today && day <= plus(today, days)
const dayOf = (timestamp: string | null, { timezone }: ViewContext) =>
  timestamp === null ? null : localDay(timestamp, timezone)

const isPlaced = (order: ViewRecord) => order['deletedAt'] === null && order['cancelledAt'] === null
const atSupplier = (order: ViewRecord) =>
  isPlaced(order) &&
  ['sent', 'confirmed', 'in_production', 'partially_shipped'].includes(order['status'])
const isOpen = (order: ViewRecord) =>
  atSupplier(order) || (isPlaced(order) && order['status'] === 'shipped')
const exFactory = (order: ViewRecord): string | null =>
  order['confirmedExFactoryDate'] ?? order['requestedExFactoryDate']
const isLate = (order: ViewRecord, context: ViewContext) =>
  atSupplier(order) && isBefore(exFactory(order), context)

const isUndelivered = (shipment: ViewRecord) =>
  shipment['deletedAt'] === null &&
  !['delivered', 'received', 'cancelled'].includes(shipment['status'])

export const hasDeparted = ({ status, actualDepartureAt }: ViewRecord) =>
  actualDepartureAt !== null || ['in_transit', 'customs', 'arrived'].includes(status)

const isOnTheWay = (shipment: ViewRecord) => isUndelivered(shipment) && hasDeparted(shipment)

const isUnpaid = (invoice: ViewRecord) =>
  invoice['deletedAt'] === null &&
  !['draft', 'paid', 'void'].includes(invoice['status']) &&
  Number(invoice['balanceAmount']) > 0

const isCounted = (receipt: ViewRecord | undefined, statuses: readonly string[]) =>
  receipt !== undefined && receipt['deletedAt'] === null && statuses.includes(receipt['status'])
const isShort = (line: ViewRecord) =>
  line['expectedQuantity'] !== null && line['receivedQuantity'] < line['expectedQuantity']
const isDamaged = (line: ViewRecord) => line['damagedQuantity'] > 0
const isRejected = (line: ViewRecord) => line['rejectedQuantity'] > 0
const counted = ['in_progress', 'completed']

const receiptWith =
  (statuses: readonly string[], test: (line: ViewRecord) => boolean): Test =>
  (receipt, { all }) =>
    isCounted(receipt, statuses) &&
    all('goods-receipt-lines').some(
      (line) => line['goodsReceiptId'] === receipt['id'] && test(line),
    )
const lineOf =
  (statuses: readonly string[], test: (line: ViewRecord) => boolean): Test =>
  (line, { find }) =>
    test(line) && isCounted(find('goods-receipts', line['goodsReceiptId']), statuses)

const isInUse = (document: ViewRecord) =>
  document['deletedAt'] === null &&
  !['superseded', 'rejected', 'expired'].includes(document['status'])

const knownLevels = new WeakMap<readonly ViewRecord[], Map<unknown, ViewRecord[]>>()

/** The stock levels by SKU. */
const levelsIn = (inventory: readonly ViewRecord[]): Map<unknown, ViewRecord[]> => {
  const levels = knownLevels.get(inventory) ?? Map.groupBy(inventory, ({ skuId }) => skuId)
  knownLevels.set(inventory, levels)
  return levels
}

export const viewModel: { readonly [group: string]: { readonly [view: string]: Test } } = {
  orders: {
    open: isOpen,
    late: isLate,
    dueThisWeek: (order, context) => atSupplier(order) && isInRestOfWeek(exFactory(order), context),
    deliveryLate: (order, context) =>
      isOpen(order) && isBefore(order['requestedDeliveryDate'], context),
  },
  'order-amendments': {
    pending: ({ status, deletedAt }) =>
      deletedAt === null && (status === 'proposed' || status === 'accepted'),
  },
  'production-runs': {
    behindPlan: (run, context) => {
      const order = context.find('orders', run['orderId'])
      const isRunning = run['actualExFactoryDate'] === null && run['retractedAt'] === null
      return isRunning && order !== undefined && isLate(order, context)
    },
  },
  shipments: {
    onTheWay: isOnTheWay,
    delayed: (shipment, context) =>
      isUndelivered(shipment) &&
      ((!hasDeparted(shipment) &&
        isBefore(dayOf(shipment['estimatedDepartureAt'], context), context)) ||
        (shipment['actualArrivalAt'] === null &&
          isBefore(dayOf(shipment['estimatedArrivalAt'], context), context))),
    arrivingThisWeek: (shipment, context) =>
      isUndelivered(shipment) &&
      shipment['actualArrivalAt'] === null &&
      isInRestOfWeek(dayOf(shipment['estimatedArrivalAt'], context), context),
    toArrive: (shipment) => isUndelivered(shipment) && shipment['actualArrivalAt'] === null,
    hasArrived: ({ status, deletedAt, actualArrivalAt }) =>
      deletedAt === null && status !== 'cancelled' && actualArrivalAt !== null,
  },
  'packing-list-lines': {
    unmatched: ({ matchStatus, packingListId }, { find }) =>
      ['unmatched', 'mismatch'].includes(matchStatus) &&
      find('packing-lists', packingListId)?.['deletedAt'] === null,
  },
  'goods-receipts': {
    short: receiptWith(['completed'], isShort),
    damaged: receiptWith(counted, isDamaged),
    rejected: receiptWith(counted, isRejected),
  },
  'goods-receipt-lines': {
    short: lineOf(['completed'], isShort),
    damaged: lineOf(counted, isDamaged),
    rejected: lineOf(counted, isRejected),
  },
  skus: {
    outEverywhere: ({ id, deletedAt }, context) => {
      const levels = levelsIn(context.all('inventory')).get(id) ?? []
      return (
        deletedAt === null &&
        levels.length > 0 &&
        levels.every((each) => each['availableQuantity'] <= 0)
      )
    },
  },
  inventory: {
    outNothingIncoming: ({ availableQuantity, incomingQuantity }) =>
      availableQuantity <= 0 && incomingQuantity <= 0,
    out: ({ availableQuantity }) => availableQuantity <= 0,
    belowReserved: ({ availableQuantity, reservedQuantity }) =>
      availableQuantity < reservedQuantity,
    incoming: ({ incomingQuantity }) => incomingQuantity > 0,
  },
  invoices: {
    unpaid: isUnpaid,
    overdue: (invoice, context) => isUnpaid(invoice) && isBefore(invoice['dueDate'], context),
    dueThisWeek: (invoice, context) =>
      isUnpaid(invoice) && isInRestOfWeek(invoice['dueDate'], context),
    dueWithin: (invoice, context) =>
      isUnpaid(invoice) && isWithin(invoice['dueDate'], context, context.days ?? 7),
    disputed: ({ status, deletedAt }) => deletedAt === null && status === 'disputed',
  },
  'payment-milestones': {
    reachedUnpaid: (milestone, context) => {
      const agreement = context.find('payment-agreements', milestone['paymentAgreementId'])
      const reached = dayOf(milestone['reachedAt'], context)
      return (
        !['paid', 'waived'].includes(milestone['status']) &&
        reached !== null &&
        reached <= context.today &&
        agreement !== undefined &&
        agreement['deletedAt'] === null &&
        agreement['status'] !== 'cancelled'
      )
    },
  },
  payments: {
    scheduled: ({ direction, status }) =>
      direction === 'outgoing' && (status === 'scheduled' || status === 'initiated'),
  },
  documents: {
    expired: (document, context) => isInUse(document) && isBefore(document['expiryDate'], context),
    expiringWithin: (document, context) =>
      isInUse(document) && isWithin(document['expiryDate'], context, context.days ?? 30),
  },
}
