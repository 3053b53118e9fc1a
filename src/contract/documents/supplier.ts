import { notDeleted } from '../views/conditions.ts'
import type { DocumentSource } from './document.ts'

export const supplierDocument: DocumentSource = {
  group: 'suppliers',
  summary:
    'A supplier with its scorecard, open orders, unpaid invoices, contacts, locations, styles, quotes and notes.',
  progress: {},
  deadlines: {},
  sections: {
    openOrders: {
      path: [{ to: 'orders', by: 'supplierId' }],
      view: 'open',
      sort: 'confirmedExFactoryDate',
    },
    unpaidInvoices: {
      path: [{ to: 'invoices', by: 'supplierId' }],
      view: 'unpaid',
      sort: 'dueDate',
      include: ['order'],
    },
    styles: {
      path: [{ to: 'parent-products', by: 'supplierId', where: notDeleted }],
      sort: 'code',
      goods: { style: 'id' },
    },
    contacts: {
      path: [
        { to: 'partners', of: 'partnerId' },
        { to: 'contacts', by: 'partnerId', where: notDeleted },
      ],
      sort: 'displayName',
      include: ['location'],
    },
    locations: {
      path: [
        { to: 'partners', of: 'partnerId' },
        { to: 'partner-locations', by: 'partnerId', where: notDeleted },
      ],
      sort: 'role',
      include: ['location'],
    },
    quotes: {
      path: [{ to: 'quotes', by: 'supplierId', where: notDeleted }],
      sort: '-requestedAt',
      include: ['product'],
    },
    notes: { path: [{ to: 'notes', by: 'supplierId', where: notDeleted }], sort: '-createdAt' },
  },
  hasScorecard: true,
}
