import { notDeleted } from '../views/conditions.ts'
import type { DocumentPath, DocumentSource } from './document.ts'
import { settled } from './pieces.ts'

const settlements: DocumentPath = [{ to: 'payment-settlements', by: 'paymentId', where: settled }]
const receipts: DocumentPath = [{ to: 'payment-receipts', by: 'paymentId', where: notDeleted }]

export const paymentDocument: DocumentSource = {
  group: 'payments',
  summary: 'A payment with the invoices that it settles, and the confirmations of its arrival.',
  progress: {
    paid: {
      amounts: { path: [], field: 'amount', currency: 'currency' },
      planned: { fields: ['scheduledDate'] },
      actual: { fields: ['completedAt'] },
      doneWhen: ['completed'],
    },
    settled: {
      amounts: { path: settlements, field: 'amount', currency: { record: 'currency' } },
      actual: { path: settlements, field: 'settledAt' },
      doneWhen: [],
    },
    confirmed: {
      amounts: { path: receipts, field: 'statedAmount', currency: 'statedCurrency' },
      actual: { path: receipts, field: 'receivedDate' },
      doneWhen: [],
    },
  },
  deadlines: {
    scheduled: {
      planned: ['scheduledDate'],
      actual: { fields: ['completedAt'] },
      openWhen: ['scheduled', 'initiated'],
      voidWhen: ['failed', 'cancelled'],
    },
  },
  sections: {
    settlements: {
      path: [{ to: 'payment-settlements', by: 'paymentId' }],
      sort: 'settledAt',
      include: ['invoice', 'paymentMilestone'],
    },
    invoices: {
      path: [...settlements, { to: 'invoices', of: 'invoiceId' }],
      sort: 'dueDate',
      include: ['order'],
    },
    receipts: {
      title: 'Confirmations',
      path: receipts,
      sort: 'receivedDate',
      include: ['document', 'contact'],
    },
  },
  hasScorecard: false,
}
