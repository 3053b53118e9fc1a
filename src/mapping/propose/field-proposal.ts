import type { LeafField } from '#contract'
import { textFunctions } from '../functions.ts'
import { columnExpression, needsUnit } from './column-expression.ts'
import { fitOf } from './column-fit.ts'
import { type EntityContext, keyText, openValue, type ProposedValue, proposed } from './entity.ts'
import { meaningsOf, valuesText } from './enumeration.ts'
import type { Candidate, FieldColumns } from './field-candidates.ts'
import { namesOf } from './field-names.ts'
import { isProven } from './field-proof.ts'
import { referenceProposal } from './reference-proposal.ts'
import { totalProposal } from './totals.ts'
import { usualValues } from './usual-values.ts'
import { isSame } from './words.ts'
import { quoted } from './yaml-text.ts'

/** Proposes the value of a field; null if the field stays null. */
export const fieldProposal = (
  { leaf, candidates, chosen }: FieldColumns,
  context: EntityContext,
): ProposedValue | null => {
  const { name, field } = leaf
  const { key } = context.entity
  if (field.kind === 'id') {
    const certainty = key.certainty === 'certain' ? 'certain' : 'likely'
    return proposed(keyText(key.columns), certainty, 'an identifier of the same key', key.columns)
  }
  if (field.kind === 'ref') return referenceProposal(leaf, context)
  const total = totalProposal(name, context)
  if (total) return total
  const rival = rivalOf(chosen, candidates)
  if (chosen && rival) {
    const both = [chosen, rival].map((each) => columnText(leaf, each, context))
    const names = [chosen.column.name, rival.column.name]
    if (!field.nullable) return openValue(both, 'which of them?', names)
    if (field.values) return null
    return proposed(both[0] ?? '', 'likely', `or ${rival.column.name}`, names.slice(0, 1))
  }
  const isOfRows = context.entity.isSummed && isTimeOfRecord(name)
  if (chosen && (isOfRows || context.isSummed(chosen.column))) return summedProposal(leaf, chosen)
  if (chosen) return columnProposal(leaf, chosen, candidates, context)
  const joined = codeThroughLink(leaf, context)
  if (joined) return joined
  if (field.nullable || field.kind === 'any' || isTimeOfRecord(name)) return null
  return madeProposal(leaf, context) ?? unknownProposal(leaf, candidates, context)
}

/** Without a column, the defaults of the file have these. */
const isTimeOfRecord = (name: string): boolean => name === 'createdAt' || name === 'updatedAt'

/** Another column whose name and values fit as well. */
const rivalOf = (
  chosen: Candidate | null,
  candidates: readonly Candidate[],
): Candidate | undefined =>
  candidates.find((each) => each.column !== chosen?.column && chosen && each.score >= chosen.score)

const columnText = (leaf: LeafField, { column }: Candidate, context: EntityContext): string => {
  const { name, field } = leaf
  const meanings = field.values ? meaningsOf(field.values, column) : null
  return meanings?.values
    ? `{ column: ${quoted(column.name)}, values: ${valuesText(meanings.values)} }`
    : columnExpression(name, field, column, context)
}

