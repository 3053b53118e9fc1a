import type { Row } from './api.ts'
import { type Field, type Group, groupAt, titleOf } from './contract.ts'

/** Of one record: the value of a field, and what was brought along for its references. */
export const recordBehind = (row: Row, field: Field): { group: Group; row: Row } | null => {
  const group = field.to === null ? undefined : groupAt(field.to)
  const found = field.include === null ? undefined : row[field.include]
  return group && typeof found === 'object' && found !== null ? { group, row: found as Row } : null
}

/** What a reference is shown as: the title of its record, or the beginning of its identity. */
export const referenceTitle = (row: Row, field: Field): string | null => {
  const behind = recordBehind(row, field)
  return behind && nameOf(behind.group, behind.row)
}

/** The title; a bare number says nothing without what it is the number of: `Leg 2`. */
export const nameOf = (group: Group, row: Row): string => {
  const title = titleOf(group, row)
  return /^[\d.]+$/.test(title) ? `${group.singular} ${title}` : title
}

/** The references to bring along, so that these fields can be shown. */
export const includesOf = (fields: readonly Field[]): string[] => [
  ...new Set(
    fields.flatMap((field) => [
      ...(field.include === null ? [] : [field.include]),
      ...(currencyReference(field) ?? []),
    ]),
  ),
]

const currencyReference = ({ currencyFrom }: Field): [string] | null => {
  const [reference, name] = currencyFrom?.split('.') ?? []
  return name !== undefined && reference?.endsWith('Id') ? [reference.replace(/Id$/, '')] : null
}

/** The currency of an amount: of the record, of the one it belongs to, or of the brand. */
export const currencyOf = (row: Row, field: Field, baseCurrency: string | null): string | null => {
  if (field.currencyFrom === null) return null
  const [first = '', second, third] = field.currencyFrom.split('.')
  if (second === undefined) return textOrNull(row[first])
  if (first === 'brand') return baseCurrency
  const behind = row[first.replace(/Id$/, '')] as Row | null | undefined
  return third === undefined ? textOrNull(behind?.[second]) : null
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** A date or a moment in the viewer's form; as it is, where it is neither. */
export const asDay = (value: string): string => formatted(day, `${value}T00:00:00Z`, value)
export const asMoment = (value: string): string => formatted(moment, value, value)

const formatted = (format: Intl.DateTimeFormat, at: string, otherwise: string): string => {
  const time = Date.parse(at)
  return Number.isNaN(time) ? otherwise : format.format(time)
}

/** Digits in groups, digit for digit: an amount is never made a floating point number. */
export const asAmount = (value: string): string => {
  const [, sign = '', whole = '', rest = ''] = /^(-?)(\d+)(\.\d+)?$/.exec(value) ?? []
  return whole === '' ? value : `${sign && '−'}${BigInt(whole).toLocaleString()}${rest}`
}

/** `partially_paid` in words. */
export const asWords = (value: string): string => value.replaceAll('_', ' ')

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'plain'

const toneWords: Record<Exclude<Tone, 'plain'>, string> = {
  good: 'accepted active adopted agreed applied approved arrived closed completed confirmed delivered matched paid pass passed received shipped in_stock',
  warn: 'approved_with_comments conditional countered disputed due in_review mismatch negotiating on_hold partially_paid partially_received partially_shipped pending pending_update revise rolled unmatched',
  bad: 'blocked cancelled declined expired fail failed overdue rejected void dropped short over damaged wrong_item quality',
  quiet:
    'archived discontinued draft ended ignored inactive not_applicable not_audited retired superseded waived withdrawn',
}

const tones = new Map(
  Object.entries(toneWords).flatMap(([tone, words]) =>
    words.split(' ').map((word) => [word, tone as Tone] as const),
  ),
)

/** How a status feels. What is not known is said plainly. */
export const toneOf = (value: string): Tone => tones.get(value) ?? 'plain'

/** A value as text, to be copied. */
export const asText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The record alone, without what was brought along for its references. */
export const withoutIncluded = (row: Row, group: Group): Row =>
  Object.fromEntries(group.fields.map(({ name }) => [name, row[name]]))
