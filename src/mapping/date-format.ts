import { FormatError } from './number-format.ts'

/** A date and time as written. */
export interface WrittenTime {
  /** Milliseconds since 1970, read as UTC. */
  readonly localMs: number
  /** The written UTC offset in minutes; null if there is none. */
  readonly offsetMinutes: number | null
}

/** Reads a text by a pattern; null if the text is an empty date, such as 00.00.0000. */
export type TimeReader = (text: string) => WrittenTime | null

/** The tokens of a pattern, for the reference page. */
export const patternTokens: { readonly [token: string]: string } = {
  yyyy: 'year with four digits',
  yy: 'year with two digits: 00 to 79 are 2000 to 2079, 80 to 99 are 1980 to 1999',
  MM: 'month as a number',
  MMM: 'month as a name, in English or German: Mar, March, März',
  dd: 'day of the month',
  HH: 'hour from 0 to 23',
  hh: 'hour from 1 to 12, with `a`',
  mm: 'minute',
  ss: 'second',
  SSS: 'fraction of a second, with one to nine digits',
  a: 'AM or PM',
  XXX: 'offset: Z, +01:00, +0100 or +01',
}

/** Numeric times, in place of a pattern. */
export const timeNumbers = {
  epoch: 'seconds since 1970-01-01 UTC',
  epochMs: 'milliseconds since 1970-01-01 UTC',
  excel: 'days since 1899-12-30, as spreadsheets count them',
} as const

type Unit = 'year' | 'month' | 'day' | 'hour' | 'minute' | 'second'

/** The parts of the current text. Texts are read one at a time, so one object is enough. */
const parts = {
  year: 1970,
  month: 1,
  day: 1,
  hour: 0,
  minute: 0,
  second: 0,
  milliseconds: 0,
  isAfternoon: null as boolean | null,
  offset: null as number | null,
}

/** Reads a part of a text from `at`, and returns its end; -1 if it does not match. */
type Step = (text: string, at: number) => number

const dayMs = 86_400_000
/** The epoch of spreadsheets that makes their dates after February 1900 correct. */
const excelEpochMs = Date.UTC(1899, 11, 30)

const numberReaders: Record<keyof typeof timeNumbers, TimeReader> = {
  epoch: (text) => instant(Number(numeric(text)) * 1_000),
  epochMs: (text) => instant(Number(numeric(text))),
  excel: (text) => ({
    localMs: excelEpochMs + Math.round(Number(numeric(text)) * dayMs),
    offsetMinutes: null,
  }),
}

const numeric = (text: string): string => {
  if (/^-?\d{1,15}(\.\d{1,12})?$/.test(text)) return text
  throw new FormatError('is not a number')
}

const instant = (localMs: number): WrittenTime => ({
  localMs: Math.round(localMs),
  offsetMinutes: 0,
})

/** Compiles a pattern such as `dd.MM.yyyy HH:mm`. Throws a `FormatError` if it is invalid. */
export const compileTime = (pattern: string): TimeReader => {
  if (Object.hasOwn(numberReaders, pattern)) {
    return numberReaders[pattern as keyof typeof timeNumbers]
  }
  const steps = stepsOf(pattern)
  return (text) => {
    if (text.includes('0') && !/[1-9A-Za-z]/.test(text)) return null
    reset()
    let at = 0
    for (const step of steps) {
      at = step(text, at)
      if (at < 0) throw new FormatError(`is not of the form ${pattern}`)
    }
    if (at < text.length) {
      throw new FormatError(
        `is longer than the form ${pattern}, which ends before "${text.slice(at, at + 20)}"`,
      )
    }
    return written(pattern)
  }
}

const isoTime =
  /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d\d(?::?\d\d)?)?)?$/

