import { notDeleted } from '../views/conditions.ts'
import type { DocumentPath, DocumentSource } from './document.ts'
import { ofReceipt, receiptFigures, settled } from './pieces.ts'

const settlements: DocumentPath = [{ to: 'payment-settlements', by: 'invoiceId', where: settled }]

export const invoiceDocument: DocumentSource = {
  group: 'invoices',
  summary:
    'An invoice with its lines, the orders and receipts they are matched with, settlements, credit notes and notes.',
  progress: {
    invoiced: {
      amounts: { path: [], field: 'totalAmount', currency: 'currency' },
      actual: { fields: ['invoiceDate'] },
      doneWhen: ['received', 'approved', 'partially_paid', 'paid', 'disputed'],
    },
    credited: {
      amounts: { path: [], field: 'creditedAmount', currency: 'currency' },
      doneWhen: ['paid'],
      isOptional: true,
    },
    paid: {
      amounts: { path: [], field: 'paidAmount', currency: 'currency' },
      planned: { fields: ['dueDate'] },
      actual: { path: settlements, field: 'settledAt' },
      doneWhen: ['paid'],
    },
  },
  deadlines: {
    due: {
      planned: ['dueDate'],
      actual: { path: settlements, field: 'settledAt' },
      openWhen: ['received', 'approved', 'partially_paid', 'disputed'],
      voidWhen: ['draft', 'void'],
      view: 'overdue',
    },
  },
  sections: {
    lines: {
      path: [{ to: 'invoice-lines', by: 'invoiceId' }],
      sort: 'lineNumber',
      include: ['sku', 'orderItem', 'shipmentCharge'],
      goods: { sku: 'skuId' },
      figures: {
        ordered: { path: [{ to: 'order-items', of: 'orderItemId' }], field: 'qty' },
        shipped: { path: [{ to: 'shipment-items', of: 'shipmentItemId' }], field: 'quantity' },
        received: {
          path: [
            { to: 'shipment-items', of: 'shipmentItemId' },
            { to: 'goods-receipt-lines', by: 'shipmentItemId', where: ofReceipt },
          ],
          field: 'receivedQuantity',
        },
      },
    },
    orders: { path: [{ to: 'orders', of: 'orderId' }], include: ['supplier'] },
    receipts: {
      path: [
        { to: 'shipments', of: 'shipmentId' },
        { to: 'goods-receipts', by: 'shipmentId' },
      ],
      sort: 'receivedAt',
      include: ['location', 'shipment'],
      figures: receiptFigures(),
    },
    payments: {
      path: [{ to: 'payment-settlements', by: 'invoiceId' }],
      sort: 'settledAt',
      include: ['payment'],
    },
    creditNotes: { path: [{ to: 'invoices', by: 'creditedInvoiceId' }], sort: 'invoiceDate' },
    milestones: {
      title: 'Payment milestones',
      path: [{ to: 'payment-milestones', by: 'invoiceId' }],
      sort: 'dueDate',
      include: ['paymentAgreement'],
    },
    notes: { path: [{ to: 'notes', by: 'invoiceId', where: notDeleted }], sort: '-createdAt' },
    documents: {
      path: [{ to: 'documents', of: 'documentId', where: notDeleted }],
      include: ['documentType'],
    },
  },
  hasScorecard: false,
}
