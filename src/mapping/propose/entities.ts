import { type Catalog, leafFields, resourceAt } from '#contract'
import { flagTexts } from '../convert.ts'
import { chooseItemLines, completeDocuments } from './documents.ts'
import type { Entity } from './entity.ts'
import { chooseKey, isKey, type KeyChoice, numbersOf } from './keys.ts'
import { proveEntities } from './proof.ts'
import type { Certainty, Links } from './proposal.ts'
import { subjectOf } from './roles.ts'
import { chooseSides } from './sides.ts'
import type { TableModel } from './table-model.ts'
import { chooseRoles, type LeftOut } from './table-roles.ts'
import { isSame } from './words.ts'

export interface Entities {
  readonly entities: ReadonlyMap<string, Entity>
  readonly leftOut: readonly LeftOut[]
}

/** The collections that have a table, and those that are made of the rows of another one. */
export const chooseEntities = (
  catalog: Catalog,
  models: readonly TableModel[],
  links: Links,
): Entities => {
  const { choices, leftOut } = chooseRoles(catalog, models)
  const entities = new Map<string, Entity>()
  for (const { role, model, certainty, reason } of choices) {
    const { collection } = role
    const resource = resourceAt(catalog, collection)
    const key = chooseKey(resource, model)
    entities.set(collection, {
      collection,
      resource,
      model,
      key,
      certainty,
      reason,
      isShared: false,
    })
  }
  const withoutAdded = completeDocuments(catalog, models, entities, links)
  /** Makes a collection of the rows of another one. */
  const derive: Derive = (collection, from, key, reason, certainty = from.certainty) => {
    const resource = resourceAt(catalog, collection)
    const isShared = key.columns.join() !== from.key.columns.join()
    entities.set(collection, {
      ...{ collection, resource, model: from.model, key, reason },
      ...{ certainty: from.isShared || isShared ? 'likely' : certainty },
      isShared: isShared || from.isShared,
    })
  }
  const leave = (entity: Entity) => {
    entities.delete(entity.collection)
    const { collection, model } = entity
    return { table: model.table.name, because: 'second', collection } as const
  }
  const dropped = [
    ...derivePartners(entities, links, derive, leave),
    ...deriveProducts(entities, links, derive),
  ]
  deriveContacts(entities, derive)
  deriveStock(entities, derive)
  deriveReferenced(entities, derive)
  chooseSuppliers(entities)
  sumStock(entities, links)
  chooseSides(entities, links)
  chooseItemLines(entities, links)
  const all = [...withoutAdded(leftOut), ...dropped]
  const rivalsOf = (collection: string) =>
    models.filter(({ table }) =>
      all.some((each) => each.table === table.name && each.collection === collection),
    )
  proveEntities(entities, models, rivalsOf, links)
  return { entities, leftOut: all }
}

type Derive = (
  collection: string,
  from: Entity,
  key: KeyChoice,
  reason: string,
  certainty?: Certainty,
) => void

/** A supplier is a partner too; partners that orders refer to are suppliers too. */
const derivePartners = (
  entities: Map<string, Entity>,
  links: Links,
  derive: Derive,
  leave: (entity: Entity) => LeftOut,
): readonly LeftOut[] => {
  const [suppliers, partners] = [entities.get('suppliers'), entities.get('partners')]
  if (suppliers) {
    const isLinked =
      partners &&
      links.of(suppliers.model, entities).some(({ target }) => target === partners.model)
    if (isLinked) return []
    const dropped = partners ? [leave(partners)] : []
    derive('partners', suppliers, suppliers.key, 'every supplier is a partner')
    return dropped
  }
  const orders = entities.get('orders')
  const isOrdered =
    partners &&
    orders &&
    links.of(orders.model, entities).some(({ target }) => target === partners.model)
  if (isOrdered) derive('suppliers', partners, partners.key, 'orders refer to it')
  return []
}

/** One table of items has styles, options and SKUs; two tables have what their columns say. */
const deriveProducts = (
  entities: Map<string, Entity>,
  links: Links,
  derive: Derive,
): readonly LeftOut[] => {
  const [product, sku] = [entities.get('parent-products'), entities.get('skus')]
  const option = entities.get('product-options')
  const items = sku ?? product
  if (!items) return []
  if (!sku && product) {
    if (!option) derive('product-options', product, product.key, 'one option for each item')
    derive('skus', product, product.key, 'no other table has SKUs')
    return []
  }
  if (!sku) return []
  const toProduct =
    product && links.of(sku.model, entities).find(({ target }) => target === product.model)
  const styles = numbersOf(sku.model.columns, ['style'])
  const colors = numbersOf(sku.model.columns, ['color'])
  const likely = (columns: readonly string[], reason: string): KeyChoice => ({
    ...{ columns, certainty: 'likely', reason, other: null },
  })
  const style = toProduct?.columns ?? (styles[0] ? [styles[0]] : null)
  if (!product)
    derive(
      'parent-products',
      sku,
      style ? likely(style, `${style.join()} is the number of the style`) : sku.key,
      style ? 'the styles of the SKUs' : 'no other table has styles',
    )
  if (option) return []
  if (style && colors[0])
    derive(
      'product-options',
      sku,
      likely([...style, colors[0]], 'a style in a colour'),
      'the colours of the SKUs',
    )
  else if (product && toProduct)
    derive('product-options', product, product.key, 'one option for each style')
  else {
    const parent = entities.get('parent-products')
    derive('product-options', sku, parent?.key ?? sku.key, 'one option for each style')
  }
  return []
}

