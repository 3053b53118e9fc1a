import {
  apart,
  count,
  countPresent,
  minus,
  orZero,
  over,
  shiftedBy,
  sum,
  times,
  unequal,
} from '../amount.ts'
import { all, any, differ, is, isNot, missing, oneOf, present, same } from '../condition.ts'
import { detailText, find } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, firstOf, join, leftJoin, notDeleted, row, some } from '../source.ts'
import { sql } from '../sql.ts'
import { shippedItem, shippedOnly } from './shipped.ts'

const shipment = row('shipments', 'shipment')
const item = row('shipment-items', 'item')
const bookingItem = row('booking-items', 'bookingItem')
const orderItem = row('order-items', 'orderItem')
const runItem = row('production-run-items', 'runItem')
const orderShipment = row('order-shipments', 'orderShipment')
const lineage = row('shipment-item-lineages', 'lineage')
const carton = row('shipment-cartons', 'carton')
const cartonItem = row('shipment-carton-items', 'cartonItem')

/** SKU, order item and run item agree if they are present. */
const itemsAgree = (each: typeof item | typeof bookingItem) =>
  find({
    from: each,
    join: [
      leftJoin(runItem, same(runItem.id, each.productionRunItemId)),
      leftJoin(
        orderItem,
        sql`${orderItem.id} = coalesce(${each.orderItemId}, ${runItem.orderItemId})`,
      ),
    ],
    where: any(differ(runItem.orderItemId, each.orderItemId), differ(orderItem.skuId, each.skuId)),
    detail: detailText`SKU ${each.skuId} of order item ${each.orderItemId}, the run item has order item ${runItem.orderItemId}, the order item has SKU ${orderItem.skuId}`,
  })

/** The pairs of order and shipment that follow from shipment items. */
const pair = derived('pair', {
  from: item,
  join: [join(orderItem, same(orderItem.id, item.orderItemId))],
  where: notDeleted(item),
  columns: {
    orderId: orderItem.orderId,
    shipmentId: item.shipmentId,
    itemId: firstOf(item.id),
  },
  group: [orderItem.orderId, item.shipmentId],
})

/** The quantity of an item that was forwarded from another item after arrival. */
const forwarded = derived('forwarded', {
  from: lineage,
  where: is(lineage.kind, 'forward'),
  columns: { itemId: lineage.targetShipmentItemId, quantity: sum(lineage.quantity) },
  group: [lineage.targetShipmentItemId],
})

const shipped = derived('shippedOfRun', {
  from: shippedItem,
  join: [...shippedOnly, leftJoin(forwarded, same(forwarded.itemId, shippedItem.id))],
  columns: {
    runItemId: shippedItem.productionRunItemId,
    quantity: sum(minus(shippedItem.quantity, orZero(forwarded.quantity))),
  },
  group: [shippedItem.productionRunItemId],
})

const packed = derived('packed', {
  from: cartonItem,
  columns: { itemId: cartonItem.shipmentItemId, quantity: sum(cartonItem.quantity) },
  group: [cartonItem.shipmentItemId],
})

const hasLeft = any(
  present(shipment.actualDepartureAt),
  oneOf(shipment.status, ['in_transit', 'customs', 'arrived', 'delivered', 'received']),
)

const boxVolume = shiftedBy(times(carton.lengthCm, carton.widthCm, carton.heightCm), 6)

const itemTotals = derived('itemTotals', {
  from: item,
  where: notDeleted(item),
  columns: { shipmentId: item.shipmentId, quantity: sum(item.quantity) },
  group: [item.shipmentId],
})

const cartonTotals = derived('cartonTotals', {
  from: carton,
  columns: {
    shipmentId: carton.shipmentId,
    cartons: count,
    net: sum(carton.netWeightKg),
    netKnown: countPresent(carton.netWeightKg),
    gross: sum(carton.grossWeightKg),
    grossKnown: countPresent(carton.grossWeightKg),
    volume: sum(carton.volumeCbm),
    volumeKnown: countPresent(carton.volumeCbm),
  },
  group: [carton.shipmentId],
})

