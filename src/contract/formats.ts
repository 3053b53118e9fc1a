import { limits, patterns } from './limits.ts'

/**
 * String formats: identities, amounts, dates and timestamps. A format matches bytes, so that
 * `checkRecord` (parsed values) and `compileCanonicalScanner` (bytes of a file) share one
 * definition. Every format is ASCII. `patterns` has the equivalents for JSON Schema.
 */
export interface Format {
  /** The end of the longest match that starts at `from`, or -1. */
  readonly match: (bytes: Uint8Array, from: number) => number
  /** Describes a value that does not have this format. */
  readonly problem: (value: unknown) => string
  /** Whether a text that does not match only exceeds the bounds of this format. */
  readonly isBeyond?: (text: string) => boolean
  /** Rewrites an equivalent text in this format. Returns an unrecognised text unchanged. */
  readonly normalize?: (text: string) => string
}

const noMatch = -1
const { amountDigits } = limits.bounds
const [minus, dot, colon, zero, nine, a, f] = [0x2d, 0x2e, 0x3a, 0x30, 0x39, 0x61, 0x66]
const [letterT, letterZ] = [0x54, 0x5a]

/** Whether the whole text has the format. */
export const isOfFormat = ({ match }: Format, text: string): boolean => {
  const { length } = text
  const bytes = length < buffer.length ? buffer : new Uint8Array(length + 1)
  for (let index = 0; index < length; index += 1) {
    const code = text.charCodeAt(index)
    if (code > 0x7f) return false
    bytes[index] = code
  }
  // No format contains NUL, so a match cannot run into leftovers of an earlier text.
  bytes[length] = 0
  return match(bytes, 0) === length
}

/** Longer than any text of fixed length. Only an amount can need more. */
const buffer = new Uint8Array(64)

/** 0 for the bytes 0–9 and a–f, 1 for all others. */
const notHex = new Uint8Array(256)
  .fill(1)
  .fill(0, zero, nine + 1)
  .fill(0, a, f + 1)

/** Returns 0 if all bytes between two offsets are hexadecimal digits. */
const othersBetween = (bytes: Uint8Array, from: number, to: number): number => {
  let others = 0
  for (let at = from; at < to; at += 1) others |= notHex[bytes[at] as number] as number
  return others
}

const anyCaseUuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

export const uuidFormat: Format = {
  match: (bytes, from) => {
    if (from + 36 > bytes.length) return noMatch
    const hasHyphens =
      bytes[from + 8] === minus &&
      bytes[from + 13] === minus &&
      bytes[from + 18] === minus &&
      bytes[from + 23] === minus
    if (!hasHyphens) return noMatch
    const others =
      othersBetween(bytes, from, from + 8) |
      othersBetween(bytes, from + 9, from + 13) |
      othersBetween(bytes, from + 14, from + 18) |
      othersBetween(bytes, from + 19, from + 23) |
      othersBetween(bytes, from + 24, from + 36)
    return others === 0 ? from + 36 : noMatch
  },
  problem: () => 'must be a UUID such as 5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
  normalize: (text) => (anyCaseUuid.test(text) ? text.toLowerCase() : text),
}

const isDigit = (code: number | undefined): boolean =>
  code !== undefined && code >= zero && code <= nine

/** The end of the digits that start at `from`. */
export const digitsEnd = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (isDigit(bytes[at])) at += 1
  return at
}

/** An integer without leading zeros. */
export const matchWhole = (bytes: Uint8Array, from: number): number =>
  bytes[from] === zero ? from + 1 : isDigit(bytes[from]) ? digitsEnd(bytes, from) : noMatch

/** The number written by the digits from `from` to `to`, or -1 if any byte is not a digit. */
const digitsBetween = (bytes: Uint8Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at += 1) {
    const code = bytes[at] ?? 0
    if (code < zero || code > nine) return -1
    value = value * 10 + code - zero
  }
  return value
}

const unboundedAmount = new RegExp(patterns.amount)

