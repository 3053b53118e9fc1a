import type { Row } from './api.ts'
import type { Field, Group } from './contract.ts'
import { nameOf, recordBehind } from './names.ts'

/** The text of a reference: the name of its record, if included. */
export const referenceTitle = (row: Row, field: Field): string | null => {
  const referenced = recordBehind(row, field)
  return referenced && nameOf(referenced.group, referenced.row)
}

/** The references to include for showing these fields. */
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

/** The currency of an amount: from the record, its parent, or the brand. */
export const currencyOf = (row: Row, field: Field, baseCurrency: string | null): string | null => {
  if (field.currencyFrom === null) return null
  const [first = '', second, third] = field.currencyFrom.split('.')
  if (second === undefined) return textOrNull(row[first])
  if (first === 'brand') return baseCurrency
  const referenced = row[first.replace(/Id$/, '')] as Row | null | undefined
  return third === undefined ? textOrNull(referenced?.[second]) : null
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null)

export type Tone = 'good' | 'warn' | 'bad' | 'quiet' | 'plain'

/**
 * The meaning of statuses. good: done and fine. warn: needs attention. bad: needs action. quiet:
 * inactive. All others are in progress.
 */
const toneWords: Record<Exclude<Tone, 'plain'>, string> = {
  good: 'accepted active adopted agreed applied approved closed completed delivered matched paid pass passed received',
  warn: 'approved_with_comments conditional disputed due on_hold over partially_paid partially_received partially_shipped pending_update revise rolled unmatched',
  bad: 'blocked damaged expired fail failed mismatch overdue quality rejected short wrong_item',
  quiet:
    'archived cancelled declined discontinued draft dropped ended ignored inactive not_applicable not_audited retired superseded void waived withdrawn',
}

const tones = new Map(
  Object.entries(toneWords).flatMap(([tone, words]) =>
    words.split(' ').map((word) => [word, tone as Tone] as const),
  ),
)

/**
 * The tone of a status. A lifecycle stage is good only if no work follows: an approved invoice
 * still has to be paid, but a received order only has to be closed.
 */
export const toneOf = (value: string, lifecycle: readonly string[] = []): Tone => {
  const tone = tones.get(value) ?? 'plain'
  if (tone !== 'good' || !lifecycle.includes(value)) return tone
  const later = lifecycle.slice(lifecycle.indexOf(value))
  const isDone = (each: string) => ['good', 'quiet'].includes(tones.get(each) ?? 'plain')
  return later.every(isDone) ? 'good' : 'plain'
}

/** Whether the values of a field are statuses. Other values are plain text. */
export const isStatus = ({ name, values, lifecycle }: Field): boolean =>
  lifecycle.length > 0 ||
  (values.length > 0 && /status|decision|result|stage|discrepancy/i.test(name))

/** Kinds whose values are right-aligned. */
export const isNumeric = ({ kind }: Field): boolean => kind === 'amount' || kind === 'integer'

/** A value as text for the clipboard. */
export const asText = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

/** The record as JSON, without included records. */
export const withoutIncluded = (row: Row, group: Group): Row =>
  Object.fromEntries(group.fields.map(({ name }) => [name, row[name]]))
