import { all, isNot, same } from '../condition.ts'
import { join, notDeleted, row } from '../source.ts'

/** A shipped item and its shipment. */
export const shippedItem = row('shipment-items', 'shipped')
const carrier = row('shipments', 'carrier')

/** Shipped items: not deleted, and on a shipment that is neither deleted nor cancelled. */
export const shippedOnly = [
  join(
    carrier,
    all(
      same(carrier.id, shippedItem.shipmentId),
      notDeleted(shippedItem),
      notDeleted(carrier),
      isNot(carrier.status, 'cancelled'),
    ),
  ),
]