const columnProposal = (
  leaf: LeafField,
  candidate: Candidate,
  candidates: readonly Candidate[],
  context: EntityContext,
): ProposedValue | null => {
  const { column, fit } = candidate
  const { name, field } = leaf
  const used = [column.name]
  const isFilled = field.nullable || column.filled === column.rows
  const hasUnit = !needsUnit(name, field, column, context.columns)
  const isFitting = candidate.name === 'exact' && fit.fit === 'proven' && isFilled && hasUnit
  const isSure = isFitting && isProven(leaf, candidate, candidates, context)
  const text = columnText(leaf, candidate, context)
  if (name === 'level' && column.texts.has('0')) {
    const text = `{ sum: [${quoted(column.name)}, { value: 1 }] }`
    return proposed(text, 'likely', 'counted from 0 there', used)
  }
  if (field.values) {
    const meanings = meaningsOf(field.values, column)
    const [constant, second] = usualValues(context.entity.collection, leaf)
    const others = [constant ?? '', second ?? ''].filter((each) => each !== '')
    if (!meanings)
      return field.nullable
        ? null
        : openValue(others, `${column.name} does not say it plainly`, used)
    if (meanings.certainty === 'open' && field.nullable) return null
    if (meanings.certainty === 'open') return openValue([text, ...others], meanings.reason, used)
    const certainty = isSure ? meanings.certainty : 'likely'
    return proposed(text, certainty, meanings.reason, used)
  }
  if (isSure && isDoubtfulNumber(name, candidate))
    return proposed(text, 'likely', 'no other number; an identifier of the system', used)
  if (isSure) return proposed(text, 'certain', fit.reason, used)
  if (!hasUnit) return proposed(text, 'likely', 'its name, if this is its unit', used)
  const empty = column.rows - column.filled
  const reason =
    isFilled || empty === column.rows ? fit.reason : `${empty} of ${column.rows} are empty`
  return proposed(
    text,
    'likely',
    reason.startsWith('its name') ? reason : `its name; ${reason}`,
    used,
  )
}

/** One value of several rows: quantities are added up, times are the last ones. */
const summedProposal = (
  { name, field }: LeafField,
  { column, fit }: Candidate,
): ProposedValue | null => {
  const isTime = field.kind === 'date' || field.kind === 'timestamp'
  const rows = isTime ? (name === 'createdAt' ? 'min' : 'max') : 'sum'
  if (!isTime && field.kind !== 'integer') return null
  const text = `{ rows: ${rows}, of: ${quoted(column.name)} }`
  return proposed(text, 'likely', `of several rows; ${fit.reason}`, [column.name])
}

/** A counter of the system where a number for people is meant. */
const isDoubtfulNumber = (name: string, { column, score }: Candidate): boolean =>
  /(number|code)$/i.test(name) && score < 103 && column.isNumber && /id$/i.test(column.name)

/** A country or currency of a table that this one refers to. */
const codeThroughLink = (
  { name, field }: LeafField,
  { links, entity, join }: EntityContext,
): ProposedValue | null => {
  if (field.code !== 'country' && field.code !== 'currency') return null
  const names = namesOf(entity.collection, name)
  for (const link of links) {
    const written = link.columns.flatMap(
      (column) => entity.model.columns.find((each) => each.name === column)?.words ?? [],
    )
    const plain = written.filter((word) => word !== 'number')
    const match = names.find(({ words }) => isSame(words, plain))
    if (link.certainty !== 'certain' || !match) continue
    const column = link.target.columns
      .filter((each) => fitOf(name, field, each).fit === 'proven')
      .sort((one, other) => Number(other.isUnique) - Number(one.isUnique))[0]
    if (!column) continue
    const { reason } = fitOf(name, field, column)
    const text = `{ column: ${quoted(`${join(link)}.${column.name}`)}, code: ${field.code} }`
    const certainty = match.strength === 'exact' ? 'certain' : 'likely'
    return proposed(text, certainty, `${link.reason}: ${reason}`, link.columns)
  }
  return null
}

