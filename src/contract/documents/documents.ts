import { type Catalog, resourceAt } from '../catalog.ts'
import { conditionCollections } from '../condition.ts'
import { relationsOf } from '../graph.ts'
import { type QueryOperation, type QueryParameter, queryParametersOf } from '../query.ts'
import type { Resource } from '../resource.ts'
import {
  type DocumentDefinition,
  type DocumentPath,
  documentFrom,
  type FigureSum,
  type RowFigures,
} from './document.ts'
import { invoiceDocument } from './invoice.ts'
import { orderDocument } from './order.ts'
import { paymentDocument } from './payment.ts'
import { scorecardCollections, scorecardSorts } from './scorecard.ts'
import { shipmentDocument } from './shipment.ts'
import { skuDocument } from './sku.ts'
import { styleDocument } from './style.ts'
import { supplierDocument } from './supplier.ts'

/** The documents, by the path of their group. */
export const documents: ReadonlyMap<string, DocumentDefinition> = new Map(
  [
    orderDocument,
    shipmentDocument,
    invoiceDocument,
    paymentDocument,
    skuDocument,
    styleDocument,
    supplierDocument,
  ].map((source) => [source.group, documentFrom(source)]),
)

export const documentLimits = {
  /** Rows per section. */
  rows: { minimum: 1, maximum: 100, default: 100 },
  /** Bytes of all rows together. Further rows are omitted; totals stay exact. */
  bytes: 4_194_304,
  /** Above the limit of a single statement: a document takes several statements on one snapshot. */
  timeMs: 8_000,
} as const

/** The documents of the query API. */
export const documentOperationsOf = (catalog: Catalog): readonly QueryOperation[] =>
  [...documents.keys()].map((path) => {
    const resource = resourceAt(catalog, path)
    return {
      id: `document${resource.name}`,
      resource,
      path: `/brands/{brand}/${path}/{id}/document`,
    }
  })

/** The lists of scorecards of the query API: of the groups whose documents have one. */
export const scorecardOperationsOf = (catalog: Catalog): readonly QueryOperation[] =>
  [...documents].flatMap(([path, { hasScorecard }]) => {
    if (!hasScorecard) return []
    const resource = resourceAt(catalog, path)
    const id = `query${resource.name}Scorecards`
    return [{ id, resource, path: `/brands/{brand}/${path}/scorecards` }]
  })

/** Every parameter of a list of scorecards: those of the list that select records, and an order. */
export const scorecardParametersOf = (resource: Resource): readonly QueryParameter[] => [
  ...queryParametersOf(resource).filter(({ kind }) => !recordKinds.has(kind)),
  {
    name: 'sort',
    kind: 'scorecardSort',
    description: `The order: ${Object.entries(scorecardSorts)
      .map(([name, meaning]) => `${name}, ${meaning}`)
      .join('; ')}; descending with - before it. Default: the order of the identity.`,
  },
  {
    name: 'asOf',
    kind: 'asOf',
    description:
      'The day to take for today, such as 2026-03-01. Default: today in the time zone of the brand.',
  },
]

/** Parameters of the records themselves. */
const recordKinds: ReadonlySet<QueryParameter['kind']> = new Set([
  'sort',
  'fields',
  'include',
  'asOf',
])

/** The collections with the names and images of goods. */
const goodsCollections = [
  'skus',
  'product-options',
  'parent-products',
  'colors',
  'sku-dimension-values',
  'dimension-values',
  'images',
]

/** The collections that affect a document, its own first. */
export const documentCollections = (
  catalog: Catalog,
  definition: DocumentDefinition,
): readonly string[] => {
  const { group, lines, progress, deadlines, sections, goods, hasScorecard } = definition
  const sources = [
    ...Object.values(progress).flatMap(({ planned, actual, amounts }) => [
      planned,
      actual,
      amounts,
    ]),
    ...Object.values(deadlines).map(({ actual }) => actual),
  ].flatMap((source) => (source && 'path' in source ? collectionsOf(source.path) : []))
  const rows = Object.values(sections).flatMap((section) => {
    const resource = resourceAt(catalog, section.group)
    const views = resource.views.filter(({ name }) => name === section.view)
    return [
      ...collectionsOf(section.path),
      ...figureCollections(section.figures ?? {}),
      ...views.flatMap(({ where }) => conditionCollections(where)),
      ...relationsOf(resource)
        .filter(({ name }) => section.include?.includes(name))
        .map(({ to }) => to),
    ]
  })
  const hasGoods = goods || Object.values(sections).some((section) => section.goods)
  return [
    ...new Set([
      group,
      'brand',
      ...relationsOf(resourceAt(catalog, group)).map(({ to }) => to),
      ...(lines ? [...collectionsOf(lines.path), ...figureCollections(lines.figures)] : []),
      ...sources,
      ...rows,
      ...(hasGoods ? goodsCollections : []),
      ...(hasScorecard ? scorecardCollections : []),
    ]),
  ]
}

/** The collections that a path leads through. */
export const collectionsOf = (path: DocumentPath): readonly string[] =>
  path.flatMap(({ to, where }) => [to, ...(where ? conditionCollections(where) : [])])

export const figureCollections = (figures: RowFigures): readonly string[] =>
  Object.values(figures).flatMap(sumCollections)

const sumCollections = ({ path, less }: FigureSum): readonly string[] => [
  ...collectionsOf(path),
  ...(less ? sumCollections(less) : []),
]