/** Reads ISO 8601: a date, or a date and time, with or without an offset. */
export const readIso: TimeReader = (text) => {
  const match = isoTime.exec(text)
  if (!match)
    throw new FormatError('is not a date of ISO 8601, such as 2026-03-14: set its pattern')
  const [, year, month, day, hour = 0, minute = 0, second = 0, digits = '', zone] = match
  if (Number(year) === 0 && Number(month) === 0) return null
  reset()
  parts.year = Number(year)
  parts.month = Number(month)
  parts.day = Number(day)
  parts.hour = Number(hour)
  parts.minute = Number(minute)
  parts.second = Number(second)
  if (digits !== '') fraction(digits, 0)
  if (zone !== undefined) offset(zone, 0)
  return written('ISO 8601')
}

const reset = (): void => {
  parts.year = 1970
  parts.month = 1
  parts.day = 1
  parts.hour = 0
  parts.minute = 0
  parts.second = 0
  parts.milliseconds = 0
  parts.isAfternoon = null
  parts.offset = null
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

const written = (pattern: string): WrittenTime => {
  const { year, month, day, minute, second, isAfternoon } = parts
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  const days = month === 2 && isLeap ? 29 : (daysInMonth[month - 1] ?? 0)
  if (month < 1 || month > 12) throw new FormatError(`has no month ${month} (${pattern})`)
  if (day < 1 || day > days) throw new FormatError(`is not a day of the calendar (${pattern})`)
  if (isAfternoon !== null && (parts.hour < 1 || parts.hour > 12)) {
    throw new FormatError(`has no hour ${parts.hour} from 1 to 12 (${pattern})`)
  }
  const hour = isAfternoon === null ? parts.hour : (parts.hour % 12) + (isAfternoon ? 12 : 0)
  if (hour > 23 || minute > 59 || second > 59) {
    throw new FormatError(`is not a time of the day (${pattern})`)
  }
  return {
    localMs: Date.UTC(year, month - 1, day, hour, minute, second, parts.milliseconds),
    offsetMinutes: parts.offset,
  }
}

const tokenPattern = /y+|Y+|M+|d+|D+|H+|h+|m+|s+|S+|a|X+|'[^']*'|./gs

const stepsOf = (pattern: string): readonly Step[] => {
  const tokens = pattern.match(tokenPattern) ?? []
  const seen = new Set<string>()
  const steps = tokens.map((token, index) => {
    const canonical = canonicalToken(token)
    const [first = ''] = canonical
    if (/[a-zA-Z]/.test(first) && canonical !== 'T') {
      if (seen.has(canonical)) throw new FormatError(`has ${token} twice`)
      seen.add(canonical)
    }
    // Adjacent digits without a separator have a fixed length.
    const next = canonicalToken(tokens[index + 1] ?? '')
    return stepOf(canonical, pattern, /^[yMdHhms]/.test(next) && next !== 'MMM')
  })
  const missing = ['yyyy', 'MM', 'dd'].filter(
    (each) =>
      !seen.has(each) && !(each === 'yyyy' ? seen.has('yy') : each === 'MM' && seen.has('MMM')),
  )
  if (missing.length > 0) {
    const hint =
      seen.has('mm') && missing.includes('MM') ? ' (mm are minutes; write MM for the month)' : ''
    throw new FormatError(`has no ${missing.join(' and no ')}${hint}`)
  }
  if (seen.has('hh') !== seen.has('a')) {
    throw new FormatError(
      seen.has('a') ? 'has a without hh' : 'has hh without a: write HH for hours from 0 to 23',
    )
  }
  return steps
}

/** Normalises the length of a token, and its case if only one meaning is possible. */
const canonicalToken = (token: string): string => {
  if (/^[yY]+$/.test(token)) return token.length === 2 ? 'yy' : 'yyyy'
  if (/^[dD]+$/.test(token)) return 'dd'
  if (/^M{1,2}$/.test(token)) return 'MM'
  if (/^M+$/.test(token)) return 'MMM'
  if (/^S+$/.test(token)) return 'SSS'
  if (/^X+$/.test(token)) return 'XXX'
  if (/^[Hhms]+$/.test(token)) return `${token.charAt(0)}${token.charAt(0)}`
  return token
}

