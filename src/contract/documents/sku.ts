import { notDeleted, referred } from '../views/conditions.ts'
import type { DocumentDefinition, DocumentPath } from './document.ts'
import {
  discrepanciesOf,
  ofPlacedOrder,
  openOrder,
  openShipment,
  orderItemFigures,
  settledOrder,
} from './pieces.ts'

const items: DocumentPath = [{ to: 'order-items', by: 'skuId', where: ofPlacedOrder }]

/** Pieces of all orders: there are no dates and amounts that are those of all. */
export const pieceStages: DocumentDefinition['progress'] = {
  ordered: { title: 'Ordered', pieces: 'ordered', doneWhen: [] },
  made: { title: 'Made', pieces: 'made', doneWhen: [] },
  shipped: { title: 'Shipped', pieces: 'shipped', doneWhen: [] },
  received: { title: 'Received', pieces: 'received', doneWhen: [] },
  invoiced: { title: 'Invoiced', pieces: 'invoiced', doneWhen: [] },
}

export const skuDocument: DocumentDefinition = {
  group: 'skus',
  summary:
    'A SKU with its stock, open and past orders, discrepancies, incoming shipments, prices and bills of materials.',
  lines: { path: items, figures: orderItemFigures },
  progress: pieceStages,
  deadlines: {},
  goods: { sku: 'id' },
  sections: {
    stock: {
      title: 'Stock',
      group: 'inventory',
      path: [{ to: 'inventory', by: 'skuId' }],
      sort: '-onHandQuantity',
      include: ['location'],
    },
    openOrders: {
      title: 'Open orders',
      group: 'order-items',
      path: [{ to: 'order-items', by: 'skuId', where: referred('orderId', 'orders', openOrder) }],
      include: ['order'],
      figures: orderItemFigures,
    },
    pastOrders: {
      title: 'Past orders',
      group: 'order-items',
      path: [
        { to: 'order-items', by: 'skuId', where: referred('orderId', 'orders', settledOrder) },
      ],
      include: ['order'],
      figures: orderItemFigures,
    },
    discrepancies: discrepanciesOf([], 'skuId'),
    incoming: {
      title: 'Incoming shipments',
      group: 'shipment-items',
      path: [
        {
          to: 'shipment-items',
          by: 'skuId',
          where: {
            kind: 'all',
            of: [notDeleted, referred('shipmentId', 'shipments', openShipment)],
          },
        },
      ],
      include: ['shipment'],
    },
    prices: {
      title: 'Prices',
      group: 'product-option-prices',
      path: [
        { to: 'product-options', of: 'productOptionId' },
        { to: 'product-option-prices', by: 'productOptionId' },
      ],
      sort: 'kind',
    },
    boms: {
      title: 'Bills of materials',
      group: 'boms',
      path: [
        { to: 'bom-skus', by: 'skuId' },
        { to: 'boms', of: 'bomId', where: notDeleted },
      ],
      sort: 'name',
    },
  },
  hasScorecard: false,
}
