import type { LeafField } from '#contract'
import { unitOfMeasure } from '../units.ts'
import { unitSuffix } from './column-expression.ts'
import { type Fit, fitOf } from './column-fit.ts'
import type { Entity, EntityContext } from './entity.ts'
import { flagMeanings } from './enumeration.ts'
import { type FieldName, namesOf, type Strength } from './field-names.ts'
import { subjectOf } from './roles.ts'
import type { Column } from './table-model.ts'
import { isSame, wordsOf } from './words.ts'

/** A column that may have the values of a field. */
export interface Candidate {
  readonly column: Column
  /** How plainly its name means the field; `partial` if it shares only some words. */
  readonly name: Strength | 'partial'
  readonly fit: Fit
  readonly score: number
}

export interface FieldColumns {
  readonly leaf: LeafField
  /** Best first; the first one belongs to no other field. */
  readonly candidates: readonly Candidate[]
  readonly chosen: Candidate | null
}

/** The columns of each field. A column belongs to the field that its name fits best. */
export const assignColumns = (
  leaves: readonly LeafField[],
  { entity, columns }: Pick<EntityContext, 'entity' | 'columns'>,
): ReadonlyMap<string, FieldColumns> => {
  const all = leaves.map((leaf) => ({ leaf, candidates: candidatesOf(leaf, entity, columns) }))
  const pairs = all
    .flatMap(({ leaf, candidates }) => candidates.map((candidate) => ({ leaf, candidate })))
    .filter(({ leaf, candidate }) => isAssignable(leaf, candidate))
    .sort((one, other) => other.candidate.score - one.candidate.score)
  const chosen = new Map<string, Candidate>()
  const owner = new Map<string, LeafField>()
  for (const { leaf, candidate } of pairs) {
    const { name } = candidate.column
    if (chosen.has(leaf.name) || owner.has(name)) continue
    chosen.set(leaf.name, candidate)
    owner.set(name, leaf)
  }
  // A field that cannot be null takes the column of one that can.
  for (const { leaf, candidates } of all) {
    if (leaf.field.nullable || chosen.has(leaf.name)) continue
    const candidate = candidates.find(
      (candidate) =>
        isAssignable(leaf, candidate) && owner.get(candidate.column.name)?.field.nullable,
    )
    if (!candidate) continue
    chosen.delete(owner.get(candidate.column.name)?.name ?? '')
    chosen.set(leaf.name, candidate)
    owner.set(candidate.column.name, leaf)
  }
  return new Map(
    all.map(({ leaf, candidates }) => {
      const own = chosen.get(leaf.name) ?? null
      const free = candidates.filter(
        ({ column }) => column === own?.column || !owner.has(column.name),
      )
      return [leaf.name, { leaf, candidates: free, chosen: own }]
    }),
  )
}

/** A column that shares only some words is no more than a candidate. */
const isAssignable = ({ field }: LeafField, { name, fit }: Candidate): boolean =>
  name === 'exact' ||
  name === 'close' ||
  (name === 'weak' && fit.fit === 'proven' && !field.nullable)

const unassigned = ['id', 'ref', 'person', 'object', 'objects', 'texts']

const candidatesOf = (
  leaf: LeafField,
  entity: Entity,
  columns: readonly Column[],
): readonly Candidate[] => {
  const { name, field } = leaf
  if (unassigned.includes(field.kind)) return []
  const names = namesOf(entity.collection, name)
  if (field.kind === 'any' && !/notes$/i.test(name)) return []
  const isNumber = isSame(names[0]?.words ?? [], ['number'])
  const mustBeUnique =
    !entity.isShared &&
    entity.resource.unique.some((fields) => fields.length === 1 && fields[0] === name)
  return columns
    .flatMap((column): readonly Candidate[] => {
      if (mustBeUnique && !isDistinct(column)) return []
      const similarity =
        similarityOf(names, columnWords(name, leaf, column), entity) ?? flagSimilarity(leaf, column)
      if (!similarity) return []
      const fit = isNumber
        ? numberFit(column, entity.key.columns.includes(column.name))
        : fitOf(name, field, column)
      if (fit.fit === 'no') return []
      const score =
        similarity.score +
        (fit.fit === 'proven' ? 10 : 0) +
        (field.nullable ? 0 : 1) -
        (isNumber && isIdName(column.name) ? 12 : 0)
      return [{ column, name: similarity.name, fit, score }]
    })
    .sort((one, other) => other.score - one.score)
}

