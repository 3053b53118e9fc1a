import type { ViewDefinition } from '../view.ts'
import {
  all,
  any,
  beforeToday,
  compared,
  is,
  missing,
  not,
  notDeleted,
  oneOf,
  present,
  referred,
  restOfWeek,
  some,
  type ViewCondition,
} from './conditions.ts'

/** Not at its destination yet. */
const undelivered = all(
  oneOf('status', ['planned', 'booked', 'ready', 'in_transit', 'customs', 'arrived']),
  notDeleted,
)

/** A departure is known from its time or from the status: systems often state only one of them. */
const departed = any(
  oneOf('status', ['in_transit', 'customs', 'arrived']),
  present('actualDepartureAt'),
)

const lateDeparture = all(
  oneOf('status', ['planned', 'booked', 'ready']),
  missing('actualDepartureAt'),
  beforeToday('estimatedDepartureAt'),
)
const lateArrival = all(missing('actualArrivalAt'), beforeToday('estimatedArrivalAt'))

/** The dates that make a shipment delayed. */
export const delayedBy = [
  { field: 'estimatedDepartureAt', where: lateDeparture },
  { field: 'estimatedArrivalAt', where: lateArrival },
]

export const shipmentViews = {
  onTheWay: {
    title: 'Shipments on the way',
    summary:
      'Shipments that have departed and are not delivered yet: status in_transit, customs or arrived, or planned, booked or ready with an actualDepartureAt.',
    where: all(undelivered, departed),
    dates: ['estimatedArrivalAt'],
  },
  delayed: {
    title: 'Delayed shipments',
    summary:
      'Shipments that are not delivered (status planned, booked, ready, in_transit, customs or arrived) and have not departed (status planned, booked or ready, no actualDepartureAt) although their estimatedDepartureAt was before today, or have not arrived (no actualArrivalAt) although their estimatedArrivalAt was before today.',
    where: all(undelivered, any(lateDeparture, lateArrival)),
    dates: ['estimatedArrivalAt', 'estimatedDepartureAt'],
  },
  arrivingThisWeek: {
    title: 'Shipments arriving this week',
    summary:
      'Shipments that are not delivered and have not arrived (status planned, booked, ready, in_transit, customs or arrived, no actualArrivalAt) and whose estimatedArrivalAt is from today to the Sunday of this week.',
    where: all(undelivered, missing('actualArrivalAt'), restOfWeek('estimatedArrivalAt')),
    dates: ['estimatedArrivalAt'],
  },
  toArrive: {
    title: 'Shipments to arrive',
    summary:
      'Shipments that are not delivered and have not arrived: status planned, booked, ready, in_transit, customs or arrived, no actualArrivalAt.',
    where: all(undelivered, missing('actualArrivalAt')),
    dates: ['estimatedArrivalAt'],
  },
  hasArrived: {
    title: 'Shipments that have arrived',
    summary: 'Shipments with an actualArrivalAt that are not deleted, in any status but cancelled.',
    where: all(
      oneOf('status', [
        'planned',
        'booked',
        'ready',
        'in_transit',
        'customs',
        'arrived',
        'delivered',
        'received',
      ]),
      notDeleted,
      present('actualArrivalAt'),
    ),
    dates: ['actualArrivalAt'],
    newestFirst: true,
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

const fewerThanExpected = compared('receivedQuantity', 'lt', 'expectedQuantity')
const isDamaged = is('damagedQuantity', 'gt', 0)
const isRejected = is('rejectedQuantity', 'gt', 0)

/** Uncounted goods are not missing goods. */
const isCompleted = all(is('status', 'eq', 'completed'), notDeleted)
const isCounted = all(oneOf('status', ['in_progress', 'completed']), notDeleted)

const withLine = (line: ViewCondition): ViewCondition =>
  some('goods-receipt-lines', 'goodsReceiptId', line)
const ofReceipt = (receipt: ViewCondition): ViewCondition =>
  referred('goodsReceiptId', 'goods-receipts', receipt)

export const goodsReceiptViews = {
  short: {
    title: 'Short receipts',
    summary:
      'Completed goods receipts with a line of which fewer pieces were received than expected: receivedQuantity is less than expectedQuantity.',
    where: all(isCompleted, withLine(fewerThanExpected)),
    dates: ['receivedAt'],
    newestFirst: true,
  },
  damaged: {
    title: 'Receipts with damage',
    summary:
      'Goods receipts with status in_progress or completed that have a line with damaged pieces: damagedQuantity is greater than 0.',
    where: all(isCounted, withLine(isDamaged)),
    dates: ['receivedAt'],
    newestFirst: true,
  },
  rejected: {
    title: 'Receipts with rejected pieces',
    summary:
      'Goods receipts with status in_progress or completed that have a line with pieces rejected for quality: rejectedQuantity is greater than 0.',
    where: all(isCounted, withLine(isRejected)),
    dates: ['receivedAt'],
    newestFirst: true,
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

export const goodsReceiptLineViews = {
  short: {
    title: 'Short receipt lines',
    summary:
      'Lines of completed goods receipts of which fewer pieces were received than expected: receivedQuantity is less than expectedQuantity.',
    where: all(fewerThanExpected, ofReceipt(isCompleted)),
  },
  damaged: {
    title: 'Receipt lines with damage',
    summary:
      'Lines of goods receipts with status in_progress or completed that have damaged pieces: damagedQuantity is greater than 0.',
    where: all(isDamaged, ofReceipt(isCounted)),
  },
  rejected: {
    title: 'Receipt lines with rejected pieces',
    summary:
      'Lines of goods receipts with status in_progress or completed that have pieces rejected for quality: rejectedQuantity is greater than 0.',
    where: all(isRejected, ofReceipt(isCounted)),
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

const isOut = is('availableQuantity', 'lte', 0)

export const inventoryViews = {
  outNothingIncoming: {
    title: 'Out of stock, nothing incoming',
    summary:
      'Stock levels without an available piece (availableQuantity is 0 or less) and without a piece on its way to the location (incomingQuantity is 0 or less).',
    where: all(isOut, is('incomingQuantity', 'lte', 0)),
  },
  out: {
    title: 'Out of stock',
    summary:
      'Stock levels without an available piece: availableQuantity is 0 or less, whatever is reserved, damaged or on hold.',
    where: isOut,
  },
  belowReserved: {
    title: 'Stock below reservations',
    summary:
      'Stock levels with fewer available pieces than are reserved already: availableQuantity is less than reservedQuantity.',
    where: compared('availableQuantity', 'lt', 'reservedQuantity'),
  },
  incoming: {
    title: 'Incoming stock',
    summary:
      'Stock levels with pieces on their way to the location: incomingQuantity is greater than 0.',
    where: is('incomingQuantity', 'gt', 0),
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

/** Only SKUs with a stock level: those that were never in stock are not out of it. */
export const skuViews = {
  outEverywhere: {
    title: 'SKUs without a piece anywhere',
    summary:
      'SKUs that have stock levels, none of which has an available piece: availableQuantity is 0 or less at every location.',
    where: all(
      notDeleted,
      some('inventory', 'skuId', isOut),
      not(some('inventory', 'skuId', is('availableQuantity', 'gt', 0))),
    ),
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

export const packingListLineViews = {
  unmatched: {
    title: 'Packing list lines to match',
    summary: 'Lines with matchStatus unmatched or mismatch, of packing lists that are not deleted.',
    where: all(
      oneOf('matchStatus', ['unmatched', 'mismatch']),
      referred('packingListId', 'packing-lists', notDeleted),
    ),
  },
} as const satisfies { readonly [name: string]: ViewDefinition }
