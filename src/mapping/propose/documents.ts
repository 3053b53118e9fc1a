import { type Catalog, resourceAt } from '#contract'
import { textOf } from '../cell.ts'
import type { Entity, RowChoice } from './entity.ts'
import { chooseKey } from './keys.ts'
import type { Links } from './proposal.ts'
import type { Column, TableModel } from './table-model.ts'
import type { LeftOut } from './table-roles.ts'

/*
 * Documents whose tables have no telling name, such as `oe` and `ap`: the table that lines refer to,
 * or a table with the number of a document, a date and a supplier.
 */

const lineCollections: readonly (readonly [header: string, lines: string])[] = [
  ['orders', 'order-items'],
  ['goods-receipts', 'goods-receipt-lines'],
  ['invoices', 'invoice-lines'],
  ['shipments', 'shipment-items'],
]

/** Adds the documents that are missing, and returns what is left out then. */
export const completeDocuments = (
  catalog: Catalog,
  models: readonly TableModel[],
  entities: Map<string, Entity>,
  links: Links,
): ((leftOut: readonly LeftOut[]) => readonly LeftOut[]) => {
  const added = new Set<string>()
  const add = (collection: string, model: TableModel, reason: string) => {
    const resource = resourceAt(catalog, collection)
    const key = chooseKey(resource, model)
    entities.set(collection, {
      ...{ collection, resource, model, key, reason },
      ...{ certainty: 'likely', isShared: false },
    })
    added.add(model.table.name)
  }
  const isFree = (model: TableModel) =>
    model.table.primaryKey !== undefined &&
    model.trade.side !== 'sales' &&
    ![...entities.values()].some((each) => each.model === model)
  for (const [header, lines] of lineCollections) {
    const own = entities.get(lines)
    if (!own || entities.has(header)) continue
    const link = links
      .of(own.model, entities)
      .find(
        ({ target, certainty }) =>
          certainty === 'certain' && isFree(target) && hasDay(target) && hasParty(target),
      )
    if (link) add(header, link.target, `${own.model.table.name} are its lines`)
  }
  for (const [document, word] of [
    ['invoices', 'invoice'],
    ['orders', 'order'],
  ] as const) {
    if (entities.has(document)) continue
    const model = models.find(
      (each) =>
        isFree(each) &&
        each.isAbbreviated &&
        hasDay(each) &&
        hasParty(each) &&
        each.columns.some(
          ({ words, isUnique }) => isUnique && words.includes(word) && words.includes('number'),
        ),
    )
    if (model) add(document, model, 'its columns')
  }
  return (leftOut) => leftOut.filter(({ table }) => !added.has(table))
}

const hasDay = ({ columns }: TableModel): boolean =>
  columns.some(({ isDate, type }) => isDate || type?.kind === 'date')

const hasParty = ({ columns }: TableModel): boolean =>
  columns.some(({ words }) => words.includes('supplier') || words.includes('partner'))

/** Lines that are comments have no item: a kind of line tells them apart. */
export const chooseItemLines = (entities: Map<string, Entity>, links: Links): void => {
  for (const [, lines] of lineCollections) {
    const entity = entities.get(lines)
    if (!entity || entity.isShared || entity.where) continue
    const { model } = entity
    const items = links
      .of(model, entities)
      .find(({ target }) =>
        ['skus', 'parent-products'].some((to) => entities.get(to)?.model === target),
      )
    const [name] = items?.columns ?? []
    const item = model.columns.find((each) => each.name === name)
    const quantity = model.columns.find(({ words }) => words.includes('quantity'))
    if (!item || !quantity || item.filled === item.rows) continue
    const where = itemChoice(model, item, quantity)
    if (where) entities.set(lines, { ...entity, where })
  }
}

/** The column whose texts divide rows with an item and a quantity from those without. */
const itemChoice = (model: TableModel, item: Column, quantity: Column): RowChoice | null => {
  const { rows } = model.table
  const isFilled = ({ at }: Column, row: (typeof rows)[number]) => textOf(row[at] ?? null) !== null
  const withItem = rows.filter((row) => isFilled(item, row) && isFilled(quantity, row))
  const without = rows.filter((row) => !isFilled(item, row) && !isFilled(quantity, row))
  if (without.length === 0 || withItem.length + without.length < rows.length) return null
  for (const column of model.columns) {
    if (column.distinct < 2 || column.distinct > kindsMax || column.filled < column.rows) continue
    if (column.isForeign || column.isNumber) continue
    const textsOf = (some: typeof rows) =>
      new Set(some.map((row) => textOf(row[column.at] ?? null) ?? ''))
    const [right, others] = [textsOf(withItem), textsOf(without)]
    if ([...right].some((text) => others.has(text))) continue
    return { column: column.name, texts: [...right], reason: 'other rows have no item' }
  }
  return null
}

const kindsMax = 10
