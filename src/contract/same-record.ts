import { trimPlaces } from './decimal.ts'
import { type Field, type Fields, isJsonObject } from './fields.ts'

/** Whether some of these fields, or fields within them, are amounts. */
export const hasAmounts = (fields: Fields): boolean =>
  Object.values(fields).some(
    ({ kind, fields: inner }) => kind === 'amount' || (inner !== undefined && hasAmounts(inner)),
  )

/**
 * Whether the texts of two records differ at most in the spelling of amounts: `525` and `525.00` are
 * the same number. Other texts that look like numbers, such as codes, count as they are written.
 */
export const isSameByValue = (fields: Fields, one: string, other: string): boolean =>
  one === other ||
  (differInDecimals(one, other) && textByValue(fields, one) === textByValue(fields, other))

/** Cheaper than parsing: most records that differ do so in something else. */
const differInDecimals = (one: string, other: string): boolean => {
  let [at, otherAt] = [0, 0]
  while (at < one.length && otherAt < other.length) {
    if (one.charCodeAt(at) === other.charCodeAt(otherAt)) {
      at += 1
      otherAt += 1
      continue
    }
    const mine = decimalAt(one, at)
    const others = decimalAt(other, otherAt)
    if (!mine || !others || plainAmount(mine.text) !== plainAmount(others.text)) return false
    at = mine.end
    otherAt = others.end
  }
  return at === one.length && otherAt === other.length
}

/** The string around a position, if it holds nothing but the characters of a decimal. */
const decimalAt = (text: string, at: number): { text: string; end: number } | null => {
  let start = at
  while (isDecimalCharacter(text.charCodeAt(start - 1))) start -= 1
  let end = at
  while (isDecimalCharacter(text.charCodeAt(end))) end += 1
  return text[start - 1] === '"' && text[end] === '"' ? { text: text.slice(start, end), end } : null
}

const isDecimalCharacter = (code: number): boolean =>
  (code >= 0x30 && code <= 0x39) || code === 0x2d || code === 0x2e

/** An amount has no zeros in front. */
const plainAmount = (amount: string): string => {
  const trimmed = trimPlaces(amount)
  return trimmed === '-0' ? '0' : trimmed
}

const textByValue = (fields: Fields, body: string): string =>
  JSON.stringify(plainRecord(fields, body))

/** The record of a text, with its amounts in one spelling. */
export const plainRecord = (fields: Fields, body: string): unknown =>
  withPlainAmounts(fields, JSON.parse(body))

const withPlainAmounts = (fields: Fields, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => withPlainAmounts(fields, each))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => {
      const field = Object.hasOwn(fields, name) ? fields[name] : undefined
      return [name, field ? plainValue(field, each) : each]
    }),
  )
}

/** The value of a field, with its amounts in one spelling. */
export const plainValue = (field: Field, value: unknown): unknown => {
  if (field.kind === 'amount' && typeof value === 'string') return plainAmount(value)
  return field.fields ? withPlainAmounts(field.fields, value) : value
}
