import type { ViewDefinition } from '../view.ts'
import {
  all,
  beforeToday,
  firstOf,
  missing,
  notDeleted,
  oneOf,
  referred,
  restOfWeek,
} from './conditions.ts'

/** An order with a cancellation time is cancelled, whatever its status. */
const notCancelled = all(missing('cancelledAt'), notDeleted)

/** Placed, but not everything has left the supplier. */
const atSupplier = all(
  oneOf('status', ['sent', 'confirmed', 'in_production', 'partially_shipped']),
  notCancelled,
)

/** The statuses of open orders. */
export const openOrderStatuses = [
  ...['sent', 'confirmed', 'in_production', 'partially_shipped', 'shipped'],
]

/** Placed, but not everything was received. */
const undelivered = all(oneOf('status', openOrderStatuses), notCancelled)

/** The date that the supplier confirmed; until then, the date that the brand requested. */
export const exFactory = ['confirmedExFactoryDate', 'requestedExFactoryDate']

export const orderViews = {
  open: {
    title: 'Open orders',
    summary:
      'Orders that were sent to the supplier and are not received yet: status sent, confirmed, in_production, partially_shipped or shipped, no cancelledAt.',
    where: undelivered,
    dates: exFactory,
  },
  late: {
    title: 'Late orders',
    summary:
      'Orders that have not left the supplier in full (status sent, confirmed, in_production or partially_shipped, no cancelledAt) although their confirmedExFactoryDate, or without one their requestedExFactoryDate, is before today.',
    where: all(atSupplier, firstOf(exFactory, beforeToday)),
    dates: exFactory,
  },
  dueThisWeek: {
    title: 'Orders due this week',
    summary:
      'Orders that have not left the supplier in full (status sent, confirmed, in_production or partially_shipped, no cancelledAt) and whose confirmedExFactoryDate, or without one requestedExFactoryDate, is from today to the Sunday of this week.',
    where: all(atSupplier, firstOf(exFactory, restOfWeek)),
    dates: exFactory,
  },
  deliveryLate: {
    title: 'Orders with late delivery',
    summary:
      'Orders that are not received yet (status sent, confirmed, in_production, partially_shipped or shipped, no cancelledAt) although their requestedDeliveryDate is before today.',
    where: all(undelivered, beforeToday('requestedDeliveryDate')),
    dates: ['requestedDeliveryDate'],
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

export const orderAmendmentViews = {
  pending: {
    title: 'Pending amendments',
    summary: 'Amendments that are proposed or accepted and not applied yet.',
    where: all(oneOf('status', ['proposed', 'accepted']), notDeleted),
  },
} as const satisfies { readonly [name: string]: ViewDefinition }

export const productionRunViews = {
  behindPlan: {
    title: 'Production behind plan',
    summary:
      'Production runs that have not left the factory (no actualExFactoryDate, not retracted) although the date of their order has passed: the order has status sent, confirmed, in_production or partially_shipped and no cancelledAt, and its confirmedExFactoryDate, or without one its requestedExFactoryDate, is before today.',
    where: all(
      missing('actualExFactoryDate'),
      missing('retractedAt'),
      referred('orderId', 'orders', all(atSupplier, firstOf(exFactory, beforeToday))),
    ),
  },
} as const satisfies { readonly [name: string]: ViewDefinition }
