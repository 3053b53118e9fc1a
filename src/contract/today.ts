import type { ViewCondition } from './views/conditions.ts'
import { delayedBy } from './views/logistics.ts'

/** The path of the figures of the day, below the base path of the query API. */
export const todayPath = '/brands/{brand}/today'
export const todayOperation = 'queryToday'

/** Recent figures go back this many days before today. */
const recentDays = 6

/** Figures are compared with those of this many days ago. */
export const comparedDays = 7

/** A figure of the day: the number of records in a view, and their sums. */
export interface FigureDefinition {
  readonly group: string
  readonly view: string
  readonly summary: string
  /** Values of the view's parameters. */
  readonly parameters?: { readonly [name: string]: number }
  /**
   * Only records whose time in this field is on the day or at most `days` days before. A time in
   * the past does not change, so the figure can be computed for any day. All other figures of a
   * past day come from its snapshot: records do not keep old statuses, estimates and stock levels.
   */
  readonly since?: { readonly field: string; readonly days: number }
  readonly sum: readonly string[]
  /** The facts to show of the view's records with the earliest dates; null for none. */
  readonly first: FirstRecords | null
  /** Whether the figure includes the age of the dates: the maximum and the median, in days. */
  readonly hasDays: boolean
}

export interface FirstRecords {
  /** The field with an amount in the record's currency. */
  readonly amount: string | null
  /** The field with a number of pieces. */
  readonly quantity: string | null
  /** The date of a record: the first entry whose condition holds. Default: the view's dates. */
  readonly dates?: readonly { readonly field: string; readonly where: ViewCondition }[]
}

/** Maximum number of records with the earliest dates to list. */
export const firstMax = 3

const orderParts = { amount: 'totalAmount', quantity: 'totalQuantity' }
const shipmentParts = { amount: null, quantity: 'totalQuantity' }
const invoiceParts = { amount: 'balanceAmount', quantity: null }
const cargo = ['totalQuantity', 'totalCartons', 'volumeCbm']

/** The figures of the day, in order. Each is the total of a list of the query API. */
export const todayFigures = {
  ordersOpen: {
    group: 'orders',
    view: 'open',
    summary: 'Orders that are not received yet.',
    sum: ['totalQuantity', 'totalAmount'],
    first: null,
    hasDays: false,
  },
  ordersLate: {
    group: 'orders',
    view: 'late',
    summary: 'Orders that should have left the supplier before today.',
    sum: ['totalQuantity', 'totalAmount'],
    first: orderParts,
    hasDays: true,
  },
  ordersDueThisWeek: {
    group: 'orders',
    view: 'dueThisWeek',
    summary: 'Orders that should leave the supplier from today to Sunday.',
    sum: ['totalQuantity', 'totalAmount'],
    first: orderParts,
    hasDays: false,
  },
  productionBehindPlan: {
    group: 'production-runs',
    view: 'behindPlan',
    summary:
      'Production runs that have not left the factory although the date of their order has passed.',
    sum: [],
    first: null,
    hasDays: false,
  },
  shipmentsOnTheWay: {
    group: 'shipments',
    view: 'onTheWay',
    summary: 'Shipments that have departed and are not delivered yet.',
    sum: cargo,
    first: shipmentParts,
    hasDays: false,
  },
  shipmentsArrivingThisWeek: {
    group: 'shipments',
    view: 'arrivingThisWeek',
    summary: 'Shipments whose estimated arrival is from today to Sunday.',
    sum: cargo,
    first: shipmentParts,
    hasDays: false,
  },
  shipmentsDelayed: {
    group: 'shipments',
    view: 'delayed',
    summary: 'Shipments that are past their estimated departure or arrival.',
    sum: cargo,
    first: { ...shipmentParts, dates: delayedBy },
    hasDays: false,
  },
  receiptsShort: {
    group: 'goods-receipts',
    view: 'short',
    summary: 'Goods receipts of the last seven days with fewer pieces than expected.',
    since: { field: 'receivedAt', days: recentDays },
    sum: [],
    first: null,
    hasDays: false,
  },
  receiptsDamaged: {
    group: 'goods-receipts',
    view: 'damaged',
    summary: 'Goods receipts of the last seven days with damaged pieces.',
    since: { field: 'receivedAt', days: recentDays },
    sum: [],
    first: null,
    hasDays: false,
  },
  invoicesOverdue: {
    group: 'invoices',
    view: 'overdue',
    summary: 'Unpaid invoices that were due before today.',
    sum: ['balanceAmount'],
    first: invoiceParts,
    hasDays: true,
  },
  invoicesDueThisWeek: {
    group: 'invoices',
    view: 'dueThisWeek',
    summary: 'Unpaid invoices that are due from today to Sunday.',
    sum: ['balanceAmount'],
    first: invoiceParts,
    hasDays: false,
  },
  invoicesDueIn30Days: {
    group: 'invoices',
    view: 'dueWithin',
    summary: 'Unpaid invoices that are due from today to 30 days after today.',
    parameters: { days: 30 },
    sum: ['balanceAmount'],
    first: invoiceParts,
    hasDays: false,
  },
  milestonesReachedUnpaid: {
    group: 'payment-milestones',
    view: 'reachedUnpaid',
    summary: 'Payment milestones whose trigger has occurred and that are not paid in full.',
    sum: ['amount'],
    first: { amount: 'amount', quantity: null },
    hasDays: false,
  },
  stockOut: {
    group: 'inventory',
    view: 'out',
    summary: 'Stock levels without an available piece.',
    sum: ['incomingQuantity'],
    first: null,
    hasDays: false,
  },
  stockOutNothingIncoming: {
    group: 'inventory',
    view: 'outNothingIncoming',
    summary: 'Stock levels without an available piece, and none on its way.',
    sum: [],
    first: null,
    hasDays: false,
  },
  skusOutEverywhere: {
    group: 'skus',
    view: 'outEverywhere',
    summary: 'SKUs with stock levels, of which no location has an available piece.',
    sum: [],
    first: null,
    hasDays: false,
  },
  stockBelowReserved: {
    group: 'inventory',
    view: 'belowReserved',
    summary: 'Stock levels with fewer available pieces than are reserved.',
    sum: ['availableQuantity', 'reservedQuantity'],
    first: null,
    hasDays: false,
  },
  stockIncoming: {
    group: 'inventory',
    view: 'incoming',
    summary: 'Stock levels with pieces on their way.',
    sum: ['incomingQuantity'],
    first: null,
    hasDays: false,
  },
} as const satisfies { readonly [name: string]: FigureDefinition }
