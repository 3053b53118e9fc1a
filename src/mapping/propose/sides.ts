import { textOf } from '../cell.ts'
import { flagTexts } from '../convert.ts'
import type { Entity, RowChoice } from './entity.ts'
import type { Links } from './proposal.ts'
import { subjectOf } from './roles.ts'
import type { Column } from './table-model.ts'
import { type Side, sideOfText, sidesNear } from './trade.ts'
import { isSame, wordsOf } from './words.ts'

/*
 * Many systems keep the documents of purchasing and sales in one table. A column with the kind of
 * document tells them apart, or the party that is filled: a supplier or a customer.
 */

/** The collections that can share a table with sales, and what their lines belong to. */
const traded: readonly (readonly [collection: string, header: string | null])[] = [
  ['orders', null],
  ['goods-receipts', null],
  ['shipments', null],
  ['invoices', null],
  ['payments', null],
  ['order-items', 'orders'],
  ['goods-receipt-lines', 'goods-receipts'],
  ['shipment-items', 'shipments'],
  ['invoice-lines', 'invoices'],
]

/** Chooses the rows of purchasing in tables that have sales too. */
export const chooseSides = (entities: Map<string, Entity>, links: Links): void => {
  for (const [collection, header] of traded) {
    const entity = entities.get(collection)
    if (!entity || entity.isShared || entity.where || entity.model.trade.side !== null) continue
    const where =
      kindChoice(entity) ??
      flagChoice(entity) ??
      (header === null ? partyChoice(entity) : headerChoice(entity, entities.get(header), links))
    if (!where) continue
    const isShown = where.isNamed && (where.via !== undefined || isSupplied(entity, where))
    const { certainty, reason } = entity
    entities.set(collection, {
      ...{ ...entity, where },
      ...(isShown ? { certainty: 'certain', reason: where.reason } : { certainty, reason }),
    })
  }
}

/** A column with kinds of documents of both sides. */
const kindChoice = ({ collection, model }: Entity): RowChoice | null => {
  for (const column of model.columns) {
    if (column.isForeign || column.isNumber || column.distinct < 2 || column.distinct > kindsMax)
      continue
    const texts = [...column.texts.keys()]
    const of = (side: Side) => texts.filter((text) => sideOfText(text) === side)
    const [bought, sold] = [of('purchase'), of('sales')]
    // An order is not what was asked before it, nor what was sent back.
    const plain = bought.filter((text) => collection === 'invoices' || !otherKinds.test(text))
    if (plain.length === 0 || sold.length === 0) continue
    const reason = `${column.name} also has ${sold.slice(0, 2).join(', ')}`
    const isNamed = plain.every((text) => isSame(wordsOf(text), subjectOf(collection)))
    return { column: column.name, texts: plain, reason, isNamed }
  }
  return null
}

/** Whether all rows that count have a supplier by a foreign key, and no row of sales has one. */
const isSupplied = ({ model }: Entity, { column, texts }: RowChoice): boolean => {
  const kind = model.columns.find(({ name }) => name === column)
  const supplier = model.columns.find(
    ({ isForeign, name }) => isForeign && sidesNear(name) === 'purchase',
  )
  if (!kind || !supplier) return false
  return model.table.rows.every((row) => {
    const isOwn = texts?.includes(textOf(row[kind.at] ?? null) ?? '')
    return isOwn === (textOf(row[supplier.at] ?? null) !== null)
  })
}

const kindsMax = 20
const otherKinds = /quot|request|rfq|anfrage|angebot|devis|intake|confirm|return|refund|retour|rma/i

/** A flag for documents of one side. */
const flagChoice = ({ model }: Entity): RowChoice | null => {
  for (const column of model.columns) {
    const side = /^is_?so_?trx$/i.test(column.name) ? 'sales' : sidesNear(column.name)
    if (side === null || !isFlag(column)) continue
    const isWanted = side === 'purchase'
    const text = [...column.texts.keys()].find((each) => flagTexts[each.toLowerCase()] === isWanted)
    if (text !== undefined)
      return { column: column.name, texts: [text], reason: 'a flag: other rows are of sales' }
  }
  return null
}

const isFlag = ({ texts }: Column): boolean =>
  texts.size === 2 &&
  [...texts.keys()].every((each) => Object.hasOwn(flagTexts, each.toLowerCase()))

/** Each row has either a supplier or a customer. */
const partyChoice = ({ model }: Entity): RowChoice | null => {
  const { columns, table } = model
  const of = (side: Side) =>
    columns.find(
      (column) =>
        column.filled > 0 &&
        column.filled < column.rows &&
        sidesNear(column.name) === side &&
        (column.isForeign || column.words.includes('number')),
    )
  const [supplier, customer] = [of('purchase'), of('sales')]
  if (!supplier || !customer) return null
  const isFilled = ({ at }: Column, row: (typeof table.rows)[number]) =>
    textOf(row[at] ?? null) !== null
  const isOne = table.rows.every((row) => isFilled(supplier, row) !== isFilled(customer, row))
  const reason = `other rows have ${customer.name}`
  return isOne ? { column: supplier.name, texts: null, reason } : null
}

/** Lines are of the side of their header. */
const headerChoice = (
  { model }: Entity,
  header: Entity | undefined,
  links: Links,
): RowChoice | null => {
  if (!header?.where || header.where.via) return null
  const via = links
    .of(model, new Map([[header.collection, header]]))
    .find((link) => link.target === header.model && link.certainty === 'certain')
  const isNamed = header.certainty === 'certain'
  return via ? { ...header.where, via, isNamed, reason: `as ${header.collection}` } : null
}
