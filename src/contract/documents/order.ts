import { notDeleted } from '../views/conditions.ts'
import type { DocumentCondition, DocumentPath, DocumentSource } from './document.ts'
import {
  active,
  activeInvoice,
  activeRun,
  discrepanciesOf,
  ofReceipt,
  ofRun,
  orderItemFigures,
  receiptFigures,
  settled,
} from './pieces.ts'

const items: DocumentPath = [{ to: 'order-items', by: 'orderId' }]
const runs: DocumentPath = [{ to: 'production-runs', by: 'orderId', where: activeRun }]
const shipments: DocumentPath = [
  { to: 'order-shipments', by: 'orderId' },
  { to: 'shipments', of: 'shipmentId', where: active },
]
const receipts: DocumentPath = [
  ...items,
  { to: 'goods-receipt-lines', by: 'orderItemId', where: ofReceipt },
  { to: 'goods-receipts', of: 'goodsReceiptId' },
]
const invoices: DocumentPath = [{ to: 'invoices', by: 'orderId', where: activeInvoice }]
const settlements: DocumentPath = [
  ...invoices,
  { to: 'payment-settlements', by: 'invoiceId', where: settled },
]

/** Matches lines of other records about an item of this order. */
const ofThisOrder: DocumentCondition = {
  kind: 'some',
  collection: 'order-items',
  match: 'id',
  local: 'orderItemId',
  where: { kind: 'compare', field: 'orderId', is: 'eq', value: { record: 'id' } },
}

const leftSupplier = ['shipped', 'received', 'closed']
const arrived = ['received', 'closed']

export const orderDocument: DocumentSource = {
  group: 'orders',
  summary:
    'An order with its lines, production runs, shipments, receipts, discrepancies, invoices, payments, amendments, notes and documents.',
  lines: { path: items, figures: orderItemFigures },
  progress: {
    ordered: {
      pieces: 'ordered',
      amounts: { path: [], field: 'totalAmount', currency: 'currency' },
      actual: { fields: ['orderDate'] },
      doneWhen: ['sent', 'confirmed', 'in_production', 'partially_shipped', ...leftSupplier],
    },
    made: {
      pieces: 'made',
      planned: { fields: ['confirmedExFactoryDate', 'requestedExFactoryDate'] },
      actual: { path: runs, field: 'actualExFactoryDate' },
      doneWhen: leftSupplier,
    },
    shipped: {
      pieces: 'shipped',
      planned: { path: shipments, field: 'estimatedDepartureAt' },
      actual: { path: shipments, field: 'actualDepartureAt' },
      doneWhen: leftSupplier,
    },
    received: {
      pieces: 'received',
      planned: { fields: ['requestedDeliveryDate'] },
      actual: { path: receipts, field: 'receivedAt' },
      doneWhen: arrived,
    },
    invoiced: {
      pieces: 'invoiced',
      amounts: { path: invoices, field: 'totalAmount', currency: 'currency' },
      actual: { path: invoices, field: 'invoiceDate' },
      doneWhen: ['closed'],
    },
    paid: {
      amounts: { path: invoices, field: 'paidAmount', currency: 'currency' },
      planned: { path: invoices, field: 'dueDate' },
      actual: { path: settlements, field: 'settledAt' },
      doneWhen: ['closed'],
    },
  },
  deadlines: {
    exFactory: {
      title: 'Ex-factory',
      planned: ['confirmedExFactoryDate', 'requestedExFactoryDate'],
      actual: { path: runs, field: 'actualExFactoryDate' },
      openWhen: ['sent', 'confirmed', 'in_production', 'partially_shipped'],
      voidWhen: ['draft', 'cancelled'],
      view: 'late',
    },
    delivery: {
      planned: ['requestedDeliveryDate'],
      actual: { path: receipts, field: 'receivedAt' },
      openWhen: ['sent', 'confirmed', 'in_production', 'partially_shipped', 'shipped'],
      voidWhen: ['draft', 'cancelled'],
      view: 'deliveryLate',
    },
  },
  sections: {
    lines: { path: items, include: ['sku'], goods: { sku: 'skuId' }, figures: orderItemFigures },
    shipments: {
      path: [
        { to: 'order-shipments', by: 'orderId' },
        { to: 'shipments', of: 'shipmentId' },
      ],
      sort: 'estimatedDepartureAt',
      include: ['originLocation', 'destinationLocation', 'courier'],
      figures: {
        pieces: {
          path: [
            {
              to: 'shipment-items',
              by: 'shipmentId',
              where: { kind: 'all', of: [notDeleted, ofThisOrder] },
            },
          ],
          field: 'quantity',
        },
      },
    },
    productionRuns: {
      path: [{ to: 'production-runs', by: 'orderId' }],
      sort: 'runNumber',
      include: ['origin'],
      figures: {
        pieces: {
          path: [{ to: 'production-run-items', by: 'productionRunId', where: ofRun }],
          field: 'quantity',
        },
      },
    },
    receipts: {
      path: receipts,
      sort: 'receivedAt',
      include: ['location', 'shipment'],
      figures: receiptFigures(ofThisOrder),
    },
    discrepancies: discrepanciesOf(items, 'orderItemId'),
    invoices: {
      path: [{ to: 'invoices', by: 'orderId' }],
      sort: 'invoiceDate',
      include: ['partner'],
    },
    payments: { path: settlements, sort: 'settledAt', include: ['payment', 'invoice'] },
    milestones: {
      title: 'Payment milestones',
      path: [
        { to: 'payment-agreements', by: 'orderId', where: notDeleted },
        { to: 'payment-milestones', by: 'paymentAgreementId' },
      ],
      sort: 'sequence',
      include: ['paymentAgreement'],
    },
    amendments: { path: [{ to: 'order-amendments', by: 'orderId' }], sort: 'revisionNumber' },
    packingLists: {
      path: [{ to: 'packing-lists', by: 'orderId' }],
      sort: 'packingListDate',
      include: ['shipment'],
    },
    samples: { path: [{ to: 'samples', by: 'orderId' }], sort: 'sampleNumber' },
    notes: { path: [{ to: 'notes', by: 'orderId', where: notDeleted }], sort: '-createdAt' },
    documents: {
      path: [{ to: 'documents', by: 'orderId', where: notDeleted }],
      sort: '-documentDate',
      include: ['documentType'],
    },
  },
  hasScorecard: false,
}
