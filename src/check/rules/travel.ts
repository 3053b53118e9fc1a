import { over, sum } from '../amount.ts'
import { all, any, differ, isNot, missing, present, same } from '../condition.ts'
import { cycle, detailText, find, numbered } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, firstOf, join, none, notDeleted, row, some, valueFrom } from '../source.ts'
import { type Sql, sql } from '../sql.ts'
import { next, previous } from '../window.ts'
import { shippedItem, shippedOnly } from './shipped.ts'

const shipment = row('shipments', 'shipment')
const item = row('shipment-items', 'item')
const bookingItem = row('booking-items', 'bookingItem')
const lineage = row('shipment-item-lineages', 'lineage')
const source = row('shipment-items', 'source')
const target = row('shipment-items', 'target')
const leg = row('legs', 'leg')
const legItem = row('leg-items', 'legItem')
const booking = row('bookings', 'booking')
const shipmentBooking = row('shipment-bookings', 'link')

const inSequence = sql`partition by ${leg.shipmentId} order by ${leg.sequence}, ${leg.id}`

/** The legs that are not cancelled, each with its neighbours. */
const stage = derived('stage', {
  from: leg,
  where: all(notDeleted(leg), isNot(leg.status, 'cancelled')),
  columns: {
    id: leg.id,
    shipmentId: leg.shipmentId,
    origin: leg.originLocationId,
    destination: leg.destinationLocationId,
    departedAt: leg.actualDepartureAt,
    before: previous(leg.id, inSequence),
    originBefore: previous(leg.destinationLocationId, inSequence),
    arrivedBefore: previous(leg.actualArrivalAt, inSequence),
    next: next(leg.id, inSequence),
  },
})

const backwards = (each: typeof leg | typeof shipment) =>
  find({
    from: each,
    where: any(
      sql`${each.actualDepartureAt} > ${each.actualArrivalAt}`,
      sql`${each.estimatedDepartureAt} > ${each.estimatedArrivalAt}`,
    ),
    detail: detailText`departs ${each.actualDepartureAt} (estimated ${each.estimatedDepartureAt}), arrives ${each.actualArrivalAt} (estimated ${each.estimatedArrivalAt})`,
  })

const booked = derived('booked', {
  from: bookingItem,
  where: present(bookingItem.orderItemId),
  columns: {
    bookingId: bookingItem.bookingId,
    orderItemId: bookingItem.orderItemId,
    quantity: sum(bookingItem.quantity),
    itemId: firstOf(bookingItem.id),
  },
  group: [bookingItem.bookingId, bookingItem.orderItemId],
})

/** The quantity of an order item on the shipments of a booking. */
const carried = valueFrom(sum(shippedItem.quantity), {
  from: shippedItem,
  join: [
    ...shippedOnly,
    join(
      shipmentBooking,
      all(
        same(shipmentBooking.shipmentId, shippedItem.shipmentId),
        same(shipmentBooking.bookingId, booked.bookingId),
      ),
    ),
  ],
  where: same(shippedItem.orderItemId, booked.orderItemId),
})

const validBooking = (bookingId: Sql) =>
  join(
    booking,
    all(
      same(booking.id, bookingId),
      notDeleted(booking),
      isNot(booking.status, 'cancelled'),
      isNot(booking.status, 'declined'),
    ),
  )

