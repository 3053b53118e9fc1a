import { type Field, type Fields, isJsonObject } from './fields.ts'
import { type Format, isOfFormat } from './formats.ts'
import { limits } from './limits.ts'
import {
  type Bounds,
  boundsOf,
  type CheckedResource,
  type ValueType,
  valueRules,
} from './value-rules.ts'

/** A problem of a record: its place (a JSON pointer), the reason and the value. */
export interface Problem extends Fault {
  readonly pointer: string
  readonly value: unknown
}

/** What is wrong with a value. */
interface Fault {
  readonly reason: string
  /**
   * The value only exceeds one of `limits.bounds`, as a record of an earlier release may. Not for a
   * part of the identity.
   */
  readonly isBeyond?: true
}

/**
 * Returns every problem that makes a value invalid as a record of the resource. A record without
 * problems is valid under `recordSchema`. It is also within `limits.bounds`, and free of NUL
 * characters, lone surrogates, dates outside the calendar and deep nesting, which the schema cannot
 * forbid. Expects values in canonical form: see `canonicalRecord`.
 */
export const checkRecord = (resource: CheckedResource, value: unknown): readonly Problem[] => {
  const findings: Findings = { problems: [], bounds: boundsOf(resource) }
  checkFields(resource.fields, value, '', findings)
  return findings.problems
}

/** The problems found so far, and the bounds of the record's fields. */
interface Findings {
  readonly problems: Problem[]
  readonly bounds: Bounds
}

const checkFields = (fields: Fields, value: unknown, at: string, findings: Findings): void => {
  const { problems } = findings
  if (!isJsonObject(value)) {
    problems.push({ pointer: at, reason: 'must be an object', value })
    return
  }
  for (const name in fields) {
    const pointer = `${at}/${name}`
    if (!Object.hasOwn(value, name)) {
      problems.push({ pointer, reason: 'is missing', value: undefined })
      continue
    }
    checkField(fields[name] as Field, value[name], pointer, findings)
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

const checkField = (field: Field, value: unknown, pointer: string, findings: Findings): void => {
  const { type, format } = valueRules[field.kind]
  if (value === null && type !== 'any') {
    if (!field.nullable) findings.problems.push({ pointer, reason: 'must not be null', value })
    return
  }
  const fault =
    format === undefined
      ? checksByType[type](value, field, pointer, findings)
      : formatFault(format, value)
  if (fault === undefined) return
  const { reason } = fault
  const isIdentity = findings.bounds.get(pointer)?.isIdentity === true
  findings.problems.push({ pointer, ...(isIdentity ? { reason } : fault), value })
}

const formatFault = (format: Format, value: unknown): Fault | undefined => {
  if (typeof value !== 'string') return { reason: format.problem(value) }
  if (isOfFormat(format, value)) return undefined
  const reason = format.problem(value)
  return format.isBeyond?.(value) ? { reason, isBeyond: true } : { reason }
}

/** Returns the fault of a value that is not null, or adds the problems inside it. */
type Check = (
  value: unknown,
  field: Field,
  pointer: string,
  findings: Findings,
) => Fault | undefined

const checksByType: Record<ValueType, Check> = {
  string: (value, _field, pointer, { bounds }) =>
    typeof value === 'string'
      ? textFault(value, bounds.get(pointer)?.characters)
      : { reason: 'must be a string' },
  integer: (value, _field, pointer, { bounds }) => {
    if (typeof value !== 'number' || !Number.isInteger(value))
      return { reason: 'must be a whole number' }
    const hasFilter = bounds.get(pointer)?.hasFilter === true
    const { minimum, maximum } = hasFilter ? limits.integerFilter : limits.integer
    if (value >= minimum && value <= maximum) return undefined
    const reason = `must be a whole number from ${minimum} to ${maximum}${hasFilter ? ', as its filter' : ''}`
    return Number.isSafeInteger(value) ? { reason, isBeyond: true } : { reason }
  },
  boolean: (value) =>
    typeof value === 'boolean' ? undefined : { reason: 'must be true or false' },
  any: (value, _field, pointer, { problems }) => {
    checkAny(value, pointer, problems, 0)
    return undefined
  },
  strings: (value, _field, pointer, { problems }) => {
    if (!Array.isArray(value)) return { reason: 'must be an array of strings' }
    value.forEach((each: unknown, index) => {
      const fault = typeof each === 'string' ? textFault(each) : { reason: 'must be a string' }
      if (fault) problems.push({ pointer: `${pointer}/${index}`, ...fault, value: each })
    })
    return undefined
  },
  object: (value, field, pointer, findings) => {
    checkFields(field.fields ?? {}, value, pointer, findings)
    return undefined
  },
  objects: (value, field, pointer, findings) => {
    if (!Array.isArray(value)) return { reason: 'must be an array of objects' }
    value.forEach((each: unknown, index) => {
      checkFields(field.fields ?? {}, each, `${pointer}/${index}`, findings)
    })
    return undefined
  },
}

/** The fault of a text, which has a maximum number of characters or, without one, of bytes. */
const textFault = (value: string, characters?: number): Fault | undefined => {
  if (value.includes('\u0000')) return { reason: 'must not contain a NUL character' }
  if (!value.isWellFormed())
    return { reason: 'must not contain half a character (a lone surrogate)' }
  const reason = characters === undefined ? sizeProblem(value) : lengthProblem(value, characters)
  return reason === undefined ? undefined : { reason, isBeyond: true }
}

const lengthProblem = (value: string, most: number): string | undefined => {
  if (value.length <= most) return undefined
  // A character has at most two UTF-16 code units.
  const isLonger = value.length > most * 2 || [...value].length > most
  return isLonger ? `must have at most ${most.toLocaleString('en')} characters` : undefined
}

/** UTF-8 needs at most three bytes per UTF-16 code unit. */
const bytesPerUnit = 3

const sizeProblem = (value: string): string | undefined => {
  const { textBytes } = limits.bounds
  if (value.length * bytesPerUnit <= textBytes) return undefined
  return value.length > textBytes || new TextEncoder().encode(value).length > textBytes
    ? `must have at most ${textBytes.toLocaleString('en')} bytes in UTF-8 (64 KiB)`
    : undefined
}

const nestingMax = 64

const checkAny = (value: unknown, pointer: string, problems: Problem[], depth: number): void => {
  const addFault = (fault: Fault) => problems.push({ pointer, ...fault, value })
  const add = (reason: string) => addFault({ reason })
  if (depth > nestingMax) add(`is nested deeper than ${nestingMax} levels`)
  else if (typeof value === 'string') {
    const fault = textFault(value)
    if (fault) addFault(fault)
  } else if (typeof value === 'number') {
    if (!Number.isFinite(value)) add('must be a finite number')
    else if (Number.isInteger(value) && !Number.isSafeInteger(value)) {
      add('is a whole number too large to be kept digit for digit; write it as a string')
    }
  } else if (Array.isArray(value)) {
    value.forEach((each: unknown, index) => {
      checkAny(each, `${pointer}/${index}`, problems, depth + 1)
    })
  } else if (isJsonObject(value)) {
    for (const [name, each] of Object.entries(value)) {
      const inner = `${pointer}/${escapePointer(name)}`
      const fault =
        name === '__proto__' ? { reason: 'is not a name a field may have' } : textFault(name)
      if (fault) problems.push({ pointer: inner, ...fault, value: each })
      if (!fault || 'isBeyond' in fault) checkAny(each, inner, problems, depth + 1)
    }
  } else if (value !== null && typeof value !== 'boolean') add('must be a JSON value')
}

const escapePointer = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')
