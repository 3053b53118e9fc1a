import type { ViewCondition } from './views/conditions.ts'
import { delayedBy, wasOnTheWay } from './views/logistics.ts'

/** The path of the figures of the day, below the base path of the query API. */
export const todayPath = '/brands/{brand}/today'
export const todayOperation = 'today'

/** How many days before today a figure of recent records goes back, today included. */
const recentDays = 6

/** How many days ago a figure is compared with. */
export const comparedDays = 7

/**
 * How a figure of a week ago is known. Statuses, estimates and stock levels are not kept when they
 * change, so that a view on an earlier day would be a guess for most figures.
 */
export type WeekAgo =
  /** The figure is of the last days, by a date that stays: the same of the days before. */
  | { readonly from: 'period' }
  /**
   * By dates that stay: the records that fulfil `where`, in which days count from the day a week ago.
   * It is not known while a record fulfils `unknown`: one that changed since then, without the dates.
   */
  | { readonly from: 'dates'; readonly where: ViewCondition; readonly unknown: ViewCondition }

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
  /** The records with the earliest dates of the view, and what is shown of each; null for none. */
  readonly first: FirstRecords | null
  /** Whether the figure says how long ago the dates were: the greatest and the median of the days. */
  readonly hasDays: boolean
  /** Null where it is not known. */
  readonly weekAgo: WeekAgo | null
}

export interface FirstRecords {
  /** An amount in the currency of the record. */
  readonly amount: string | null
  /** A number of pieces. */
  readonly quantity: string | null
  /** The date of a record: that of the first condition it fulfils. Default: the dates of the view. */
  readonly dates?: readonly { readonly field: string; readonly where: ViewCondition }[]
}

/** How many of the records with the earliest dates are named. */
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
    weekAgo: null,
  },
  ordersLate: {
    group: 'orders',
    view: 'late',
    summary: 'Orders that should have left the supplier before today.',
    sum: ['totalQuantity', 'totalAmount'],
    first: orderParts,
    hasDays: true,
    weekAgo: null,
  },
  ordersDueThisWeek: {
    group: 'orders',
    view: 'dueThisWeek',
    summary: 'Orders that should leave the supplier from today to Sunday.',
    sum: ['totalQuantity', 'totalAmount'],
    first: orderParts,
    hasDays: false,
    weekAgo: null,
  },
  productionBehindPlan: {
    group: 'production-runs',
    view: 'behindPlan',
    summary:
      'Production runs that have not left the factory although the date of their order has passed.',
    sum: [],
    first: null,
    hasDays: false,
    weekAgo: null,
  },
  shipmentsOnTheWay: {
    group: 'shipments',
    view: 'onTheWay',
    summary: 'Shipments that have departed and are not delivered yet.',
    sum: cargo,
    first: shipmentParts,
    hasDays: false,
    weekAgo: { from: 'dates', ...wasOnTheWay },
  },
  shipmentsArrivingThisWeek: {
    group: 'shipments',
    view: 'arrivingThisWeek',
    summary: 'Shipments whose estimated arrival is from today to Sunday.',
    sum: cargo,
    first: shipmentParts,
    hasDays: false,
    weekAgo: null,
  },
  shipmentsDelayed: {
    group: 'shipments',
    view: 'delayed',
    summary: 'Shipments that are past their estimated departure or arrival.',
    sum: cargo,
    first: { ...shipmentParts, dates: delayedBy },
    hasDays: false,
    weekAgo: null,
  },
  receiptsShort: {
    group: 'goods-receipts',
    view: 'short',
    summary: 'Goods receipts of the last seven days with fewer pieces than expected.',
    since: { field: 'receivedAt', days: recentDays },
    sum: [],
    first: null,
    hasDays: false,
    weekAgo: { from: 'period' },
  },
  receiptsDamaged: {
    group: 'goods-receipts',
    view: 'damaged',
    summary: 'Goods receipts of the last seven days with damaged pieces.',
    since: { field: 'receivedAt', days: recentDays },
    sum: [],
    first: null,
    hasDays: false,
    weekAgo: { from: 'period' },
  },
  invoicesOverdue: {
    group: 'invoices',
    view: 'overdue',
    summary: 'Unpaid invoices that were due before today.',
    sum: ['balanceAmount'],
    first: invoiceParts,
    hasDays: true,
    weekAgo: null,
  },
  invoicesDueThisWeek: {
    group: 'invoices',
    view: 'dueThisWeek',
    summary: 'Unpaid invoices that are due from today to Sunday.',
    sum: ['balanceAmount'],
    first: invoiceParts,
    hasDays: false,
    weekAgo: null,
  },
  invoicesDueIn30Days: {
    group: 'invoices',
    view: 'dueWithin',
    summary: 'Unpaid invoices that are due from today to 30 days after today.',
    parameters: { days: 30 },
    sum: ['balanceAmount'],
    first: invoiceParts,
    hasDays: false,
    weekAgo: null,
  },
  milestonesReachedUnpaid: {
    group: 'payment-milestones',
    view: 'reachedUnpaid',
    summary: 'Payment milestones whose trigger has occurred and that are not paid in full.',
    sum: ['amount'],
    first: { amount: 'amount', quantity: null },
    hasDays: false,
    weekAgo: null,
  },
  stockOut: {
    group: 'inventory',
    view: 'out',
    summary: 'Stock levels without an available piece.',
    sum: ['incomingQuantity'],
    first: null,
    hasDays: false,
    weekAgo: null,
  },
  stockBelowReserved: {
    group: 'inventory',
    view: 'belowReserved',
    summary: 'Stock levels with fewer available pieces than are reserved.',
    sum: ['availableQuantity', 'reservedQuantity'],
    first: null,
    hasDays: false,
    weekAgo: null,
  },
  stockIncoming: {
    group: 'inventory',
    view: 'incoming',
    summary: 'Stock levels with pieces on their way.',
    sum: ['incomingQuantity'],
    first: null,
    hasDays: false,
    weekAgo: null,
  },
} as const satisfies { readonly [name: string]: FigureDefinition }
