import { count, minus, orZero, over, plus, sum, unequal, whole } from '../amount.ts'
import { all, any, differ, is, isNot, missing, present, same } from '../condition.ts'
import { detailText, find } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { derived, join, leftJoin, none, notDeleted, row } from '../source.ts'
import { type Sql, sql } from '../sql.ts'

const shipment = row('shipments', 'shipment')
const item = row('shipment-items', 'item')
const receipt = row('goods-receipts', 'receipt')
const receiptLine = row('goods-receipt-lines', 'receiptLine')
const place = row('brand-locations', 'place')
const lineage = row('shipment-item-lineages', 'lineage')
const stock = row('inventory', 'stock')

/** A receipt that is neither deleted nor cancelled. */
const validReceipt = all(notDeleted(receipt), isNot(receipt.status, 'cancelled'))

const received = derived('received', {
  from: receiptLine,
  join: [join(receipt, all(same(receipt.id, receiptLine.goodsReceiptId), validReceipt))],
  where: present(receiptLine.shipmentItemId),
  columns: { itemId: receiptLine.shipmentItemId, quantity: sum(receiptLine.receivedQuantity) },
  group: [receiptLine.shipmentItemId],
})

/** The quantity that was forwarded to another shipment and may have been received there. */
const forwarded = derived('forwarded', {
  from: lineage,
  where: is(lineage.kind, 'forward'),
  columns: { itemId: lineage.sourceShipmentItemId, quantity: sum(lineage.quantity) },
  group: [lineage.sourceShipmentItemId],
})

const staying = minus(item.quantity, orZero(forwarded.quantity))

const receivesNoGoods = (locationId: Sql): Sql =>
  none({
    from: place,
    where: all(same(place.locationId, locationId), place.receivesGoods, notDeleted(place)),
  })

const completed = derived('completed', {
  from: receipt,
  where: all(notDeleted(receipt), is(receipt.status, 'completed'), present(receipt.shipmentId)),
  columns: {
    shipmentId: receipt.shipmentId,
    count,
    firstAt: sql`min(${receipt.receivedAt})`,
  },
  group: [receipt.shipmentId],
})

const parts = plus(
  stock.availableQuantity,
  stock.reservedQuantity,
  stock.damagedQuantity,
  stock.qualityHoldQuantity,
)

const arrived = derived('arrived', {
  from: receiptLine,
  join: [join(receipt, all(same(receipt.id, receiptLine.goodsReceiptId), validReceipt))],
  columns: {
    skuId: receiptLine.skuId,
    locationId: receipt.locationId,
    quantity: sum(receiptLine.receivedQuantity),
  },
  group: [receiptLine.skuId, receipt.locationId],
})

