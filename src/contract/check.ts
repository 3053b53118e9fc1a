import type { Field, Fields, Kind } from './fields.ts'
import { limits, patterns } from './limits.ts'
import type { Resource } from './resource.ts'

/** One thing wrong with a record: where (a JSON pointer), why, and what was found there. */
export interface Problem {
  readonly pointer: string
  readonly reason: string
  readonly value: unknown
}

/**
 * Everything that keeps a value from being a record of the resource. It reads the contract
 * directly and accepts what `recordSchema` accepts, less what no answer may hold: NUL characters,
 * lone surrogates, dates that are not in the calendar, and nesting beyond all reason. Values must be
 * in their canonical form: `canonicalRecord` brings them into it.
 */
export const checkRecord = (
  resource: Pick<Resource, 'fields'>,
  value: unknown,
): readonly Problem[] => {
  const problems: Problem[] = []
  checkFields(resource.fields, value, '', problems)
  return problems
}

const checkFields = (fields: Fields, value: unknown, at: string, problems: Problem[]): void => {
  if (!isObject(value)) {
    problems.push({ pointer: at, reason: 'must be an object', value })
    return
  }
  for (const name in fields) {
    const pointer = `${at}/${name}`
    if (!Object.hasOwn(value, name)) {
      problems.push({ pointer, reason: 'is missing', value: undefined })
      continue
    }
    checkField(fields[name] as Field, value[name], pointer, problems)
  }
  for (const name in value) {
    if (!Object.hasOwn(fields, name)) {
      problems.push({
        pointer: `${at}/${escapePointer(name)}`,
        reason: 'is not a field',
        value: value[name],
      })
    }
  }
}

const checkField = (field: Field, value: unknown, pointer: string, problems: Problem[]): void => {
  if (value === null && field.kind !== 'any') {
    if (!field.nullable) problems.push({ pointer, reason: 'must not be null', value })
    return
  }
  const reason = checksByKind[field.kind](value, field, pointer, problems)
  if (reason !== undefined) problems.push({ pointer, reason, value })
}

/** Says what is wrong with a value that is not null, or adds problems of its own from inside it. */
type Check = (
  value: unknown,
  field: Field,
  pointer: string,
  problems: Problem[],
) => string | undefined

const matching = (pattern: string, reason: string): Check => {
  const expression = new RegExp(pattern)
  return (value) => (typeof value === 'string' && expression.test(value) ? undefined : reason)
}

/** The pattern of identities, character by character: most of a record's fields are one. */
const isUuid = (text: string): boolean => {
  if (text.length !== 36) return false
  for (let index = 0; index < 36; index += 1) {
    const code = text.charCodeAt(index)
    if (index === 8 || index === 13 || index === 18 || index === 23) {
      if (code !== 0x2d) return false
    } else if (!((code >= 0x30 && code <= 0x39) || (code >= 0x61 && code <= 0x66))) return false
  }
  return true
}

const uuid: Check = (value) =>
  typeof value === 'string' && isUuid(value)
    ? undefined
    : 'must be a UUID such as 5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01'
const datePattern = new RegExp(patterns.date)
const timestampPattern = new RegExp(patterns.timestamp)
const zonelessPattern = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(:\d\d([.,]\d+)?)?$/

const checksByKind: Record<Kind, Check> = {
  id: uuid,
  ref: uuid,
  person: uuid,
  text: (value) => (typeof value === 'string' ? textProblem(value) : 'must be a string'),
  integer: (value) =>
    Number.isSafeInteger(value)
      ? undefined
      : typeof value === 'number' && Number.isInteger(value)
        ? `must be a whole number from ${limits.integer.minimum} to ${limits.integer.maximum}`
        : 'must be a whole number',
  flag: (value) => (typeof value === 'boolean' ? undefined : 'must be true or false'),
  amount: matching(patterns.amount, 'must be a decimal number as a string, such as "12.50"'),
  date: (value) =>
    typeof value === 'string' && datePattern.test(value) && inCalendar(value)
      ? undefined
      : 'must be a date such as 2026-03-01',
  timestamp: (value) =>
    typeof value === 'string' && timestampPattern.test(value) && inCalendar(value.slice(0, 10))
      ? undefined
      : typeof value === 'string' && zonelessPattern.test(value)
        ? 'has no time zone: add Z at its end if it is UTC, otherwise its offset, such as +01:00'
        : 'must be a timestamp with a time zone, such as 2026-03-01T09:30:00.000Z',
  any: (value, _field, pointer, problems) => {
    checkAny(value, pointer, problems, 0)
    return undefined
  },
  texts: (value, _field, pointer, problems) => {
    if (!Array.isArray(value)) return 'must be an array of strings'
    value.forEach((each: unknown, index) => {
      const reason = typeof each === 'string' ? textProblem(each) : 'must be a string'
      if (reason) problems.push({ pointer: `${pointer}/${index}`, reason, value: each })
    })
    return undefined
  },
  object: (value, field, pointer, problems) => {
    checkFields(field.fields ?? {}, value, pointer, problems)
    return undefined
  },
  objects: (value, field, pointer, problems) => {
    if (!Array.isArray(value)) return 'must be an array of objects'
    value.forEach((each: unknown, index) => {
      checkFields(field.fields ?? {}, each, `${pointer}/${index}`, problems)
    })
    return undefined
  },
}

const textProblem = (value: string): string | undefined => {
  if (value.includes('\u0000')) return 'must not contain a NUL character'
  if (!value.isWellFormed()) return 'must not contain half a character (a lone surrogate)'
  return undefined
}

const nestingMax = 64

const checkAny = (value: unknown, pointer: string, problems: Problem[], depth: number): void => {
  const add = (reason: string) => problems.push({ pointer, reason, value })
  if (depth > nestingMax) add(`is nested deeper than ${nestingMax} levels`)
  else if (typeof value === 'string') {
    const reason = textProblem(value)
    if (reason) add(reason)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) add('must be a finite number')
    else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      add('is a whole number too large to be kept digit for digit; write it as a string')
    }
  } else if (Array.isArray(value)) {
    value.forEach((each: unknown, index) => {
      checkAny(each, `${pointer}/${index}`, problems, depth + 1)
    })
  } else if (isObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      const inner = `${pointer}/${escapePointer(name)}`
      const reason = name === '__proto__' ? 'is not a name a field may have' : textProblem(name)
      if (reason) problems.push({ pointer: inner, reason, value: each })
      else checkAny(each, inner, problems, depth + 1)
    }
  } else if (value !== null && typeof value !== 'boolean') add('must be a JSON value')
}

const daysInMonth = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

/** Whether a well-formed YYYY-MM-DD names a day that exists. */
const inCalendar = (date: string): boolean => {
  // The 28th and before are in every month.
  if (date.charCodeAt(8) < 0x32 || (date.charCodeAt(8) === 0x32 && date.charCodeAt(9) < 0x39))
    return true
  return isDay(Number(date.slice(0, 4)), Number(date.slice(5, 7)), Number(date.slice(8, 10)))
}

/** Whether a month, from 1 to 12, has such a day. */
export const isDay = (year: number, month: number, day: number): boolean => {
  if (month === 2 && day === 29) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day <= (daysInMonth[month - 1] ?? 0)
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
