/** The path of the figures of the day, below the base path of the query API. */
export const todayPath = '/brands/{brand}/today'
export const todayOperation = 'today'

/** How many days before today a figure of recent records goes back, today included. */
const recentDays = 6

/** A figure of the day: how many records are in a view, and what they add up to. */
export interface FigureDefinition {
  readonly group: string
  readonly view: string
  readonly summary: string
  /** Values of the view's parameters. */
  readonly parameters?: { readonly [name: string]: number }
  /** Only records with a time of this field from so many days before today on. */
  readonly since?: { readonly field: string; readonly days: number }
  readonly sum: readonly string[]
  /** Whether the record with the earliest date of the view is named. */
  readonly hasEarliest: boolean
}

/** The figures of the day, in order. Each is the total of a list of the query API. */
export const todayFigures = {
  ordersOpen: {
    group: 'orders',
    view: 'open',
    summary: 'Orders that are not received yet.',
    sum: ['totalQuantity', 'totalAmount'],
    hasEarliest: false,
  },
  ordersLate: {
    group: 'orders',
    view: 'late',
    summary: 'Orders that should have left the supplier before today.',
    sum: ['totalQuantity', 'totalAmount'],
    hasEarliest: true,
  },
  ordersDueThisWeek: {
    group: 'orders',
    view: 'dueThisWeek',
    summary: 'Orders that should leave the supplier from today to Sunday.',
    sum: ['totalQuantity', 'totalAmount'],
    hasEarliest: true,
  },
  productionBehindPlan: {
    group: 'production-runs',
    view: 'behindPlan',
    summary:
      'Production runs that have not left the factory although the date of their order has passed.',
    sum: [],
    hasEarliest: false,
  },
  shipmentsOnTheWay: {
    group: 'shipments',
    view: 'onTheWay',
    summary: 'Shipments that have departed and are not delivered yet.',
    sum: ['totalQuantity', 'totalCartons', 'volumeCbm'],
    hasEarliest: true,
  },
  shipmentsArrivingThisWeek: {
    group: 'shipments',
    view: 'arrivingThisWeek',
    summary: 'Shipments whose estimated arrival is from today to Sunday.',
    sum: ['totalQuantity', 'totalCartons', 'volumeCbm'],
    hasEarliest: true,
  },
  shipmentsDelayed: {
    group: 'shipments',
    view: 'delayed',
    summary: 'Shipments that are past their estimated departure or arrival.',
    sum: ['totalQuantity', 'totalCartons', 'volumeCbm'],
    hasEarliest: true,
  },
  receiptsShort: {
    group: 'goods-receipts',
    view: 'short',
    summary: 'Goods receipts of the last seven days with fewer pieces than expected.',
    since: { field: 'receivedAt', days: recentDays },
    sum: [],
    hasEarliest: false,
  },
  receiptsDamaged: {
    group: 'goods-receipts',
    view: 'damaged',
    summary: 'Goods receipts of the last seven days with damaged pieces.',
    since: { field: 'receivedAt', days: recentDays },
    sum: [],
    hasEarliest: false,
  },
  invoicesOverdue: {
    group: 'invoices',
    view: 'overdue',
    summary: 'Unpaid invoices that were due before today.',
    sum: ['balanceAmount'],
    hasEarliest: true,
  },
  invoicesDueThisWeek: {
    group: 'invoices',
    view: 'dueThisWeek',
    summary: 'Unpaid invoices that are due from today to Sunday.',
    sum: ['balanceAmount'],
    hasEarliest: true,
  },
  invoicesDueIn30Days: {
    group: 'invoices',
    view: 'dueWithin',
    summary: 'Unpaid invoices that are due from today to 30 days after today.',
    parameters: { days: 30 },
    sum: ['balanceAmount'],
    hasEarliest: true,
  },
  milestonesReachedUnpaid: {
    group: 'payment-milestones',
    view: 'reachedUnpaid',
    summary: 'Payment milestones whose trigger has occurred and that are not paid in full.',
    sum: ['amount'],
    hasEarliest: true,
  },
  stockOut: {
    group: 'inventory',
    view: 'out',
    summary: 'Stock levels without an available piece.',
    sum: ['incomingQuantity'],
    hasEarliest: false,
  },
  stockBelowReserved: {
    group: 'inventory',
    view: 'belowReserved',
    summary: 'Stock levels with fewer available pieces than are reserved.',
    sum: ['availableQuantity', 'reservedQuantity'],
    hasEarliest: false,
  },
  stockIncoming: {
    group: 'inventory',
    view: 'incoming',
    summary: 'Stock levels with pieces on their way.',
    sum: ['incomingQuantity'],
    hasEarliest: false,
  },
} as const satisfies { readonly [name: string]: FigureDefinition }
