import type { Entity } from './entity.ts'
import type { Links } from './proposal.ts'
import type { Link } from './relations.ts'
import type { TableModel } from './table-model.ts'

/*
 * What shows that a table has the records that its name says. A name alone shows nothing: every
 * system has other things of the same name. Keys between tables do: order lines refer to an order,
 * and the order to a supplier.
 */

/** Of each group, one collection has to be linked with the table, in one of the two directions. */
const neighbours: { readonly [collection: string]: readonly (readonly string[])[] } = {
  suppliers: [['orders', 'goods-receipts', 'invoices', 'skus', 'parent-products', 'contacts']],
  partners: [['suppliers', 'orders', 'goods-receipts', 'invoices', 'skus', 'parent-products']],
  contacts: [['suppliers', 'partners']],
  categories: [['parent-products', 'skus', 'materials']],
  'parent-products': [['skus', 'order-items', 'inventory', 'suppliers', 'categories']],
  'product-options': [
    ['skus', 'parent-products', 'order-items', 'inventory', 'suppliers', 'categories'],
  ],
  skus: [['parent-products', 'order-items', 'inventory', 'suppliers', 'categories']],
  'payment-terms': [['suppliers', 'partners', 'orders', 'invoices']],
  locations: [['inventory', 'goods-receipts', 'goods-receipt-lines', 'orders']],
  inventory: [['skus', 'parent-products'], ['locations']],
  orders: [['suppliers', 'partners'], ['order-items']],
  'order-items': [['orders']],
  'goods-receipts': [['suppliers', 'partners', 'orders'], ['goods-receipt-lines']],
  'goods-receipt-lines': [['goods-receipts']],
  invoices: [['suppliers', 'partners', 'orders']],
  'invoice-lines': [['invoices']],
}

/** Lines are not more certain than what they are lines of. */
const headers: { readonly [collection: string]: string } = {
  'order-items': 'orders',
  'goods-receipt-lines': 'goods-receipts',
  'invoice-lines': 'invoices',
}

const products = ['parent-products', 'product-options', 'skus']
const parties = ['suppliers', 'partners']
/** What refers to the items that are kept and traded. */
const itemRows = ['order-items', 'inventory', 'goods-receipt-lines', 'invoice-lines']

/** Leaves only those collections certain that keys between tables show. */
export const proveEntities = (
  entities: Map<string, Entity>,
  models: readonly TableModel[],
  rivalsOf: (collection: string) => readonly TableModel[],
  links: Links,
): void => {
  const linksOf = (model: TableModel): readonly Link[] =>
    links.of(model, entities).filter(({ certainty }) => certainty === 'certain')
  const isLinked = (one: TableModel, other: TableModel): boolean =>
    one === other ||
    linksOf(one).some(({ target }) => target === other) ||
    linksOf(other).some(({ target }) => target === one) ||
    isBetween(one, other)
  /** A table that has nothing but keys of both. */
  const isBetween = (one: TableModel, other: TableModel): boolean =>
    models.some((each) => {
      const targets = linksOf(each).map(({ target }) => target)
      return (
        ![...entities.values()].some(({ model }) => model === each) &&
        !each.columns.some(({ words }) => words.includes('quantity')) &&
        targets.includes(one) &&
        targets.includes(other)
      )
    })
  const hasNeighbours = (collection: string, model: TableModel): boolean =>
    (neighbours[collection] ?? []).every((group) =>
      group.some((each) => {
        const other = entities.get(each)
        const isOwn = other?.model === model && collection !== 'inventory'
        return other !== undefined && !isOwn && isLinked(model, other.model)
      }),
    )
  const doubtOf = ({ collection, model }: Entity): string | null => {
    if (!hasNeighbours(collection, model)) return 'no key shows it'
    const rival = rivalsOf(collection).find(
      (each) => hasTexts(each) && (isLinked(model, each) || hasNeighbours(collection, each)),
    )
    if (rival) return `or ${rival.table.name}`
    if (products.includes(collection)) return itemDoubt(collection, model)
    if (parties.includes(collection)) return partyDoubt(collection, model)
    return null
  }
  /** One table of items is all of style, option and SKU only if nothing is between them. */
  const itemDoubt = (collection: string, model: TableModel): string | null => {
    const isOne = products.every((each) => entities.get(each)?.model === model)
    if (!isOne) return null
    const referring = itemRows.flatMap((each) => entities.get(each)?.model ?? [])
    const between = models.find(
      (each) =>
        each !== model &&
        !referring.includes(each) &&
        !each.words.includes('supplier') &&
        !each.columns.some(({ words }) => words.includes('quantity')) &&
        linksOf(each).some(({ target }) => target === model) &&
        referring.some((row) => linksOf(row).some(({ target }) => target === each)),
    )
    if (between) return `rows of ${between.table.name} can be the SKUs`
    if (collection === 'skus') return null
    if (linksOf(model).some(({ target }) => target === model)) return 'its rows refer to each other'
    const sign = model.columns.find(
      ({ words, distinct }) => distinct > 1 && words.some((word) => styleWords.includes(word)),
    )
    return sign ? `${sign.name} may make several rows one style` : null
  }
  /** Sales can refer to the same table: then it has customers too, and nothing tells them apart. */
  const partyDoubt = (collection: string, model: TableModel): string | null => {
    if (entities.get(collection)?.where) return null
    const sale = models.find(
      (each) => each.trade.side === 'sales' && linksOf(each).some(({ target }) => target === model),
    )
    return sale ? `${sale.table.name} refers to it too` : null
  }
  const doubts = new Map<string, string>()
  for (const entity of entities.values()) {
    const doubt = entity.certainty === 'certain' ? doubtOf(entity) : null
    if (doubt !== null) doubts.set(entity.collection, doubt)
  }
  for (const [collection, doubt] of doubts) lower(entities, collection, doubt)
  for (const [collection, header] of Object.entries(headers)) {
    const [own, other] = [entities.get(collection), entities.get(header)]
    if (own?.certainty === 'certain' && other?.certainty !== 'certain')
      lower(entities, collection, `${header} are not certain`)
  }
}

/** A table of keys alone has no names and numbers of records. */
const hasTexts = ({ columns }: TableModel): boolean =>
  columns.some(({ type, isForeign }) => !isForeign && (type?.kind ?? 'text') === 'text')

const styleWords = ['color', 'size', 'template', 'variant']

const lower = (entities: Map<string, Entity>, collection: string, doubt: string): void => {
  const entity = entities.get(collection)
  if (!entity) return
  entities.set(collection, {
    ...entity,
    certainty: 'likely',
    reason: `${entity.reason}, but ${doubt}`,
  })
}