/** Values that follow from others. */
const madeProposal = (leaf: LeafField, context: EntityContext): ProposedValue | null => {
  const { name, field } = leaf
  const { entity, columns } = context
  const { key } = entity
  if (name === 'slug') return slugProposal(context)
  if (name === 'asOf')
    return proposed('last-changed', 'likely', 'no column has the day of the count')
  if (name === 'displayName') return personName(context)
  if (field.code === 'currency')
    return proposed('{ brand: currency }', 'likely', 'no column has a currency: the brand has one')
  if (field.code === 'timezone')
    return proposed('{ brand: timezone }', 'likely', 'no column has a time zone')
  if (name === 'revisionNumber' && entity.collection === 'orders')
    return proposed('{ value: 0 }', 'likely', 'no table has amendments')
  if (name === 'sequence' && entity.collection === 'product-options' && key.columns.length === 1)
    return proposed('{ value: 1 }', 'likely', 'one option for each product')
  if (name === 'availableQuantity') {
    const stock = columns.find(
      ({ words }) => words.includes('stock') || isSame(words, ['quantity']),
    )
    if (stock)
      return openValue([quoted(stock.name)], 'no column has it; the stock is a candidate', [
        stock.name,
      ])
  }
  if (
    isSame(namesOf(entity.collection, name)[0]?.words ?? [], ['number']) &&
    key.columns.length > 0
  ) {
    const joined =
      key.columns.length === 1
        ? quoted(key.columns[0] ?? '')
        : `{ join: [${key.columns.map(quoted).join(', ')}], with: '-' }`
    const isSure = key.certainty !== 'open'
    return isSure
      ? proposed(joined, 'likely', 'no other number; its key', key.columns)
      : openValue([joined], 'no column has a number', key.columns)
  }
  return null
}

/** The slug of a name; with the key if names occur twice. */
const slugProposal = ({ entity, columns }: EntityContext): ProposedValue => {
  const { key, model } = entity
  const names = namesOf(entity.collection, 'name')
  const subject = new Set([...model.words, 'supplier', 'partner'])
  const own = names
    .flatMap(({ words, strength }) =>
      strength === 'weak'
        ? []
        : columns.filter(
            (each) =>
              isSame(each.words, words) ||
              isSame(
                each.words.filter((word) => !subject.has(word)),
                words,
              ),
          ),
    )
    .find(({ filled, rows }) => filled === rows)
  if (!own) {
    const joined = `{ join: [${key.columns.map(quoted).join(', ')}], apply: [slug] }`
    return openValue([joined], 'no column has a name', key.columns)
  }
  if (own.rows === 0)
    return proposed(`{ column: ${quoted(own.name)}, apply: [slug] }`, 'likely', 'of the name', [
      own.name,
    ])
  const slugs = new Set([...own.texts.keys()].map((text) => textFunctions.slug.run(text)))
  if (own.isUnique && slugs.size === own.texts.size && !slugs.has(''))
    return proposed(
      `{ column: ${quoted(own.name)}, apply: [slug] }`,
      'certain',
      `${slugs.size} of ${slugs.size} are distinct`,
      [own.name],
    )
  const parts = [own.name, ...key.columns].map(quoted).join(', ')
  return proposed(
    `{ join: [${parts}], apply: [slug] }`,
    'likely',
    'names occur twice: with the key',
    [own.name, ...key.columns],
  )
}

const personName = ({ columns }: EntityContext): ProposedValue | null => {
  const find = (...words: readonly string[]) => columns.find((each) => isSame(each.words, words))
  const [first, last] = [find('first', 'name'), find('last', 'name')]
  if (!first || !last) return null
  return proposed(
    `{ join: [${quoted(first.name)}, ${quoted(last.name)}] }`,
    'likely',
    'first and last name',
    [first.name, last.name],
  )
}

const unknownProposal = (
  leaf: LeafField,
  candidates: readonly Candidate[],
  context: EntityContext,
): ProposedValue => {
  const { entity } = context
  const near = candidates.slice(0, 2)
  const columns = near.map((each) => columnText(leaf, each, context))
  const brand = leaf.field.code === 'country' ? ['{ brand: country }'] : []
  const isName = /^(name|label|description)$/.test(leaf.name)
  const key = isName ? [`{ join: [${entity.key.columns.map(quoted).join(', ')}] }`] : []
  const constants = usualValues(entity.collection, leaf)
  const all = [...columns, ...brand, ...key, ...constants]
  return openValue(
    all,
    near.length > 0 ? 'no column plainly has it' : 'no column has it',
    near.map(({ column }) => column.name),
  )
}
