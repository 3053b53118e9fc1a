import type { DocumentCondition, DocumentPath } from './document.ts'
import { active, activeRun } from './pieces.ts'

/** The path of the calendar of open orders, below the base path of the query API. */
export const calendarPath = '/brands/{brand}/calendar'
export const calendarOperation = 'queryCalendar'

/** Orders of a response. The totals count all of them. */
export const calendarOrdersMax = 5_000

/** The shipments of an order. */
export const calendarShipments: DocumentPath = [
  { to: 'order-shipments', by: 'orderId' },
  { to: 'shipments', of: 'shipmentId', where: active },
]

/** The production runs of an order, with the days on which parts of it left the factory. */
export const calendarRuns: DocumentPath = [
  { to: 'production-runs', by: 'orderId', where: activeRun },
]

/** The lines of an order. */
export const calendarLines: DocumentPath = [{ to: 'order-items', by: 'orderId' }]

/** The collections and launch windows of goods that are shown. */
export const calendarLaunches: DocumentCondition = active

/** The collections that a calendar depends on. */
export const calendarCollections = [
  'orders',
  'brand',
  'suppliers',
  ...[...calendarShipments, ...calendarRuns, ...calendarLines].map(({ to }) => to),
  ...['skus', 'product-option-collections', 'product-collections', 'collections'],
  ...['product-launch-windows', 'launch-windows'],
]