/** A flag named after a status: active, discontinued. */
const flagSimilarity = (
  { name, field }: LeafField,
  column: Column,
): { readonly name: 'exact'; readonly score: number } | null => {
  if (!/status$/i.test(name) || !field.values) return null
  const meanings = column.texts.size > 0 ? flagMeanings(field.values, column) : null
  // A flag for active says more about a status than one for locked.
  if (!meanings) return null
  const isLocked = /lock|sperr|block|hold/i.test(column.name)
  return { name: 'exact', score: meanings.isPositive ? 40 : isLocked ? 37 : 38 }
}

/** The cells that are filled are distinct. */
const isDistinct = ({ texts, filled }: Column): boolean => texts.size === filled

/** Numbers and codes can be of any type but a date, and mostly are filled. */
const numberFit = (column: Column, isKey: boolean): Fit => {
  if (column.isForeign && !isKey) return { fit: 'no', reason: '' }
  if (column.isDate || column.datePatterns.length > 0 || column.type?.kind === 'flag')
    return { fit: 'no', reason: '' }
  if (column.filled === 0) return { fit: 'possible', reason: 'its name; the column is empty' }
  return column.filled < column.rows
    ? { fit: 'possible', reason: `${column.rows - column.filled} of ${column.rows} are empty` }
    : { fit: 'proven', reason: `${column.filled} of ${column.filled} are filled` }
}

/** An identifier of the system rather than a number that people use. */
export const isIdName = (name: string): boolean =>
  /(^|[^a-z])id$/i.test(name) || /[a-z](Id|ID)$|[a-z]{3}id$/.test(name)

/** The words of a column without its unit. */
const columnWords = (name: string, { field }: LeafField, column: Column): readonly string[] => {
  const unit =
    (field.measure && unitOfMeasure[field.measure]) ?? (name.endsWith('Days') ? 'days' : null)
  const suffix = unit === null ? null : unitSuffix(column.name, unit)
  if (suffix === null) return column.words
  const written = wordsOf(suffix)
  return column.words.filter((word) => word !== suffix && !written.includes(word))
}

const scores: Record<Strength, number> = { exact: 100, close: 90, weak: 50 }

const similarityOf = (
  names: readonly FieldName[],
  written: readonly string[],
  { collection, model }: Entity,
): { readonly name: Candidate['name']; readonly score: number } | null => {
  const subject = new Set([...subjectOf(collection), ...model.words, ...sameSubjects(collection)])
  const plain = written.filter((word) => !subject.has(word))
  const isSubject = plain.length === 0 && written.length > 0
  let best: { name: Candidate['name']; score: number } | null = null
  for (const [at, { words, strength }] of names.entries()) {
    const isOwnNumber =
      isSubject && isSame(words, ['number']) && isSame(written, subjectOf(collection))
    const isOwnName = isSubject && isSame(words, ['name']) && isSame(written, model.words)
    const isExact =
      isOwnName || isSame(written, words) || (!isSubject && isSame(plain, words)) || isOwnNumber
    const shared = words.filter((word) => plain.includes(word) && !vagueWords.includes(word))
    const ratio =
      words.filter((word) => plain.includes(word)).length / new Set([...words, ...plain]).size
    const stripped = (written.length - words.length) / 4
    const score = isExact
      ? scores[strength] - at - (isOwnNumber ? 3 : stripped)
      : shared.length > 0
        ? 30 * ratio
        : 0
    if (score <= (best?.score ?? 9)) continue
    best = isOwnName
      ? { name: 'close', score: scores.weak }
      : { name: isExact ? strength : 'partial', score }
  }
  return best
}

/** Common words that do not make two names match on their own. */
const vagueWords = ['date', 'number', 'name', 'time', 'unit', 'status', 'kind', 'total']

/** Words for the same thing, in collections that are often one table. */
const sameSubjects = (collection: string): readonly string[] => {
  if (['parent-products', 'product-options', 'skus'].includes(collection)) return ['style', 'sku']
  if (['partners', 'suppliers'].includes(collection)) return ['supplier', 'partner']
  if (collection === 'locations') return ['location', 'warehouse']
  return []
}