const units: { readonly [token: string]: Unit } = {
  MM: 'month',
  dd: 'day',
  HH: 'hour',
  hh: 'hour',
  mm: 'minute',
  ss: 'second',
}

const stepOf = (token: string, pattern: string, isFixed: boolean): Step => {
  const unit = Object.hasOwn(units, token) ? units[token] : undefined
  if (unit) return digits(unit, isFixed ? 2 : 1, 2)
  if (token === 'yyyy') return digits('year', 4, 4)
  if (token === 'yy') return shortYear
  if (token === 'MMM') return monthName
  if (token === 'SSS') return fraction
  if (token === 'a') return halfOfDay
  if (token === 'XXX') return offset
  if (token.startsWith("'")) return literal(token.slice(1, -1))
  if (/[a-zA-Z]/.test(token) && token !== 'T') {
    throw new FormatError(
      `has the letter ${token} in ${pattern}; the letters are ${Object.keys(patternTokens).join(', ')}, and others are put in quotes: 'Z'`,
    )
  }
  return token === ' ' ? spaces : literal(token)
}

const digits =
  (unit: Unit, least: number, most: number): Step =>
  (text, from) => {
    let value = 0
    let at = from
    while (at < from + most) {
      const digit = text.charCodeAt(at) - 0x30
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
      at += 1
    }
    if (at - from < least) return -1
    parts[unit] = value
    return at
  }

const twoDigits = digits('year', 2, 2)
/** Two-digit years from here on are in the 20th century. */
const lastCenturyFrom = 80

const shortYear: Step = (text, from) => {
  const at = twoDigits(text, from)
  parts.year += parts.year >= lastCenturyFrom ? 1900 : 2000
  return at
}

const monthNames =
  /^(jan|feb|mar|mär|mrz|apr|may|mai|jun|jul|aug|sep|oct|okt|nov|dec|dez)[a-zä]*\.?/i
const months: { readonly [name: string]: number } = {
  jan: 1,
  feb: 2,
  mar: 3,
  mär: 3,
  mrz: 3,
  apr: 4,
  may: 5,
  mai: 5,
  jun: 6,
  jul: 7,
  aug: 8,
  sep: 9,
  oct: 10,
  okt: 10,
  nov: 11,
  dec: 12,
  dez: 12,
}

const monthName: Step = (text, from) => {
  const [whole = '', name = ''] = monthNames.exec(text.slice(from, from + 12)) ?? []
  if (whole === '') return -1
  parts.month = months[name.toLowerCase()] ?? 0
  return from + whole.length
}

const fraction: Step = (text, from) => {
  const [all = ''] = /^\d{1,9}/.exec(text.slice(from, from + 9)) ?? []
  parts.milliseconds = Number(all.slice(0, 3).padEnd(3, '0'))
  return all === '' ? -1 : from + all.length
}

const halfOfDay: Step = (text, from) => {
  const [all = ''] = /^([ap])\.?m\.?/i.exec(text.slice(from, from + 4)) ?? []
  parts.isAfternoon = /^p/i.test(all)
  return all === '' ? -1 : from + all.length
}

const offset: Step = (text, from) => {
  const [all = '', sign, hours = '0', minutes = '0'] =
    /^(?:[Zz]|([+-])(\d\d):?(\d\d)?)/.exec(text.slice(from, from + 6)) ?? []
  if (all === '') return -1
  parts.offset = (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  return from + all.length
}

const spaces: Step = (text, from) => {
  let at = from
  while (text.charCodeAt(at) === 0x20 || text.charCodeAt(at) === 0xa0) at += 1
  return at === from ? -1 : at
}

const literal =
  (expected: string): Step =>
  (text, from) =>
    text.startsWith(expected, from) ? from + expected.length : -1