/** A supplier's row often has the name of a person. */
const deriveContacts = (entities: Map<string, Entity>, derive: Derive): void => {
  const from = entities.get('suppliers')
  if (!from || entities.has('contacts')) return
  const person = from.model.columns.find(
    ({ words, filled, isForeign }) =>
      filled > 0 &&
      !isForeign &&
      words.includes('contact') &&
      words.every((word) => ['contact', 'name', 'person', 'supplier'].includes(word)),
  )
  if (person) derive('contacts', from, from.key, `${person.name} of the supplier`, 'likely')
}

/** Stock in the table of items, if no other table has it. */
const deriveStock = (entities: Map<string, Entity>, derive: Derive): void => {
  const from = entities.get('skus')
  if (!from || from.isShared || entities.has('inventory')) return
  const stock = from.model.columns.find(
    ({ words, numberFormats }) =>
      numberFormats.length > 0 &&
      words.includes('stock') &&
      words.every((word) => ['stock', 'quantity', 'hand', 'unit'].includes(word)),
  )
  if (stock) derive('inventory', from, from.key, `${stock.name} of the item`, 'likely')
}

/** Records without a table of their own whose number a column has: orders of a file of lines. */
const deriveReferenced = (entities: Map<string, Entity>, derive: Derive): void => {
  for (let isMore = true; isMore; ) {
    isMore = false
    for (const entity of [...entities.values()]) {
      for (const { name, field } of leafFields(entity.resource.fields)) {
        const { kind, to = '' } = field
        const isNeeded = !field.nullable || neededToo.includes(`${entity.collection}.${name}`)
        if (kind !== 'ref' || !isNeeded || entities.has(to) || to === 'brand') continue
        const column = numberColumn(entity, to)
        // Without a value, nothing shows that there are such records.
        if (column === undefined || isEmpty(entity, column)) continue
        const key: KeyChoice = {
          ...{ columns: [column], certainty: 'likely', other: null },
          reason: 'each value is one record',
        }
        if (to === 'suppliers' || to === 'partners') {
          derive('suppliers', entity, key, `no table has suppliers: those of ${entity.collection}`)
          derive('partners', entity, key, 'every supplier is a partner')
        } else if (to === 'skus') {
          for (const each of ['parent-products', 'product-options', 'skus'])
            if (!entities.has(each))
              derive(each, entity, key, `no table has items: those of ${entity.collection}`)
        } else derive(to, entity, key, `no table has ${to}: those of ${entity.collection}`)
        isMore = true
      }
    }
  }
}

/** A table of partners can have customers too: a flag says which rows are suppliers. */
const chooseSuppliers = (entities: Map<string, Entity>): void => {
  for (const collection of ['partners', 'suppliers']) {
    const entity = entities.get(collection)
    if (!entity || entity.model.words.includes('supplier')) continue
    const flag = entity.model.columns.find(
      ({ words, texts }) =>
        words.includes('supplier') &&
        words.every((word) => word === 'supplier' || word === 'flag') &&
        texts.size === 2 &&
        [...texts.keys()].every((each) => Object.hasOwn(flagTexts, each.toLowerCase())),
    )
    const text = [...(flag?.texts.keys() ?? [])].find((each) => flagTexts[each.toLowerCase()])
    if (!flag || text === undefined) continue
    const reason = 'a flag: other rows are not suppliers'
    const where = { column: flag.name, texts: [text], reason }
    entities.set(collection, { ...entity, where })
  }
}

/** Several rows of one item at one place, such as lots, are one record with their sum. */
const sumStock = (entities: Map<string, Entity>, links: Links): void => {
  const stock = entities.get('inventory')
  if (!stock || stock.isShared) return
  const own = links.of(stock.model, entities)
  const columnTo = (collection: string) => {
    const target = entities.get(collection)?.model
    const [link, other] = own.filter((each) => each.target === target && each.columns.length === 1)
    return other ? undefined : link?.columns[0]
  }
  const [sku, place] = [columnTo('skus'), columnTo('locations')]
  if (!sku || !place || sku === place) return
  const names = [sku, place]
  const { uniqueKeys = [], primaryKey = [], rows } = stock.model.table
  const isDeclared = [primaryKey, ...uniqueKeys].some((each) => isSame(each, names))
  if (isDeclared || rows.length === 0 || isKey(stock.model, names)) return
  const hasEmpty = stock.model.columns.some(
    ({ name, filled, rows: all }) => name === place && filled < all,
  )
  entities.set('inventory', {
    ...stock,
    key: { columns: names, certainty: 'certain', reason: 'an item at a place', other: null },
    ...{ isShared: true, isSummed: true },
    ...(hasEmpty && {
      where: { column: place, texts: null, reason: 'stock without a place has no record' },
    }),
  })
}

/** References that can be null and are worth records of their own. */
const neededToo = ['order-items.skuId']

const isEmpty = ({ model }: Entity, column: string): boolean =>
  model.table.rows.length > 0 &&
  model.columns.some(({ name, filled }) => name === column && filled === 0)

const numberColumn = ({ model, key }: Entity, to: string): string | undefined => {
  const words = [subjectOf(to), ...(otherWords[to] ?? [])]
  const [number] = words.flatMap((each) => numbersOf(model.columns, each))
  return number !== undefined && key.columns.join() !== number ? number : undefined
}

const otherWords: { readonly [collection: string]: readonly (readonly string[])[] } = {
  locations: [['warehouse']],
  skus: [['style']],
  partners: [['supplier']],
}