/** RCV-01 to RCV-04, INV-01 and INV-02: received goods and stock. */
export const receivingRules: readonly Rule[] = [
  rule(
    'RCV-01',
    'error',
    ['goods-receipt-lines'],
    'Damaged plus rejected is at most received; a discrepancy or damage has a reason.',
    'Ask the warehouse for the reason of the difference, or for a new count.',
    find({
      from: receiptLine,
      where: over(
        plus(receiptLine.damagedQuantity, receiptLine.rejectedQuantity),
        receiptLine.receivedQuantity,
      ),
      detail: detailText`received ${receiptLine.receivedQuantity}, damaged ${receiptLine.damagedQuantity}, rejected ${receiptLine.rejectedQuantity}`,
    }),
    find({
      from: receiptLine,
      where: all(
        missing(receiptLine.discrepancyReason),
        any(
          unequal(receiptLine.receivedQuantity, receiptLine.expectedQuantity),
          over(receiptLine.damagedQuantity, whole(0)),
        ),
      ),
      detail: detailText`expected ${receiptLine.expectedQuantity}, received ${receiptLine.receivedQuantity}, damaged ${receiptLine.damagedQuantity}, without a reason`,
    }),
  ),
  rule(
    'RCV-02',
    'warning',
    ['goods-receipt-lines', 'shipment-items'],
    'Receipts of a shipment item add up to what was shipped (a difference is a short or over delivery, not a data error).',
    'Claim missing pieces from the supplier or the forwarder, and ask for a credit note.',
    find({
      from: item,
      join: [
        join(shipment, same(shipment.id, item.shipmentId)),
        leftJoin(received, same(received.itemId, item.id)),
        leftJoin(forwarded, same(forwarded.itemId, item.id)),
      ],
      // Until the shipment is received, the rest may still arrive.
      where: any(
        over(received.quantity, item.quantity),
        all(
          is(shipment.status, 'received'),
          notDeleted(shipment),
          unequal(orZero(received.quantity), item.quantity),
          unequal(orZero(received.quantity), staying),
        ),
      ),
      detail: detailText`shipped ${item.quantity}, received ${orZero(received.quantity)}`,
    }),
  ),
  rule(
    'RCV-03',
    'error',
    ['goods-receipts', 'brand-locations'],
    'Goods are received at a location that receives goods and is the destination of the shipment; the item of a line belongs to the shipment of the receipt.',
    'Correct the location or the shipment of the receipt, or let the location receive goods.',
    find({
      from: receipt,
      where: all(validReceipt, receivesNoGoods(receipt.locationId)),
      detail: detailText`received at ${receipt.locationId}, which does not receive goods`,
    }),
    find({
      from: receipt,
      join: [join(shipment, same(shipment.id, receipt.shipmentId))],
      where: all(validReceipt, differ(shipment.destinationLocationId, receipt.locationId)),
      detail: detailText`received at ${receipt.locationId}, shipment ${shipment.shipmentNumber} goes to ${shipment.destinationLocationId}`,
    }),
    find({
      from: receiptLine,
      join: [
        join(receipt, all(same(receipt.id, receiptLine.goodsReceiptId), validReceipt)),
        join(item, same(item.id, receiptLine.shipmentItemId)),
      ],
      where: differ(item.shipmentId, receipt.shipmentId),
      detail: detailText`on receipt ${receipt.receiptNumber} of shipment ${receipt.shipmentId}, its item is on ${item.shipmentId}`,
    }),
  ),
  rule(
    'RCV-04',
    'error',
    ['shipments', 'goods-receipts'],
    'A received shipment has a completed receipt that is not earlier than its delivery.',
    'Complete the receipt, or correct its time or the status of the shipment.',
    find({
      from: shipment,
      join: [leftJoin(completed, same(completed.shipmentId, shipment.id))],
      where: all(
        is(shipment.status, 'received'),
        any(missing(completed.count), sql`${completed.firstAt} < ${shipment.deliveredAt}`),
      ),
      detail: detailText`delivered ${shipment.deliveredAt}, completed receipts: ${orZero(completed.count)}, the first ${completed.firstAt}`,
    }),
  ),
  rule(
    'INV-01',
    'error',
    ['inventory'],
    'onHand = available + reserved + damaged + quality hold, all at least 0, at a location of the brand that receives goods.',
    'Count the stock again, and correct its parts.',
    find({
      from: stock,
      where: any(
        unequal(stock.onHandQuantity, parts),
        sql`${stock.onHandQuantity} < 0`,
        sql`${stock.availableQuantity} < 0`,
        sql`${stock.reservedQuantity} < 0`,
        sql`${stock.damagedQuantity} < 0`,
        sql`${stock.qualityHoldQuantity} < 0`,
      ),
      detail: detailText`${stock.onHandQuantity} on hand, ${stock.availableQuantity} available, ${stock.reservedQuantity} reserved, ${stock.damagedQuantity} damaged, ${stock.qualityHoldQuantity} on hold`,
    }),
    find({
      from: stock,
      where: receivesNoGoods(stock.locationId),
      detail: detailText`stored at ${stock.locationId}, which does not receive goods`,
    }),
  ),
  rule(
    'INV-02',
    'warning',
    ['inventory', 'goods-receipt-lines'],
    'The stock of a SKU at a location is at most the quantity received there (if the brand records no other inflow).',
    'Look for a missing receipt or transfer, or count the stock again.',
    find({
      from: stock,
      join: [
        leftJoin(
          arrived,
          all(same(arrived.skuId, stock.skuId), same(arrived.locationId, stock.locationId)),
        ),
      ],
      where: over(stock.onHandQuantity, orZero(arrived.quantity)),
      detail: detailText`holds ${stock.onHandQuantity}, received ${orZero(arrived.quantity)}`,
    }),
  ),
]
