import type { Row } from './api.ts'
import type { Field, Group } from './contract.ts'
import { nameOf, recordBehind } from './names.ts'

/** What a reference is shown as: the name of its record, where that was brought along. */
export const referenceTitle = (row: Row, field: Field): string | null => {
  const referenced = recordBehind(row, field)
  return referenced && nameOf(referenced.group, referenced.row)
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
  const referenced = row[first.replace(/Id$/, '')] as Row | null | undefined
  return third === undefined ? textOrNull(referenced?.[second]) : null
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

/** `partially_paid` as words. */
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

/** The tone of a status; plain if the status is unknown. */
export const toneOf = (value: string): Tone => tones.get(value) ?? 'plain'

/** A value as text for the clipboard. */
export const asText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The record as JSON, without included records. */
export const withoutIncluded = (row: Row, group: Group): Row =>
  Object.fromEntries(group.fields.map(({ name }) => [name, row[name]]))
