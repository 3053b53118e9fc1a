import {
  all,
  any,
  is,
  missing,
  not,
  notDeleted,
  oneOf,
  present,
  referred,
} from '../views/conditions.ts'
import type { DocumentCondition, DocumentPath, RowFigures, SectionSource } from './document.ts'

/*
 * The pieces that count at each stage. Deleted, cancelled, void and retracted records do not count.
 */

/** Neither cancelled nor deleted. */
export const active = all(not(is('status', 'eq', 'cancelled')), notDeleted)

export const placedOrder = all(
  not(oneOf('status', ['draft', 'cancelled'])),
  missing('cancelledAt'),
  notDeleted,
)

/** Belongs to a placed order. */
export const ofPlacedOrder = referred('orderId', 'orders', placedOrder)

/** A production run that was not retracted. */
export const activeRun = missing('retractedAt')

export const ofRun = referred('productionRunId', 'production-runs', activeRun)

/** Actually counted, not only planned: a person counted it, or the batch has left the factory. */
const wasMade = all(
  ofRun,
  any(
    not(is('source', 'eq', 'plan')),
    referred('productionRunId', 'production-runs', present('actualExFactoryDate')),
  ),
)

/** The statuses of a shipment that has departed. */
export const departed = ['in_transit', 'customs', 'arrived', 'delivered', 'received']

/** On a departed shipment; a booked one may still change. */
const wasShipped = all(
  notDeleted,
  referred('shipmentId', 'shipments', all(oneOf('status', departed), notDeleted)),
)

export const ofReceipt = referred('goodsReceiptId', 'goods-receipts', active)

export const activeInvoice = all(not(is('status', 'eq', 'void')), notDeleted)

const invoicedGoods = all(
  is('kind', 'eq', 'goods'),
  referred('invoiceId', 'invoices', all(activeInvoice, not(is('kind', 'eq', 'credit_note')))),
)

/** Goods that were forwarded from a shipment that counts, and so are on two, count once. */
const forwarded = all(
  is('kind', 'eq', 'forward'),
  referred('sourceShipmentItemId', 'shipment-items', all(present('orderItemId'), wasShipped)),
)

const shipped: DocumentPath = [{ to: 'shipment-items', by: 'orderItemId', where: wasShipped }]

/** The pieces of an order item at each stage. */
export const orderItemFigures: RowFigures = {
  ordered: { path: [], field: 'qty' },
  made: {
    path: [{ to: 'production-run-items', by: 'orderItemId', where: wasMade }],
    field: 'quantity',
  },
  shipped: {
    path: shipped,
    field: 'quantity',
    less: {
      path: [
        ...shipped,
        { to: 'shipment-item-lineages', by: 'targetShipmentItemId', where: forwarded },
      ],
      field: 'quantity',
    },
  },
  received: {
    path: [{ to: 'goods-receipt-lines', by: 'orderItemId', where: ofReceipt }],
    field: 'receivedQuantity',
  },
  damaged: {
    path: [{ to: 'goods-receipt-lines', by: 'orderItemId', where: ofReceipt }],
    field: 'damagedQuantity',
  },
  invoiced: {
    path: [{ to: 'invoice-lines', by: 'orderItemId', where: invoicedGoods }],
    field: 'quantity',
  },
}

/** The counts of a receipt's lines, or of those that fulfil a condition. */
export const receiptFigures = (where?: DocumentCondition): RowFigures => {
  const path: DocumentPath = [
    { to: 'goods-receipt-lines', by: 'goodsReceiptId', ...(where && { where }) },
  ]
  return {
    expected: { path, field: 'expectedQuantity' },
    received: { path, field: 'receivedQuantity' },
    damaged: { path, field: 'damagedQuantity' },
  }
}

/** Receipt lines with a reason for a difference in the count. */
export const discrepanciesOf = (path: DocumentPath, by: string): SectionSource => ({
  path: [
    ...path,
    { to: 'goods-receipt-lines', by, where: all(ofReceipt, present('discrepancyReason')) },
  ],
  include: ['goodsReceipt', 'sku'],
  goods: { sku: 'skuId' },
})

/** A settlement that was not reversed. */
export const settled = missing('reversedAt')

/** Orders that were placed and not yet received. */
export const openOrder = all(
  oneOf('status', ['sent', 'confirmed', 'in_production', 'partially_shipped', 'shipped']),
  placedOrder,
)

/** Orders that are complete. */
export const settledOrder = all(oneOf('status', ['received', 'closed']), placedOrder)

/** Shipments that have not reached their destination. */
export const openShipment = all(
  oneOf('status', ['planned', 'booked', 'ready', 'in_transit', 'customs', 'arrived']),
  notDeleted,
)
