import { notDeleted } from '../views/conditions.ts'
import type { DocumentDefinition, DocumentPath } from './document.ts'
import { ofReceipt, receiptFigures, settled } from './pieces.ts'

const settlements: DocumentPath = [{ to: 'payment-settlements', by: 'invoiceId', where: settled }]

export const invoiceDocument: DocumentDefinition = {
  group: 'invoices',
  summary:
    'An invoice with its lines, the orders and receipts they are matched with, settlements, credit notes and notes.',
  progress: {
    invoiced: {
      title: 'Invoiced',
      amounts: { path: [], field: 'totalAmount', currency: 'currency' },
      actual: { fields: ['invoiceDate'] },
      doneWhen: ['received', 'approved', 'partially_paid', 'paid', 'disputed'],
    },
    credited: {
      title: 'Credited',
      amounts: { path: [], field: 'creditedAmount', currency: 'currency' },
      doneWhen: ['paid'],
      isOptional: true,
    },
    paid: {
      title: 'Paid',
      amounts: { path: [], field: 'paidAmount', currency: 'currency' },
      planned: { fields: ['dueDate'] },
      actual: { path: settlements, field: 'settledAt' },
      doneWhen: ['paid'],
    },
  },
  deadlines: {
    due: {
      title: 'Due',
      planned: ['dueDate'],
      actual: { path: settlements, field: 'settledAt' },
      openWhen: ['received', 'approved', 'partially_paid', 'disputed'],
      voidWhen: ['draft', 'void'],
      view: 'overdue',
    },
  },
  sections: {
    lines: {
      title: 'Lines',
      group: 'invoice-lines',
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
    orders: {
      title: 'Orders',
      group: 'orders',
      path: [{ to: 'orders', of: 'orderId' }],
      include: ['supplier'],
    },
    receipts: {
      title: 'Receipts',
      group: 'goods-receipts',
      path: [
        { to: 'shipments', of: 'shipmentId' },
        { to: 'goods-receipts', by: 'shipmentId' },
      ],
      sort: 'receivedAt',
      include: ['location', 'shipment'],
      figures: receiptFigures(),
    },
    payments: {
      title: 'Payments',
      group: 'payment-settlements',
      path: [{ to: 'payment-settlements', by: 'invoiceId' }],
      sort: 'settledAt',
      include: ['payment'],
    },
    creditNotes: {
      title: 'Credit notes',
      group: 'invoices',
      path: [{ to: 'invoices', by: 'creditedInvoiceId' }],
      sort: 'invoiceDate',
    },
    milestones: {
      title: 'Payment milestones',
      group: 'payment-milestones',
      path: [{ to: 'payment-milestones', by: 'invoiceId' }],
      sort: 'dueDate',
      include: ['paymentAgreement'],
    },
    notes: {
      title: 'Notes',
      group: 'notes',
      path: [{ to: 'notes', by: 'invoiceId', where: notDeleted }],
      sort: '-createdAt',
    },
    documents: {
      title: 'Documents',
      group: 'documents',
      path: [{ to: 'documents', of: 'documentId', where: notDeleted }],
      include: ['documentType'],
    },
  },
  hasScorecard: false,
}
