import { notDeleted, referred } from '../views/conditions.ts'
import type { DocumentPath, DocumentSource } from './document.ts'
import {
  discrepanciesOf,
  ofPlacedOrder,
  openOrder,
  openShipment,
  orderItemFigures,
  settledOrder,
} from './pieces.ts'

const items: DocumentPath = [{ to: 'order-items', by: 'skuId', where: ofPlacedOrder }]

/** Pieces of all orders together. Dates and amounts belong to single orders. */
export const pieceStages: DocumentSource['progress'] = {
  ordered: { pieces: 'ordered', doneWhen: [] },
  made: { pieces: 'made', doneWhen: [] },
  shipped: { pieces: 'shipped', doneWhen: [] },
  received: { pieces: 'received', doneWhen: [] },
  invoiced: { pieces: 'invoiced', doneWhen: [] },
}

export const skuDocument: DocumentSource = {
  group: 'skus',
  summary:
    'A SKU with its stock, open and past orders, discrepancies, incoming shipments, prices and bills of materials.',
  lines: { path: items, figures: orderItemFigures },
  progress: pieceStages,
  deadlines: {},
  goods: { sku: 'id' },
  sections: {
    stock: {
      path: [{ to: 'inventory', by: 'skuId' }],
      sort: '-onHandQuantity',
      include: ['location'],
    },
    openOrders: {
      path: [{ to: 'order-items', by: 'skuId', where: referred('orderId', 'orders', openOrder) }],
      include: ['order'],
      figures: orderItemFigures,
    },
    pastOrders: {
      path: [
        { to: 'order-items', by: 'skuId', where: referred('orderId', 'orders', settledOrder) },
      ],
      include: ['order'],
      figures: orderItemFigures,
    },
    discrepancies: discrepanciesOf([], 'skuId'),
    incoming: {
      title: 'Incoming shipments',
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
      path: [
        { to: 'product-options', of: 'productOptionId' },
        { to: 'product-option-prices', by: 'productOptionId' },
      ],
      sort: 'kind',
    },
    boms: {
      title: 'Bills of materials',
      path: [
        { to: 'bom-skus', by: 'skuId' },
        { to: 'boms', of: 'bomId', where: notDeleted },
      ],
      sort: 'name',
    },
  },
  hasScorecard: false,
}
