import type { Field, LeafField } from '#contract'
import { unitOfMeasure, units } from '../units.ts'
import type { ColumnProfile } from './column-profile.ts'
import type { Certainty } from './proposal.ts'
import { fieldWords, wordsOf } from './words.ts'

export const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((each) => b.includes(each))

export interface Match {
  readonly column: ColumnProfile
  readonly certainty: Certainty
  readonly score: number
  /** The unit suffix of the column's name, if it differs from the field's unit. */
  readonly unit: string | null
}

/** The most likely column for a field. */
export const bestColumn = (
  { name, field }: LeafField,
  columns: readonly ColumnProfile[],
  subject: readonly string[],
): Match | null => {
  if (field.kind === 'id') return null
  const unit = unitOf(name, field)
  const last = name.slice(name.lastIndexOf('.') + 1)
  const wanted = fieldWords[last] ?? wordsOf(last)
  const isOwn =
    wanted.length === 1 && ['number', 'name', 'description', 'status'].includes(wanted[0] ?? '')
  let best: Match | null = null
  for (const column of columns) {
    if (!fits(field, column)) continue
    const [stem, columnUnit] = withoutUnit(column.name, unit)
    const written = wordsOf(stem)
    const plain = written.filter((word) => !subject.includes(word))
    const isNumber = isSame(written, subject) && isSame(wanted, ['number'])
    const exact = isNumber || isSame(written, wanted) || isSame(plain, wanted)
    const shared = wanted.filter((word) => plain.includes(word))
    const isMeant = exact || shared.some((word) => !vagueWords.includes(word))
    // For a colour of a style, columns named after the colour take precedence.
    const isClosest = exact && subject.length > 1 && written.includes(subject.at(-1) ?? '')
    const score = isClosest ? 2 : exact ? 1 : shared.length / new Set([...wanted, ...plain]).size
    if (!isMeant || score < 0.5 || (isOwn && !exact) || score <= (best?.score ?? 0)) continue
    best = {
      ...{ column, certainty: exact ? 'certain' : 'likely', score },
      unit: columnUnit === unit ? null : columnUnit,
    }
  }
  return best
}

/** The unit of a field, for converting columns in another unit. */
const unitOf = (name: string, { measure }: Field): string | null =>
  (measure && unitOfMeasure[measure]) ?? (name.endsWith('Days') ? 'days' : null)

/** Splits the unit off a column's name: `weight_g` is a weight in grams. */
const withoutUnit = (
  column: string,
  wanted: string | null,
): readonly [stem: string, unit: string | null] => {
  const [, stem, last = ''] = /^(.*?)[^A-Za-z0-9]+([A-Za-z]+)[)\]]?$/.exec(column) ?? []
  const unit = last.toLowerCase()
  const isUnit = wanted !== null && Object.hasOwn(units, unit) && units[unit]?.to === wanted
  return stem && isUnit ? [stem, unit] : [column, null]
}

/** Common words that do not make two columns match on their own. */
const vagueWords = ['date', 'number', 'name', 'time', 'unit', 'status', 'kind']

/** Whether a column's cells can be values of a field. */
const fits = ({ kind }: Field, column: ColumnProfile): boolean => {
  if (column.filled === 0) return kind !== 'ref'
  if (kind === 'date' || kind === 'timestamp')
    return column.isDate || column.datePatterns.length > 0
  if (kind === 'integer' || kind === 'amount') return column.numberFormats.length > 0
  if (kind === 'text') return !column.isDate
  return kind === 'ref' || kind === 'flag'
}
