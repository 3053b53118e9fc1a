import { all, firstOf, is } from '../views/conditions.ts'
import { exFactory } from '../views/orders.ts'
import { placedOrder } from './pieces.ts'

/** A scorecard counts orders that were due in the last days, up to this many. */
export const scorecardDays = 365

/** Maximum number of orders in a scorecard. If more were due, the most recent days count. */
export const scorecardOrders = 1_000

/** The orders that are eligible for a scorecard. */
export const scoredOrder = all(
  placedOrder,
  firstOf(exFactory, (field) =>
    all(is(field, 'gte', { day: -scorecardDays }), is(field, 'lt', { day: 0 })),
  ),
)

/** The meaning of each figure of a scorecard. */
export const scorecardFigures = {
  orders:
    'Orders that were placed and neither cancelled nor deleted, and whose confirmedExFactoryDate, or without one requestedExFactoryDate, is before today and not before from: 365 days ago, or later where more than 1,000 orders were due since then.',
  onTime:
    'Of these, orders that have left the supplier in full (status shipped, received or closed) on that date or before: the last actualExFactoryDate of their production runs.',
  late: 'Of these, orders that left later, and those that have not left yet.',
  withoutDate: 'Of these, orders that have left, but whose production runs have no date.',
  daysLate:
    'How many days the late orders were late, added up; until today where they have not left.',
  receiptLines:
    'Lines of completed goods receipts for these orders that say how many pieces were expected.',
  shortLines: 'Of these, lines with fewer pieces than expected.',
  expectedPieces: 'Pieces that were expected on these lines.',
  shortPieces: 'Pieces that were missing on the short lines.',
  prices:
    'How often a SKU of these orders was ordered again in the same currency, by order date: with a higher, a lower or the same unit price.',
  openOrders: 'Orders in the view open: how many, their pieces and their value.',
  openBalance: 'Invoices in the view unpaid: how many, and what is left to pay.',
  overdueBalance: 'The same for the view overdue.',
  disputedBalance: 'The same for the view disputed.',
} as const

/** The orders of a list of scorecards. Suppliers without the value come last. */
export const scorecardSorts = {
  onTime: 'the share of onTime in onTime and late',
  short: 'the share of shortLines in receiptLines',
  openOrders: 'the value of openOrders in the base currency',
  disputedBalance: 'disputedBalance in the base currency',
} as const

export type ScorecardSort = keyof typeof scorecardSorts

/** Maximum number of suppliers to sort by their scorecards. */
export const scoredSuppliers = 5_000

/** The collections that a scorecard counts. */
export const scorecardCollections = [
  'orders',
  'production-runs',
  'order-items',
  'goods-receipt-lines',
  'goods-receipts',
  'invoices',
]
