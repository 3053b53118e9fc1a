import { apart, count, orZero, over, sum, times, unequal, whole } from '../amount.ts'
import { all, any, differ, is, present, same } from '../condition.ts'
import { detailText, find } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, none, row } from '../source.ts'

const list = row('packing-lists', 'list')
const line = row('packing-list-lines', 'line')
const carton = row('shipment-cartons', 'carton')
const cartonItem = row('shipment-carton-items', 'cartonItem')
const order = row('orders', 'order')
const orderShipment = row('order-shipments', 'orderShipment')
const shipment = row('shipments', 'shipment')
const item = row('shipment-items', 'item')

const lines = derived('lines', {
  from: line,
  columns: {
    listId: line.packingListId,
    cartons: sum(line.statedCartonCount),
    quantity: sum(line.statedQty),
    net: sum(line.statedNetWeightKg),
    gross: sum(line.statedGrossWeightKg),
    volume: sum(line.statedVolumeCbm),
  },
  group: [line.packingListId],
})

const cartons = derived('cartons', {
  from: carton,
  where: present(carton.packingListId),
  columns: { listId: carton.packingListId, count, gross: sum(carton.grossWeightKg) },
  group: [carton.packingListId],
})

const pieces = derived('pieces', {
  from: carton,
  join: [join(cartonItem, same(cartonItem.shipmentCartonId, carton.id))],
  where: present(carton.packingListId),
  columns: { listId: carton.packingListId, count: sum(cartonItem.quantity) },
  group: [carton.packingListId],
})

const packedQuantity = times(line.statedCartonCount, line.statedQtyPerCarton)

/** PKL-01 to PKL-04: packing lists. */
export const packingRules: readonly Rule[] = [
  rule(
    'PKL-01',
    'warning',
    ['packing-lists', 'packing-list-lines'],
    "A packing list's stated totals are the sums of its lines.",
    'Ask the supplier for a corrected packing list, or correct what was typed from it.',
    find({
      from: list,
      join: [join(lines, same(lines.listId, list.id))],
      where: any(
        unequal(list.statedTotalCartons, lines.cartons),
        unequal(list.statedTotalQtyPacked, lines.quantity),
        apart(list.statedNetWeightKg, lines.net, 3),
        apart(list.statedGrossWeightKg, lines.gross, 3),
        apart(list.statedVolumeCbm, lines.volume, 3),
      ),
      detail: detailText`states cartons ${list.statedTotalCartons}, pieces ${list.statedTotalQtyPacked}, net ${list.statedNetWeightKg} kg, gross ${list.statedGrossWeightKg} kg, ${list.statedVolumeCbm} m3; its lines add up to ${lines.cartons}, ${lines.quantity}, ${lines.net}, ${lines.gross}, ${lines.volume}`,
    }),
  ),
  rule(
    'PKL-02',
    'warning',
    ['packing-lists', 'shipment-cartons'],
    'A packing list matches the cartons recorded for it: number, pieces, gross weight.',
    'Count the cartons of the shipment again, and ask the supplier for a corrected packing list.',
    find({
      from: list,
      join: [
        join(cartons, same(cartons.listId, list.id)),
        leftJoin(pieces, same(pieces.listId, list.id)),
      ],
      where: any(
        unequal(list.statedTotalCartons, cartons.count),
        unequal(list.statedTotalQtyPacked, orZero(pieces.count)),
        apart(list.statedGrossWeightKg, cartons.gross, 3),
      ),
      detail: detailText`states cartons ${list.statedTotalCartons}, pieces ${list.statedTotalQtyPacked}, gross ${list.statedGrossWeightKg} kg; its cartons add up to ${cartons.count}, ${orZero(pieces.count)}, ${cartons.gross}`,
    }),
  ),
  rule(
    'PKL-03',
    'error',
    ['packing-lists'],
    'Order, shipment and supplier of a packing list are consistent.',
    'Correct the order or the shipment of the packing list.',
    find({
      from: list,
      join: [
        leftJoin(order, same(order.id, list.orderId)),
        leftJoin(shipment, same(shipment.id, list.shipmentId)),
      ],
      where: any(
        differ(order.supplierId, list.supplierId),
        differ(shipment.supplierId, list.supplierId),
      ),
      detail: detailText`supplier ${list.supplierId}, order ${order.orderNumber} has supplier ${order.supplierId}, shipment ${shipment.shipmentNumber} has ${shipment.supplierId}`,
    }),
    find({
      from: list,
      where: all(
        present(list.orderId),
        present(list.shipmentId),
        none({
          from: orderShipment,
          where: all(
            same(orderShipment.orderId, list.orderId),
            same(orderShipment.shipmentId, list.shipmentId),
          ),
        }),
      ),
      detail: detailText`order ${list.orderId} is not on shipment ${list.shipmentId}`,
    }),
  ),
  rule(
    'PKL-04',
    'warning',
    ['packing-list-lines'],
    "A line's quantity is its cartons x the quantity per carton; a matched line has the SKU of its shipment item.",
    'Compare the line with the document, and correct what was typed wrongly.',
    find({
      from: line,
      // Lines that share a carton with an earlier line state no cartons.
      where: all(over(line.statedCartonCount, whole(0)), unequal(line.statedQty, packedQuantity)),
      detail: detailText`states ${line.statedQty}, ${line.statedCartonCount} x ${line.statedQtyPerCarton} per carton is ${packedQuantity}`,
    }),
    find({
      from: line,
      join: [join(item, same(item.id, line.shipmentItemId))],
      where: all(is(line.matchStatus, 'matched'), differ(item.skuId, line.skuId)),
      detail: detailText`matched with SKU ${line.skuId}, the shipment item has ${item.skuId}`,
    }),
  ),
]
