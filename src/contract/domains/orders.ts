import {
  amount,
  any,
  date,
  id,
  integer,
  nullable,
  person,
  ref,
  text,
  timestamp,
} from '../fields.ts'
import { resource } from '../resource.ts'

export const orders = resource({
  group: 'Orders',
  path: 'orders',
  name: 'Order',
  domain: 'orders',
  scope: 'brand',
  origin: 'designed',
  summary: 'A purchase order the brand places with a supplier.',
  unique: [['orderNumber']],
  title: 'orderNumber',
  fields: {
    id: id(),
    orderNumber: text(),
    supplierId: ref('suppliers'),
    quoteRevisionId: nullable(
      ref('quote-revisions', 'The accepted offer the order was placed on.'),
    ),
    kind: text({ values: ['bulk', 'reorder', 'sample', 'material', 'service'] }),
    status: text({
      lifecycle: [
        'draft',
        'sent',
        'confirmed',
        'in_production',
        'partially_shipped',
        'shipped',
        'received',
        'closed',
      ],
      values: ['cancelled'],
    }),
    revisionNumber: integer(
      'Highest revisionNumber among its applied amendments; 0 before the first.',
    ),
    currency: text({ code: 'currency' }),
    exchangeRate: nullable(
      amount(
        'rate',
        null,
        "Base currency per unit of the order's currency, fixed when the order was confirmed.",
      ),
    ),
    incotermCode: nullable(text({ code: 'incoterm' })),
    incotermPlace: nullable(text()),
    paymentTermId: nullable(ref('payment-terms')),
    destinationLocationId: nullable(ref('locations')),
    shipMode: nullable(text({ values: ['ocean', 'air', 'road', 'rail', 'courier', 'multimodal'] })),
    orderDate: date(),
    requestedExFactoryDate: nullable(date()),
    confirmedExFactoryDate: nullable(date()),
    requestedDeliveryDate: nullable(date()),
    overTolerancePercent: nullable(
      amount('percent', null, 'How much more than ordered may be shipped.'),
    ),
    underTolerancePercent: nullable(
      amount('percent', null, 'How much less than ordered may be shipped.'),
    ),
    totalQuantity: integer("Sum of its items' qty."),
    totalAmount: amount('money', 'currency', 'Sum of qty x unitPrice of its items.'),
    buyerUserId: nullable(person()),
    memo: nullable(text()),
    supplierConfirmedAt: nullable(timestamp()),
    closedAt: nullable(timestamp()),
    cancelledAt: nullable(timestamp()),
    customFields: nullable(any('Object keyed by custom-field-definitions.key of entity orders.')),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    deletedAt: nullable(timestamp()),
  },
  filters: [
    'supplierId',
    'quoteRevisionId',
    'paymentTermId',
    'destinationLocationId',
    ['shipmentId', { collection: 'order-shipments', match: 'orderId' }],
    'orderNumber',
    'kind',
    'status',
    'currency',
    'incotermCode',
  ],
})

export const orderItems = resource({
  group: 'Order Items',
  path: 'order-items',
  name: 'OrderItem',
  domain: 'orders',
  scope: 'brand',
  origin: 'specified',
  summary: 'One line of an order.',
  title: 'itemDescription',
  parent: 'orderId',
  specifiedEndpoints: ['get'],
  fields: {
    id: id(),
    orderId: ref('orders'),
    skuId: nullable(ref('skus', 'Null for lines that are not goods, such as tooling.')),
    productVersionId: nullable(ref('product-versions', 'The specification the goods are made to.')),
    qty: integer(),
    supplierConfirmedAt: nullable(timestamp()),
    unitPrice: nullable(amount('unitPrice', 'orderId.currency')),
    unitPriceBase: nullable(
      amount(
        'unitPrice',
        'brand.baseCurrencyCode',
        "unitPrice x the order's exchangeRate, in the brand's base currency.",
      ),
    ),
    duty: nullable(
      amount(
        'money',
        'brand.baseCurrencyCode',
        "Import duty expected on the whole line, in the brand's base currency.",
      ),
    ),
    htsCode: nullable(text({ code: 'hts' })),
    itemType: nullable(
      text({
        values: ['product', 'sample', 'material', 'packaging', 'tooling', 'service'],
        note: 'Open list: the contract gives no values.',
      }),
    ),
    itemDescription: nullable(text()),
    memo: nullable(text()),
    step: nullable(
      text({
        values: ['development', 'sampling', 'pre_production', 'production', 'packing'],
        note: 'Open list. Stage of work the line pays for.',
      }),
    ),
    category: nullable(text('Category wording printed on the order; a snapshot, not a reference.')),
    createdAt: timestamp(),
    updatedAt: timestamp(),
  },
  filters: ['orderId', 'skuId', 'productVersionId', 'htsCode', 'itemType', 'step', 'category'],
})

export const orderAmendments = resource({
  group: 'Order Amendments',
  path: 'order-amendments',
  name: 'OrderAmendment',
  domain: 'orders',
  scope: 'brand',
  origin: 'specified',
  summary: 'A proposed or applied change to an order after it was placed.',
  unique: [['orderId', 'revisionNumber']],
  title: 'revisionNumber',
  parent: 'orderId',
  specifiedEndpoints: ['get'],
  fields: {
    id: id(),
    orderId: ref('orders'),
    revisionId: nullable(
      ref(
        'quote-revisions',
        'The quote revision whose terms the amendment carries into the order; null when nothing was re-quoted.',
      ),
    ),
    appliedByUserId: nullable(person()),
    status: text({
      lifecycle: ['draft', 'proposed', 'accepted', 'applied'],
      values: ['rejected', 'withdrawn'],
      note: 'Open list: the contract gives no values.',
    }),
    revisionNumber: integer(
      'Revision of the order that the amendment makes: 1 for the first, never reused within an order.',
    ),
    data: nullable(
      any(
        'The change itself: { changes: [ { collection, id, field, from, to } ] } in the demo data.',
      ),
    ),
    baselineUpdatedAt: nullable(
      timestamp('updatedAt of the order the amendment was written against.'),
    ),
    appliedAt: nullable(timestamp()),
    deletedAt: nullable(timestamp()),
    createdAt: timestamp(),
    updatedAt: timestamp(),
    overrideReason: nullable(
      text('Why it was applied although the order had changed since baselineUpdatedAt.'),
    ),
    rejectionNote: nullable(text()),
  },
  filters: ['orderId', 'revisionId', 'status'],
})