/** SHP-08 to SHP-14: legs, bookings, lineages and the direction of shipments. */
export const travelRules: readonly Rule[] = [
  rule(
    'SHP-08',
    'error',
    ['legs', 'shipments'],
    "Legs are numbered 1, 2, 3 ...; each starts where the previous leg ended; the first starts at the shipment's origin and the last ends at its destination.",
    'Renumber the legs, and make each start where the one before it ends.',
    numbered({ of: leg, within: leg.shipmentId, number: leg.sequence }),
    find({
      from: stage,
      names: ['legs', stage.id],
      join: [join(shipment, all(same(shipment.id, stage.shipmentId), notDeleted(shipment)))],
      where: any(
        differ(stage.originBefore, stage.origin),
        all(missing(stage.before), differ(stage.origin, shipment.originLocationId)),
        all(missing(stage.next), differ(stage.destination, shipment.destinationLocationId)),
      ),
      detail: detailText`from ${stage.origin} to ${stage.destination}, the previous leg ended at ${stage.originBefore}, the shipment goes from ${shipment.originLocationId} to ${shipment.destinationLocationId}`,
    }),
  ),
  rule(
    'SHP-09',
    'error',
    ['legs', 'shipments'],
    'Departures come before arrivals, and a leg does not depart before the previous leg has arrived.',
    'Ask the forwarder for the right departure and arrival times.',
    backwards(leg),
    backwards(shipment),
    find({
      from: stage,
      names: ['legs', stage.id],
      where: sql`${stage.departedAt} < ${stage.arrivedBefore}`,
      detail: detailText`left ${stage.departedAt}, the previous leg arrived ${stage.arrivedBefore}`,
    }),
  ),
  rule(
    'SHP-10',
    'error',
    ['leg-items'],
    'A leg carries items of its shipment, and at most the shipped quantity.',
    'Correct the quantity on the leg, or move the item to a leg of its own shipment.',
    find({
      from: legItem,
      join: [
        join(leg, all(same(leg.id, legItem.legId), notDeleted(leg))),
        join(item, same(item.id, legItem.shipmentItemId)),
      ],
      where: any(differ(leg.shipmentId, item.shipmentId), over(legItem.quantity, item.quantity)),
      detail: detailText`carries ${legItem.quantity} on shipment ${leg.shipmentId}, the item has ${item.quantity} on ${item.shipmentId}`,
    }),
  ),
  rule(
    'SHP-11',
    'error',
    ['legs', 'shipment-bookings'],
    'The booking of a leg is one of the bookings of its shipment.',
    'Link the booking to the shipment, or correct the booking of the leg.',
    find({
      from: leg,
      where: all(
        present(leg.bookingId),
        none({
          from: shipmentBooking,
          where: all(
            same(shipmentBooking.shipmentId, leg.shipmentId),
            same(shipmentBooking.bookingId, leg.bookingId),
          ),
        }),
      ),
      detail: detailText`booking ${leg.bookingId} does not belong to shipment ${leg.shipmentId}`,
    }),
  ),
  rule(
    'SHP-12',
    'warning',
    ['booking-items', 'shipment-items'],
    'Shipments on a booking carry at most the booked quantity of an order item.',
    'Ask the forwarder to extend the booking, or correct the booked quantity.',
    find({
      from: booked,
      names: ['booking-items', booked.itemId],
      join: [validBooking(booked.bookingId)],
      where: over(carried, booked.quantity),
      detail: detailText`booked ${booked.quantity} on ${booking.bookingNumber}, carried ${carried}`,
    }),
    find({
      from: shippedItem,
      join: [
        ...shippedOnly,
        join(shipmentBooking, same(shipmentBooking.shipmentId, shippedItem.shipmentId)),
        validBooking(shipmentBooking.bookingId),
      ],
      // A booking without items makes no statement about quantities.
      where: all(
        present(shippedItem.orderItemId),
        none({
          from: bookingItem,
          where: all(
            same(bookingItem.orderItemId, shippedItem.orderItemId),
            same(bookingItem.bookingId, shipmentBooking.bookingId),
          ),
        }),
        some({ from: bookingItem, where: same(bookingItem.bookingId, shipmentBooking.bookingId) }),
      ),
      detail: detailText`carried ${shippedItem.quantity} on ${booking.bookingNumber}, booked none`,
    }),
  ),
  rule(
    'SHP-13',
    'error',
    ['shipment-item-lineages'],
    'A lineage connects two different items of the same SKU and is at most the quantity of its target; lineages have no cycles.',
    'Correct the items or the quantity of the lineage, or delete it.',
    find({
      from: lineage,
      join: [
        join(source, same(source.id, lineage.sourceShipmentItemId)),
        join(target, same(target.id, lineage.targetShipmentItemId)),
      ],
      where: any(
        same(source.id, target.id),
        sql`${source.skuId} is distinct from ${target.skuId}`,
        over(lineage.quantity, target.quantity),
      ),
      detail: detailText`${lineage.quantity} of item ${source.id} (SKU ${source.skuId}) became part of ${target.id} (${target.quantity} of SKU ${target.skuId})`,
    }),
    cycle({
      from: lineage,
      where: differ(lineage.sourceShipmentItemId, lineage.targetShipmentItemId),
      read: [lineage.sourceShipmentItemId, lineage.targetShipmentItemId],
      detail: 'part of a circle of lineages',
    }),
  ),
  rule(
    'SHP-14',
    'warning',
    ['shipments', 'shipment-items'],
    'A shipment brings goods to the brand: it has a supplier, or items of an order or a production run.',
    'Name the supplier or the order items of the shipment. Leave out deliveries to customers: sales do not belong here.',
    find({
      from: shipment,
      where: all(
        missing(shipment.supplierId),
        none({
          from: item,
          where: all(
            same(item.shipmentId, shipment.id),
            any(present(item.orderItemId), present(item.productionRunItemId)),
          ),
        }),
      ),
      detail: detailText`no supplier, no order item and no run item`,
    }),
  ),
]
