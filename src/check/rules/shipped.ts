import { all, isNot, same } from '../condition.ts'
import { join, kept, row } from '../source.ts'

/** An item on its way, and the shipment it is on. */
export const shippedItem = row('shipment-items', 'shipped')
const carrier = row('shipments', 'carrier')

/** What was shipped: neither removed nor on a shipment that was removed or cancelled. */
export const shippedOnly = [
  join(
    carrier,
    all(
      same(carrier.id, shippedItem.shipmentId),
      kept(shippedItem),
      kept(carrier),
      isNot(carrier.status, 'cancelled'),
    ),
  ),
]
