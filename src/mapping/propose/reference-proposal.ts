import type { LeafField } from '#contract'
import {
  type Entity,
  type EntityContext,
  isIdentifier,
  openValue,
  type ProposedValue,
  proposed,
} from './entity.ts'
import { numbersOf } from './keys.ts'
import type { Certainty } from './proposal.ts'
import type { Link } from './relations.ts'
import { subjectOf } from './roles.ts'
import type { TableModel } from './table-model.ts'
import { isSame, wordsOf } from './words.ts'
import { quoted } from './yaml-text.ts'

/** A reference: of the same row, by a foreign key, or through a table between. */
export const referenceProposal = (
  leaf: LeafField,
  context: EntityContext,
): ProposedValue | null => {
  const { field } = leaf
  const { entity, entities } = context
  if (field.to === 'brand') return proposed('{ brand: id }', 'certain', 'the brand of the records')
  const target = entities.get(field.to ?? '')
  if (!target) return field.nullable ? null : openValue([], `no table has ${field.to}`)
  if (target.model === entity.model && target !== entity) return sameRow(leaf, context, target)
  const direct = directReference(leaf, context, target)
  if (direct) return direct
  const isWorth = !field.nullable || field.to === 'skus'
  const through = isWorth && isPlainRole(leaf, target) ? throughReference(context, target) : null
  if (through || field.nullable) return through
  return openValue([], `no column has the key of ${target.collection}`)
}

/** The other record is made of the same row. */
const sameRow = (
  leaf: LeafField,
  { entity, columns: own }: EntityContext,
  target: Entity,
): ProposedValue | null => {
  if (leaf.field.nullable && !isPlainRole(leaf, target)) return null
  const { columns } = target.key
  const isSameKey = columns.every((name) => entity.key.columns.includes(name))
  if (isSameKey) return refTo(target, columns, certaintyFor(target, 'certain'), 'the same row')
  const reason = `${target.collection} are made of this table`
  if (!entity.isShared) return refTo(target, columns, certaintyFor(target, 'certain'), reason)
  // Rows of one record can have several of the others.
  const isOne = columns.every((name) => own.some((column) => column.name === name))
  if (isOne) return refTo(target, columns, 'likely', reason)
  return leaf.field.nullable ? null : openValue([], `several ${target.collection} for one record`)
}

/** A reference is not more certain than the record and its key. */
const certaintyFor = (target: Entity, certainty: Certainty): Certainty =>
  target.key.certainty === 'open' || target.certainty !== 'certain' ? 'likely' : certainty

const refTo = (
  target: Entity,
  columns: readonly string[],
  certainty: Certainty,
  reason: string,
): ProposedValue => {
  const [only = ''] = columns
  const key = columns.map(quoted).join(', ')
  const expression = isIdentifier(target)
    ? quoted(only)
    : `{ ref: { collection: ${target.collection}, key: [${key}] } }`
  return proposed(expression, certainty, reason, columns)
}

interface Way {
  readonly columns: readonly string[]
  readonly certainty: Certainty
  readonly reason: string
  readonly rank: number
}

const directReference = (
  leaf: LeafField,
  context: EntityContext,
  target: Entity,
): ProposedValue | null => {
  const ways = [...linkWays(leaf, context, target), ...namedWays(leaf, context, target)]
  const ranked = ways.filter(({ rank }) => rank > 0).sort((one, other) => other.rank - one.rank)
  const [best, rival] = ranked
  if (!best) return null
  const isTie = rival && rival.rank === best.rank && !isSame(rival.columns, best.columns)
  if (isTie) {
    if (leaf.field.nullable) return null
    const both = [best, rival].map((way) => refTo(target, way.columns, 'likely', '').expression)
    return openValue(both, `which of them is the ${leaf.name.replace(/Id$/, '')}?`, [
      ...best.columns,
      ...rival.columns,
    ])
  }
  return refTo(target, best.columns, certaintyFor(target, best.certainty), best.reason)
}

/** Foreign keys to the table that the referenced records are made of. */
const linkWays = (
  leaf: LeafField,
  { links, entity }: EntityContext,
  target: Entity,
): readonly Way[] => {
  const all = links.filter((link) => link.target === target.model && hasKey(link, target))
  const sure = all.filter(({ certainty }) => certainty === 'certain')
  const own = sure.length > 0 ? sure : all
  return own.map((link) => {
    const columns = inKeyOrder(link, target)
    const rank = roleRank(leaf, columns, target, own.length === 1 && target !== entity)
    const isSure = rank > 1 && link.certainty === 'certain'
    return { columns, certainty: isSure ? 'certain' : 'likely', reason: link.reason, rank }
  })
}

