import { type Catalog, resourceAt } from '../catalog.ts'
import type { QueryOperation } from '../query.ts'
import type { DocumentCondition, DocumentPath, FigureSum, RowFigures } from './document.ts'
import { collectionsOf, figureCollections } from './documents.ts'
import { ofPlacedOrder, orderItemFigures } from './pieces.ts'

/** The pieces of a record's SKUs by colour and size, as data. */
export interface GridDefinition {
  readonly group: string
  readonly summary: string
  /** The rows with the pieces, starting from the record. */
  readonly path: DocumentPath
  /** The field of a row with its SKU. */
  readonly sku: string
  /** The figures of a row, in order. */
  readonly figures: RowFigures
  /** The figure that a figure is compared with. */
  readonly against: { readonly [figure: string]: string }
}

export const gridLimits = {
  /** SKUs of a record. A record with more has only its total. */
  skus: 2_000,
  /** Cells of all grids together, including those without a SKU. */
  cells: 10_000,
  /** As for documents. */
  timeMs: 8_000,
} as const

export const gridFormats = ['json', 'xlsx'] as const
export type GridFormat = (typeof gridFormats)[number]

const orderFigures: RowFigures = Object.fromEntries(
  ['ordered', 'made', 'shipped', 'received'].flatMap((name) => {
    const figure = orderItemFigures[name]
    return figure ? [[name, figure]] : []
  }),
)
const againstOrdered = { made: 'ordered', shipped: 'ordered', received: 'ordered' }

/** Figures of rows, summed over all rows that a path leads to. */
const summed = (path: DocumentPath, figures: RowFigures): RowFigures => {
  const from = (sum: Omit<FigureSum, 'less'>) => ({ ...sum, path: [...path, ...sum.path] })
  return Object.fromEntries(
    Object.entries(figures).map(([name, { less, ...figure }]) => [
      name,
      { ...from(figure), ...(less && { less: from(less) }) },
    ]),
  )
}

/** The stock of a SKU, at all locations or at those that fulfil a condition. */
const stockFigures = (where?: DocumentCondition): RowFigures => {
  const path: DocumentPath = [{ to: 'inventory', by: 'skuId', ...(where && { where }) }]
  return {
    onHand: { path, field: 'onHandQuantity' },
    available: { path, field: 'availableQuantity' },
    reserved: { path, field: 'reservedQuantity' },
    incoming: { path, field: 'incomingQuantity' },
  }
}

const definitions: readonly GridDefinition[] = [
  {
    group: 'orders',
    summary: 'The lines of an order by style, colour and size.',
    path: [{ to: 'order-items', by: 'orderId' }],
    sku: 'skuId',
    figures: orderFigures,
    against: againstOrdered,
  },
  {
    group: 'goods-receipts',
    summary: 'The lines of a goods receipt by style, colour and size.',
    path: [{ to: 'goods-receipt-lines', by: 'goodsReceiptId' }],
    sku: 'skuId',
    figures: {
      expected: { path: [], field: 'expectedQuantity' },
      received: { path: [], field: 'receivedQuantity' },
      damaged: { path: [], field: 'damagedQuantity' },
      rejected: { path: [], field: 'rejectedQuantity' },
    },
    against: { received: 'expected' },
  },
  {
    group: 'parent-products',
    summary: 'All placed orders of a style, and its stock at all locations, by colour and size.',
    path: [{ to: 'skus', by: 'productId' }],
    sku: 'id',
    figures: {
      ...summed([{ to: 'order-items', by: 'skuId', where: ofPlacedOrder }], orderFigures),
      ...stockFigures(),
    },
    against: againstOrdered,
  },
  {
    group: 'inventory',
    summary:
      'The stock of a whole style at the location of an inventory level, by colour and size.',
    path: [
      { to: 'skus', of: 'skuId' },
      { to: 'parent-products', of: 'productId' },
      { to: 'skus', by: 'productId' },
    ],
    sku: 'id',
    figures: stockFigures({
      kind: 'compare',
      field: 'locationId',
      is: 'eq',
      value: { record: 'locationId' },
    }),
    against: {},
  },
]

/** The grids, by the path of their group. */
export const grids: ReadonlyMap<string, GridDefinition> = new Map(
  definitions.map((definition) => [definition.group, definition]),
)

/** The grids of the query API. */
export const gridOperationsOf = (catalog: Catalog): readonly QueryOperation[] =>
  definitions.map(({ group }) => {
    const resource = resourceAt(catalog, group)
    return {
      id: `grid${resource.name}`,
      resource,
      path: `/brands/{brand}/${group}/{id}/grid`,
    }
  })

/** The collections that affect a grid, its own first. */
export const gridCollections = ({ group, path, figures }: GridDefinition): readonly string[] => [
  ...new Set([
    group,
    ...collectionsOf(path),
    ...figureCollections(figures),
    'skus',
    'product-options',
    'parent-products',
    'colors',
    'sku-dimension-values',
    'dimension-values',
    'dimensions',
    'dimension-group-dimensions',
  ]),
]