/** SHP-01 to SHP-07: shipments, their items and cartons. */
export const cargoRules: readonly Rule[] = [
  rule(
    'SHP-01',
    'error',
    ['shipment-items', 'booking-items'],
    'SKU, order item and run item of a shipment item or booking item are consistent.',
    'Correct the SKU, the order item or the run item of the line.',
    itemsAgree(item),
    itemsAgree(bookingItem),
  ),
  rule(
    'SHP-02',
    'error',
    ['order-shipments', 'shipment-items'],
    'order-shipments contains exactly the pairs that follow from the shipment items.',
    'Add the missing pair of order and shipment, or delete the one that has no items.',
    find({
      from: orderShipment,
      join: [
        leftJoin(
          pair,
          all(
            same(pair.orderId, orderShipment.orderId),
            same(pair.shipmentId, orderShipment.shipmentId),
          ),
        ),
      ],
      where: missing(pair.orderId),
      detail: detailText`no item of shipment ${orderShipment.shipmentId} belongs to order ${orderShipment.orderId}`,
    }),
    find({
      from: pair,
      names: ['shipment-items', pair.itemId],
      join: [
        leftJoin(
          orderShipment,
          all(
            same(orderShipment.orderId, pair.orderId),
            same(orderShipment.shipmentId, pair.shipmentId),
          ),
        ),
      ],
      where: missing(orderShipment.orderId),
      detail: detailText`order-shipments lacks order ${pair.orderId} on shipment ${pair.shipmentId}`,
    }),
  ),
  rule(
    'SHP-03',
    'error',
    ['shipment-items', 'production-run-items'],
    'The shipped quantity of a run item is at most the quantity made (forwarded goods are counted once).',
    'Compare the packing list with the production report, then correct the shipped or the made quantity.',
    find({
      from: runItem,
      join: [join(shipped, same(shipped.runItemId, runItem.id))],
      where: over(shipped.quantity, runItem.quantity),
      detail: detailText`made ${runItem.quantity}, shipped ${shipped.quantity}`,
    }),
  ),
  rule(
    'SHP-04',
    'error',
    ['shipment-carton-items', 'shipment-items'],
    'Cartons contain at most the quantity of a shipment item, and exactly that quantity once the shipment has left.',
    'Compare the cartons with the packing list, then correct the cartons or the shipment item.',
    find({
      from: item,
      join: [
        join(shipment, same(shipment.id, item.shipmentId)),
        leftJoin(packed, same(packed.itemId, item.id)),
      ],
      where: any(
        over(packed.quantity, item.quantity),
        all(
          unequal(orZero(packed.quantity), item.quantity),
          hasLeft,
          notDeleted(shipment),
          isNot(shipment.status, 'cancelled'),
          // A shipment without recorded cartons contradicts nothing.
          some({ from: carton, where: same(carton.shipmentId, item.shipmentId) }),
        ),
      ),
      detail: detailText`quantity ${item.quantity}, in cartons ${orZero(packed.quantity)}, the shipment is ${shipment.status}`,
    }),
  ),
  rule(
    'SHP-05',
    'error',
    ['shipment-carton-items'],
    'A carton and the shipment item in it belong to the same shipment and have the same SKU.',
    'Move the item to a carton of its own shipment, or correct its SKU.',
    find({
      from: cartonItem,
      join: [
        join(carton, same(carton.id, cartonItem.shipmentCartonId)),
        join(item, same(item.id, cartonItem.shipmentItemId)),
      ],
      where: any(differ(carton.shipmentId, item.shipmentId), differ(cartonItem.skuId, item.skuId)),
      detail: detailText`carton on shipment ${carton.shipmentId} with SKU ${cartonItem.skuId}, item on ${item.shipmentId} with ${item.skuId}`,
    }),
  ),
  rule(
    'SHP-06',
    'error',
    ['shipment-cartons'],
    'The gross weight of a carton is at least its net weight, and its volume is the product of its sides.',
    'Ask the supplier for the right weights and measures of the carton.',
    find({
      from: carton,
      where: over(carton.netWeightKg, carton.grossWeightKg),
      detail: detailText`gross ${carton.grossWeightKg} kg, net ${carton.netWeightKg} kg`,
    }),
    find({
      from: carton,
      where: apart(carton.volumeCbm, boxVolume, 6),
      detail: detailText`volumeCbm is ${carton.volumeCbm}, the sides give ${boxVolume}`,
    }),
  ),
  rule(
    'SHP-07',
    'error',
    ['shipments', 'shipment-items', 'shipment-cartons'],
    "A shipment's totals are the sums of its items and cartons.",
    'Recalculate the totals of the shipment from its items and cartons.',
    find({
      from: shipment,
      join: [leftJoin(itemTotals, same(itemTotals.shipmentId, shipment.id))],
      where: unequal(shipment.totalQuantity, orZero(itemTotals.quantity)),
      detail: detailText`totalQuantity is ${shipment.totalQuantity}, its items add up to ${orZero(itemTotals.quantity)}`,
    }),
    find({
      from: shipment,
      join: [join(cartonTotals, same(cartonTotals.shipmentId, shipment.id))],
      // A sum is known only if every carton has the value.
      where: any(
        unequal(shipment.totalCartons, cartonTotals.cartons),
        all(
          apart(shipment.netWeightKg, cartonTotals.net, 3),
          same(cartonTotals.netKnown, cartonTotals.cartons),
        ),
        all(
          apart(shipment.grossWeightKg, cartonTotals.gross, 3),
          same(cartonTotals.grossKnown, cartonTotals.cartons),
        ),
        all(
          apart(shipment.volumeCbm, cartonTotals.volume, 3),
          same(cartonTotals.volumeKnown, cartonTotals.cartons),
        ),
      ),
      detail: detailText`totals are cartons ${shipment.totalCartons}, net ${shipment.netWeightKg} kg, gross ${shipment.grossWeightKg} kg, ${shipment.volumeCbm} m3; its cartons add up to ${cartonTotals.cartons}, ${cartonTotals.net}, ${cartonTotals.gross}, ${cartonTotals.volume}`,
    }),
  ),
]