const hasKey = (link: Link, target: Entity): boolean => isSame(link.to, target.key.columns)

const inKeyOrder = (link: Link, target: Entity): readonly string[] =>
  target.key.columns.map((column) => link.columns[link.to.indexOf(column)] ?? '')

/** Columns with the number of records that have no table of their own. */
const namedWays = (
  leaf: LeafField,
  { columns, entity }: EntityContext,
  target: Entity,
): readonly Way[] => {
  if (!target.isShared || target.key.columns.length !== 1) return []
  return numbersOf(columns, subjectOf(target.collection)).map((name) => ({
    columns: [name],
    certainty: 'likely',
    reason: 'its name',
    rank: roleRank(leaf, [name], target, target !== entity),
  }))
}

/** The words of a role besides the record itself: the default location, the destination. */
const roleOf = ({ name }: LeafField, target: Entity): readonly string[] => {
  const last = name.slice(name.lastIndexOf('.') + 1).replace(/Id$/, '')
  const { collection, model } = target
  const subjects = [...subjectOf(collection), ...wordsOf(collection), ...model.words]
  return wordsOf(last).filter((word) => !subjects.includes(word))
}

const isPlainRole = (leaf: LeafField, target: Entity): boolean => roleOf(leaf, target).length === 0

/** How well columns fit a role: 3 by name, 2 the plain one, 1 the only one, 0 not at all. */
const roleRank = (
  leaf: LeafField,
  columns: readonly string[],
  target: Entity,
  isOnly: boolean,
): number => {
  const role = roleOf(leaf, target)
  const { collection, model } = target
  const own = [...subjectOf(collection), ...wordsOf(collection), ...model.words]
  const place = collection === 'locations' ? ['location', 'warehouse'] : []
  const subjects = ['number', 'style', 'sku', ...own, ...place]
  const written = columns.flatMap(wordsOf).filter((word) => !subjects.includes(word))
  if (role.length > 0) {
    const synonyms = role.flatMap((word) => [word, ...(roleSynonyms[word] ?? [])])
    if (written.some((word) => synonyms.includes(word))) return 3
    return isOnly && mainRoles.includes(leaf.name) && written.length === 0 ? 1 : 0
  }
  if (written.length === 0 || columns.length > 1) return 2
  return isOnly && !leaf.field.nullable ? 1 : isOnly && !otherRole(written) ? 1 : 0
}

const roleSynonyms: { readonly [word: string]: readonly string[] } = {
  destination: ['delivery', 'ship', 'to', 'target', 'arrival'],
  origin: ['from', 'departure', 'loading', 'source'],
  default: ['main', 'primary', 'preferred'],
  forwarder: ['carrier', 'shipper', 'forwarding'],
  parent: ['main', 'super', 'upper'],
}

const otherRole = (written: readonly string[]): boolean =>
  written.some((word) => Object.values(roleSynonyms).flat().includes(word) || word in roleSynonyms)

/** References that a plain column means although their names have a role. */
const mainRoles = ['destinationLocationId', 'defaultPaymentTermId', 'parentCategoryId']

/** Whether a table can be between: lines, documents, and for items the articles of suppliers. */
const isBetween = ({ words }: TableModel, target: Entity): boolean =>
  words.some((word) => documentWords.includes(word)) ||
  (target.collection === 'skus' && (words.includes('sku') || words.includes('style')))

const documentWords = ['line', 'order', 'receipt', 'shipment', 'invoice', 'delivery', 'quote']

/** A reference through a table that has both: the item of a receipt through its order line. */
const throughReference = (
  { links, linksOf, join }: EntityContext,
  target: Entity,
): ProposedValue | null => {
  for (const link of links) {
    if (link.certainty !== 'certain' || !isBetween(link.target, target)) continue
    const next = linksOf(link.target).find(
      (each) => each.target === target.model && hasKey(each, target),
    )
    if (!next) continue
    const name = join(link)
    const columns = inKeyOrder(next, target).map((column) => `${name}.${column}`)
    const reason = `through ${link.target.table.name}: ${next.reason}`
    return { ...refTo(target, columns, 'likely', reason), columns: link.columns }
  }
  return null
}
