import { foldText } from '#contract'
import type { ColumnKind, SlicePart, SqlValue } from '#database'
import { isIdentifier } from './identifier.ts'

/**
 * Converts a contract value to the form in which a column of a kind stores and compares it. Returns
 * null, which equals nothing, for a text that is not of the kind. In a statement, `storedValue`
 * wraps the result.
 */
export const comparable = (kind: ColumnKind, value: SqlValue): SqlValue => {
  if (typeof value === 'string') return ofText[kind](value)
  return kind === 'uuid' ? null : value
}

const ofText: Record<ColumnKind, (text: string) => string | number | null> = {
  text: (text) => text,
  prefix: (text) => prefixOf(text),
  integer: (text) => text,
  uuid: (text) => (isIdentifier(text) ? text : null),
  date: (text) => (datePattern.test(text) ? Number(text.replaceAll('-', '')) : null),
  timestamp: (text) => (timestampPattern.test(text) ? Date.parse(text) : null),
  decimal: (text) => (decimalPattern.test(text) ? boundedDecimal(text) : null),
  folded: (text) => foldForSort(text),
}

/**
 * Characters of a text that its lookup column keeps. In any script they fit into an entry of an index
 * of PostgreSQL, which has 2,704 bytes, beside an identity. They are more than a filter takes, so
 * only longer values must also be compared with the record.
 */
export const prefixLength = 400

/** Whether a lookup column may keep only a part of a text. */
export const isCut = (value: unknown): boolean =>
  typeof value === 'string' && value.length >= prefixLength

const prefixOf = (text: string): string => {
  if (!isCut(text)) return text
  // A character has at most two UTF-16 code units.
  return [...text.slice(0, prefixLength * 2)].slice(0, prefixLength).join('')
}

const datePattern = /^\d{4}-\d\d-\d\d$/
const timestampPattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const decimalPattern = /^-?\d+(\.\d+)?$/

/** PostgreSQL limits the size of index entries. No measure needs more digits. */
const wholeDigitsMax = 400
const placesMax = 400

/** Truncates excess decimal places. Replaces numbers with too many whole digits by the largest one. */
const boundedDecimal = (text: string): string => {
  if (text.length <= wholeDigitsMax) return text
  const [whole = '', fraction = ''] = text.split('.')
  const isNegative = whole.startsWith('-')
  if (whole.length - (isNegative ? 1 : 0) > wholeDigitsMax) {
    return `${isNegative ? '-' : ''}${'9'.repeat(wholeDigitsMax)}`
  }
  return fraction === '' ? whole : `${whole}.${fraction.slice(0, placesMax)}`
}

/** Characters of a folded text that count for its order. Longer texts would bloat the indexes. */
const foldedMax = 100

const foldForSort = (text: string): string => {
  const folded = foldText(text)
  if (folded.length <= foldedMax) return folded
  // Do not split a surrogate pair.
  const isHalf = /[\ud800-\udbff]/.test(folded[foldedMax - 1] ?? '')
  return folded.slice(0, isHalf ? foldedMax - 1 : foldedMax)
}

/** Converts a slice of a record's text, like `comparable`; undefined if it is stored as it is. */
export const sliceReader = (kind: ColumnKind): SlicePart['read'] => ofSlice[kind]

/**
 * Slices have been validated, and most have a fixed position for each digit. Other kinds are stored
 * as they are.
 */
const ofSlice: { readonly [Kind in ColumnKind]?: SlicePart['read'] } = {
  date: (bytes, from) => dateAt(bytes, from),
  timestamp: (bytes, from) => timestampAt(bytes, from),
  folded: (bytes, from, to) => foldForSort(bytes.toString('utf8', from, to)),
}

const digit0 = 0x30

/** The number of two digits. */
const pairAt = (bytes: Uint8Array, at: number): number =>
  (bytes[at] as number) * 10 + (bytes[at + 1] as number) - digit0 * 11

const yearAt = (bytes: Uint8Array, at: number): number =>
  pairAt(bytes, at) * 100 + pairAt(bytes, at + 2)

/** `2026-03-01` is 20260301. */
const dateAt = (bytes: Uint8Array, at: number): number =>
  yearAt(bytes, at) * 10_000 + pairAt(bytes, at + 5) * 100 + pairAt(bytes, at + 8)

/** Milliseconds since 1970 of `2026-03-01T09:30:00.000Z`. */
const timestampAt = (bytes: Uint8Array, at: number): number => {
  const days = daysBefore(yearAt(bytes, at), pairAt(bytes, at + 5)) + pairAt(bytes, at + 8) - 1
  const minutes = (days * 24 + pairAt(bytes, at + 11)) * 60 + pairAt(bytes, at + 14)
  const hundredths = (minutes * 60 + pairAt(bytes, at + 17)) * 100 + pairAt(bytes, at + 20)
  return hundredths * 10 + (bytes[at + 22] as number) - digit0
}

/** Days from 1970 to the first of a month. */
const daysBefore = (year: number, month: number): number => {
  // Years that begin in March end with the leap day.
  const marchYear = month > 2 ? year : year - 1
  const leapDays =
    Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400)
  const monthDays = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5)
  return marchYear * 365 + leapDays + monthDays - daysTo1970
}

/** Days from 1 March of the year 0 to 1970. */
const daysTo1970 = 719_468