export const amountFormat: Format = {
  match: (bytes, from) => {
    const first = bytes[from] === minus ? from + 1 : from
    const end = matchWhole(bytes, first)
    if (end - first > amountDigits) return noMatch
    if (end === noMatch || bytes[end] !== dot) return end
    const fractionEnd = digitsEnd(bytes, end + 1)
    const places = fractionEnd - end - 1
    return places === 0 || places > amountDigits ? noMatch : fractionEnd
  },
  isBeyond: (text) => unboundedAmount.test(text),
  problem: (value) =>
    typeof value === 'string' && unboundedAmount.test(value)
      ? `has more than ${amountDigits} digits before or after the decimal point`
      : 'must be a decimal number as a string, such as "12.50"',
}

const matchDate = (bytes: Uint8Array, from: number): number => {
  const year = digitsBetween(bytes, from, from + 4)
  const month = digitsBetween(bytes, from + 5, from + 7)
  const day = digitsBetween(bytes, from + 8, from + 10)
  if (year < 1 || bytes[from + 4] !== minus || bytes[from + 7] !== minus) return noMatch
  return isDay(year, month, day) ? from + 10 : noMatch
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether the calendar has this day. Months count from 1. */
const isDay = (year: number, month: number, day: number): boolean => {
  if (month === 2 && day === 29) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (daysInMonth[month - 1] ?? 0)
}

/** Every day and time of the year 0 is one of the year 400, which is a leap year too. */
const isBeyondYears = (format: Format, text: string): boolean =>
  text.startsWith('0000-') && isOfFormat(format, `04${text.slice(2)}`)

const yearProblem = 'has the year 0000; years are 0001 to 9999'

export const dateFormat: Format = {
  match: matchDate,
  isBeyond: (text) => isBeyondYears(dateFormat, text),
  problem: (value) => (isYearZero(value) ? yearProblem : 'must be a date such as 2026-03-01'),
}

const isYearZero = (value: unknown): boolean =>
  typeof value === 'string' && /^0000-\d\d-\d\d/.test(value)

const withoutZone = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?$/

/** UTC with milliseconds, as in `2026-03-01T09:30:00.000Z`. */
export const timestampFormat: Format = {
  match: (bytes, from) => {
    const end = matchDate(bytes, from)
    if (end === noMatch || bytes[end] !== letterT) return noMatch
    const hour = digitsBetween(bytes, end + 1, end + 3)
    const minute = digitsBetween(bytes, end + 4, end + 6)
    const second = digitsBetween(bytes, end + 7, end + 9)
    const isTime =
      hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60
    if (!isTime || bytes[end + 3] !== colon || bytes[end + 6] !== colon) return noMatch
    if (bytes[end + 9] !== dot || digitsBetween(bytes, end + 10, end + 13) < 0) return noMatch
    return bytes[end + 13] === letterZ ? end + 14 : noMatch
  },
  isBeyond: (text) => isBeyondYears(timestampFormat, text),
  problem: (value) => {
    if (isYearZero(value)) return yearProblem
    return typeof value === 'string' && withoutZone.test(value)
      ? 'has no time zone: add Z at its end if it is UTC, otherwise its offset, such as +01:00'
      : 'must be a timestamp with a time zone, such as 2026-03-01T09:30:00.000Z'
  },
  normalize: (text) => normalizeTimestamp(text),
}

/**
 * ISO 8601 with a zone. Seconds and fraction are optional, a space may replace the T, and the
 * offset may be +01:00, +0100 or +01.
 */
const isoTimestamp =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)$/

/** Truncates to milliseconds. */
const normalizeTimestamp = (text: string): string => {
  const { groups } = isoTimestamp.exec(text) ?? {}
  if (!groups) return text
  const { date = '', hour, minute, second = '00', fraction = '' } = groups
  const { sign = '+', offsetHour = '00', offsetMinute = '00' } = groups
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const isMoment =
    isDay(year, month, day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(offsetHour) < 24 &&
    Number(offsetMinute) < 60
  if (!isMoment) return text
  const local = `${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const utc = new Date(`${local}${sign}${offsetHour}:${offsetMinute}`).toISOString()
  // Applying the offset can lead outside the four-digit years.
  return utc.length === local.length + 1 ? utc : text
}
