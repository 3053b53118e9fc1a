import { notDeleted } from '../views/conditions.ts'
import type { DocumentPath, DocumentSource, RowFigures } from './document.ts'
import { active, activeInvoice, departed, ofReceipt, receiptFigures } from './pieces.ts'

const items: DocumentPath = [{ to: 'shipment-items', by: 'shipmentId', where: notDeleted }]
const invoices: DocumentPath = [{ to: 'invoices', by: 'shipmentId', where: activeInvoice }]

const counted: DocumentPath = [
  { to: 'goods-receipt-lines', by: 'shipmentItemId', where: ofReceipt },
]

const itemFigures: RowFigures = {
  ordered: { path: [{ to: 'order-items', of: 'orderItemId' }], field: 'qty' },
  shipped: { path: [], field: 'quantity' },
  received: { path: counted, field: 'receivedQuantity' },
  damaged: { path: counted, field: 'damagedQuantity' },
}

const undelivered = ['planned', 'booked', 'ready', 'in_transit', 'customs', 'arrived']

export const shipmentDocument: DocumentSource = {
  group: 'shipments',
  summary:
    'A shipment with its items, orders, legs, bookings, cartons, packing lists, receipts, charges, invoices, notes and documents.',
  lines: { path: items, figures: itemFigures },
  progress: {
    packed: {
      pieces: 'shipped',
      planned: { fields: ['cargoReadyDate'] },
      doneWhen: ['ready', ...departed],
    },
    shipped: {
      planned: { fields: ['estimatedDepartureAt'] },
      actual: { fields: ['actualDepartureAt'] },
      doneWhen: departed,
    },
    arrived: {
      planned: { fields: ['estimatedArrivalAt'] },
      actual: { fields: ['actualArrivalAt'] },
      doneWhen: ['arrived', 'delivered', 'received'],
    },
    received: {
      pieces: 'received',
      actual: {
        path: [{ to: 'goods-receipts', by: 'shipmentId', where: active }],
        field: 'receivedAt',
      },
      doneWhen: ['received'],
    },
    invoiced: {
      amounts: { path: invoices, field: 'totalAmount', currency: 'currency' },
      actual: { path: invoices, field: 'invoiceDate' },
      doneWhen: [],
    },
    paid: {
      amounts: { path: invoices, field: 'paidAmount', currency: 'currency' },
      planned: { path: invoices, field: 'dueDate' },
      doneWhen: [],
    },
  },
  deadlines: {
    departure: {
      planned: ['estimatedDepartureAt'],
      actual: { fields: ['actualDepartureAt'] },
      openWhen: ['planned', 'booked', 'ready'],
      voidWhen: ['cancelled'],
      view: 'delayed',
    },
    arrival: {
      planned: ['estimatedArrivalAt'],
      actual: { fields: ['actualArrivalAt'] },
      openWhen: undelivered,
      voidWhen: ['cancelled'],
      view: 'delayed',
    },
  },
  sections: {
    lines: {
      title: 'Items',
      path: items,
      include: ['sku', 'orderItem'],
      goods: { sku: 'skuId' },
      figures: itemFigures,
    },
    orders: {
      path: [
        { to: 'order-shipments', by: 'shipmentId' },
        { to: 'orders', of: 'orderId' },
      ],
      sort: 'orderNumber',
      include: ['supplier'],
      figures: {
        pieces: {
          path: [
            { to: 'order-items', by: 'orderId' },
            {
              to: 'shipment-items',
              by: 'orderItemId',
              where: {
                kind: 'all',
                of: [
                  notDeleted,
                  { kind: 'compare', field: 'shipmentId', is: 'eq', value: { record: 'id' } },
                ],
              },
            },
          ],
          field: 'quantity',
        },
      },
    },
    legs: {
      path: [{ to: 'legs', by: 'shipmentId', where: notDeleted }],
      sort: 'sequence',
      include: ['originLocation', 'destinationLocation', 'courier'],
    },
    receipts: {
      path: [{ to: 'goods-receipts', by: 'shipmentId' }],
      sort: 'receivedAt',
      include: ['location'],
      figures: receiptFigures(),
    },
    bookings: {
      path: [
        { to: 'shipment-bookings', by: 'shipmentId' },
        { to: 'bookings', of: 'bookingId' },
      ],
      sort: 'bookingNumber',
      include: ['forwarderPartner', 'courier'],
    },
    packingLists: {
      path: [{ to: 'packing-lists', by: 'shipmentId' }],
      sort: 'packingListDate',
      include: ['order'],
    },
    cartons: {
      path: [{ to: 'shipment-cartons', by: 'shipmentId' }],
      sort: 'cartonNumber',
      figures: {
        pieces: {
          path: [{ to: 'shipment-carton-items', by: 'shipmentCartonId' }],
          field: 'quantity',
        },
      },
    },
    charges: {
      path: [{ to: 'shipment-charges', by: 'shipmentId' }],
      sort: 'chargeDate',
      include: ['partner'],
    },
    invoices: {
      path: [{ to: 'invoices', by: 'shipmentId' }],
      sort: 'invoiceDate',
      include: ['partner'],
    },
    notes: { path: [{ to: 'notes', by: 'shipmentId', where: notDeleted }], sort: '-createdAt' },
    documents: {
      path: [{ to: 'documents', by: 'shipmentId', where: notDeleted }],
      sort: '-documentDate',
      include: ['documentType'],
    },
  },
  hasScorecard: false,
}
