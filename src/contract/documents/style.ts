import { notDeleted } from '../views/conditions.ts'
import type { DocumentPath, DocumentSource } from './document.ts'
import { ofPlacedOrder, orderItemFigures } from './pieces.ts'
import { pieceStages } from './sku.ts'

const items: DocumentPath = [
  { to: 'skus', by: 'productId' },
  { to: 'order-items', by: 'skuId', where: ofPlacedOrder },
]
const boms: DocumentPath = [{ to: 'boms', by: 'productId', where: notDeleted }]

export const styleDocument: DocumentSource = {
  group: 'parent-products',
  summary:
    'A style with its options, SKUs, bills of materials, samples, quotes, prices, orders, notes and documents.',
  lines: { path: items, figures: orderItemFigures },
  progress: pieceStages,
  deadlines: {},
  goods: { style: 'id' },
  sections: {
    options: {
      path: [{ to: 'product-options', by: 'productId', where: notDeleted }],
      sort: 'sequence',
      goods: { option: 'id' },
    },
    skus: {
      title: 'SKUs',
      path: [{ to: 'skus', by: 'productId', where: notDeleted }],
      goods: { sku: 'id' },
      figures: {
        onHand: { path: [{ to: 'inventory', by: 'skuId' }], field: 'onHandQuantity' },
        available: { path: [{ to: 'inventory', by: 'skuId' }], field: 'availableQuantity' },
        incoming: { path: [{ to: 'inventory', by: 'skuId' }], field: 'incomingQuantity' },
      },
    },
    orders: {
      path: [...items, { to: 'orders', of: 'orderId' }],
      sort: '-orderDate',
      include: ['supplier'],
    },
    components: {
      title: 'Bill of materials',
      path: [...boms, { to: 'bom-components', by: 'bomId', where: notDeleted }],
      sort: 'sequence',
      include: ['bom', 'bomSection', 'material', 'materialVariant', 'unitOfMeasure', 'supplier'],
    },
    prices: {
      path: [
        { to: 'product-options', by: 'productId', where: notDeleted },
        { to: 'product-option-prices', by: 'productOptionId' },
      ],
      sort: 'kind',
      include: ['productOption'],
    },
    quotes: {
      path: [{ to: 'quotes', by: 'productId', where: notDeleted }],
      sort: '-requestedAt',
      include: ['supplier'],
    },
    samples: {
      path: [{ to: 'samples', by: 'productId', where: notDeleted }],
      sort: 'sampleNumber',
      include: ['supplier'],
    },
    versions: { path: [{ to: 'product-versions', by: 'productId' }], sort: '-versionNumber' },
    notes: { path: [{ to: 'notes', by: 'productId', where: notDeleted }], sort: '-createdAt' },
    documents: {
      path: [{ to: 'documents', by: 'productId', where: notDeleted }],
      sort: '-documentDate',
      include: ['documentType'],
    },
  },
  hasScorecard: false,
}
