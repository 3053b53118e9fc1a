import {
  type ConditionValue,
  type Field,
  type Kind,
  limits,
  patterns,
  queryLimits,
} from '#contract'
import { cut } from './query-string.ts'

/** A parameter value; a date given for a timestamp depends on the time zone. */
export type ParsedValue = ConditionValue | StartOfDay

/** The beginning of a day in the brand's time zone. */
export interface StartOfDay {
  readonly startOf: string
}

type ReadValue = (text: string) => { readonly value: ParsedValue } | string

const identifier = new RegExp(patterns.id)
const amount = new RegExp(patterns.amount)
const date = new RegExp(patterns.date)
const integer = /^-?(0|[1-9]\d*)$/
const instant =
  /^(\d{4}-\d\d-\d\d)T(?:[01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/

const readIdentifier: ReadValue = (text) =>
  identifier.test(text) ? { value: text } : 'must be a lower-case UUID'

const unreadable: ReadValue = () => 'cannot be compared'

const readers: Record<Kind, ReadValue> = {
  id: readIdentifier,
  ref: readIdentifier,
  person: readIdentifier,
  text: (text) => {
    const { minLength, maxLength } = limits.stringFilter
    const { length } = [...text]
    return length >= minLength && length <= maxLength
      ? { value: text }
      : `must have ${minLength} to ${maxLength} characters`
  },
  integer: (text) =>
    integer.test(text) && Number.isSafeInteger(Number(text))
      ? { value: Number(text) }
      : 'must be a whole number such as 120',
  flag: unreadable,
  amount: (text) =>
    amount.test(text) && text.length <= queryLimits.amount
      ? { value: text }
      : 'must be a decimal number such as 1250.00, with a point and without separators',
  date: (text) => (isDate(text) ? { value: text } : 'must be a date such as 2026-03-01'),
  timestamp: (text) => {
    if (isDate(text)) return { value: { startOf: text } }
    // In a query string, + means a space.
    const written = text.replace(/ (\d\d:\d\d)$/, '+$1')
    const [, day = ''] = instant.exec(written) ?? []
    const time = isDate(day) ? Date.parse(written) : Number.NaN
    return Number.isNaN(time)
      ? 'must be a time such as 2026-03-01T09:00:00Z, or a date such as 2026-03-01'
      : { value: new Date(time).toISOString() }
  },
  any: unreadable,
  texts: unreadable,
  object: unreadable,
  objects: unreadable,
}

/** Reads a value to compare a field with, or returns its problem. */
export const readValue = (
  { kind }: Field,
  text: string,
): { readonly value: ParsedValue } | string => readers[kind](text)

/** Whether a text is an existing date. */
export const isDate = (text: string): boolean =>
  date.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)

/** Reads values separated by commas, or returns the first problem. */
export const readValues = (
  field: Field,
  text: string,
): { readonly values: readonly ParsedValue[] } | string => {
  const texts = [...new Set(text.split(','))]
  if (texts.length > queryLimits.values) return `must have at most ${queryLimits.values} values`
  const values: ParsedValue[] = []
  for (const each of texts) {
    const result = readValue(field, each)
    if (typeof result === 'string') return `has ${JSON.stringify(cut(each))}, which ${result}`
    values.push(result.value)
  }
  return { values }
}
