import { notDeleted } from '../views/conditions.ts'
import type { DocumentDefinition } from './document.ts'

export const supplierDocument: DocumentDefinition = {
  group: 'suppliers',
  summary:
    'A supplier with its scorecard, open orders, unpaid invoices, contacts, locations, styles, quotes and notes.',
  progress: {},
  deadlines: {},
  sections: {
    openOrders: {
      title: 'Open orders',
      group: 'orders',
      path: [{ to: 'orders', by: 'supplierId' }],
      view: 'open',
      sort: 'confirmedExFactoryDate',
    },
    unpaidInvoices: {
      title: 'Unpaid invoices',
      group: 'invoices',
      path: [{ to: 'invoices', by: 'supplierId' }],
      view: 'unpaid',
      sort: 'dueDate',
      include: ['order'],
    },
    styles: {
      title: 'Styles',
      group: 'parent-products',
      path: [{ to: 'parent-products', by: 'supplierId', where: notDeleted }],
      sort: 'code',
      goods: { style: 'id' },
    },
    contacts: {
      title: 'Contacts',
      group: 'contacts',
      path: [
        { to: 'partners', of: 'partnerId' },
        { to: 'contacts', by: 'partnerId', where: notDeleted },
      ],
      sort: 'displayName',
      include: ['location'],
    },
    locations: {
      title: 'Locations',
      group: 'partner-locations',
      path: [
        { to: 'partners', of: 'partnerId' },
        { to: 'partner-locations', by: 'partnerId', where: notDeleted },
      ],
      sort: 'role',
      include: ['location'],
    },
    quotes: {
      title: 'Quotes',
      group: 'quotes',
      path: [{ to: 'quotes', by: 'supplierId', where: notDeleted }],
      sort: '-requestedAt',
      include: ['product'],
    },
    notes: {
      title: 'Notes',
      group: 'notes',
      path: [{ to: 'notes', by: 'supplierId', where: notDeleted }],
      sort: '-createdAt',
    },
  },
  hasScorecard: true,
}
