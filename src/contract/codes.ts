import { isTimezone } from './calendar.ts'
import { containerCheckDigit, gs1CheckDigit, imoCheckDigit } from './check-digit.ts'
import {
  type CodeList,
  countryList,
  currencyList,
  incotermList,
  languageList,
} from './code-lists.ts'
import { compareDecimals, type Decimal, parseDecimal } from './decimal.ts'
import { type Code, type Fields, isJsonObject } from './fields.ts'

/** The check of a code. */
export interface CodeRule {
  /** `error`: checked on the way in, and by `selvedge check`. `warning`: by `selvedge check` only. */
  readonly severity: 'error' | 'warning'
  /** The reason why a text is not such a code, and what to do; undefined if it is one. */
  readonly problem: (text: string) => string | undefined
  /** All codes, if they are a list. */
  readonly list?: () => CodeList
}

/** Names of countries and currencies are shorter. */
const nameLengthMax = 100

/** Codes of a list, all in upper case or all in lower case. */
const listed = (
  list: () => CodeList,
  what: string,
  example: string,
): Omit<CodeRule, 'severity'> => ({
  list,
  problem: (text) => {
    const { codes, codeOf } = list()
    if (codes.has(text)) return undefined
    const name = text.length > nameLengthMax ? '' : text.trim()
    for (const [other, which] of [
      [name.toUpperCase(), 'upper'],
      [name.toLowerCase(), 'lower'],
    ] as const) {
      if (codes.has(other) && name === text) return `must be in ${which} case: ${other}`
    }
    const code = codes.has(name) ? name : codeOf(name)
    return code ? `is not ${what}: use ${code}` : `is not ${what} such as ${example}`
  },
})

/** Digits of one of these lengths, the last of which is the GS1 check digit. */
const gs1Number = (...lengths: readonly number[]): CodeRule => ({
  severity: 'error',
  problem: (text) =>
    lengths.includes(text.length) && /^\d+$/.test(text)
      ? checkDigitProblem(text, gs1CheckDigit)
      : `must have ${lengths.join(', ').replace(/, (\d+)$/, ' or $1')} digits`,
})

const checkDigitProblem = (
  text: string,
  checkDigit: (before: string) => number,
): string | undefined => {
  const expected = String(checkDigit(text.slice(0, -1)))
  const last = text.slice(-1)
  return last === expected ? undefined : `ends with the check digit ${last} instead of ${expected}`
}

const matching = (pattern: RegExp, reason: string): CodeRule['problem'] => {
  return (text) => (pattern.test(text) ? undefined : reason)
}

const between = (least: number, most: number): CodeRule['problem'] => {
  const [lowest, highest] = [least, most].map((bound) => parseDecimal(String(bound))) as [
    Decimal,
    Decimal,
  ]
  const isBetween = (text: string): boolean => {
    const value = Number(text)
    if (value !== least && value !== most) return value > least && value < most
    // Only here, digits that a number does not have decide.
    const decimal = parseDecimal(text)
    return compareDecimals(decimal, lowest) >= 0 && compareDecimals(decimal, highest) <= 0
  }
  return (text) => (isBetween(text) ? undefined : `must be from ${least} to ${most}`)
}

/** Spaces, dots and hyphens are spelling, and not part of a tariff code or a container number. */
const withoutMarks = (text: string): string => text.replace(/[ .-]/g, '')

const isLocode = (text: string): boolean => {
  const country = text.slice(0, 2)
  // XZ: installations in international waters.
  return (
    /^[A-Z]{2}[A-Z2-9]{3}$/.test(text) && (countryList().codes.has(country) || country === 'XZ')
  )
}

/** Every code. A new one does not compile until it has its check. */
export const codeRules: Record<Code, CodeRule> = {
  country: { severity: 'error', ...listed(countryList, 'an ISO 3166-1 alpha-2 code', 'DE') },
  currency: { severity: 'error', ...listed(currencyList, 'an ISO 4217 code', 'EUR') },
  incoterm: { severity: 'warning', ...listed(incotermList, 'an Incoterms 2020 code', 'FOB') },
  hts: {
    severity: 'warning',
    problem: (text) =>
      /^\d{6,10}$/.test(withoutMarks(text)) ? undefined : 'must have 6 to 10 digits',
  },
  gtin: gs1Number(8, 12, 13, 14),
  gln: gs1Number(13),
  sscc: gs1Number(18),
  container: {
    severity: 'warning',
    problem: (text) => {
      const number = withoutMarks(text)
      return /^[A-Z]{4}\d{7}$/.test(number)
        ? checkDigitProblem(number, containerCheckDigit)
        : 'must have four capital letters and seven digits such as MSKU9070323'
    },
  },
  imo: {
    severity: 'warning',
    problem: (text) =>
      /^\d{7}$/.test(text)
        ? checkDigitProblem(text, imoCheckDigit)
        : 'must have seven digits such as 9074729',
  },
  hex: {
    severity: 'error',
    problem: matching(/^#[0-9a-f]{6}$/i, 'must be # and six hexadecimal digits such as #1F2A44'),
  },
  timezone: {
    severity: 'error',
    problem: (text) => {
      if (/^[+-]/.test(text)) return 'is an offset: use an IANA time zone such as Europe/Berlin'
      return isTimezone(text) ? undefined : 'is not an IANA time zone such as Europe/Berlin'
    },
  },
  latitude: { severity: 'error', problem: between(-90, 90) },
  longitude: { severity: 'error', problem: between(-180, 180) },
  locode: {
    severity: 'warning',
    problem: (text) =>
      isLocode(text) ? undefined : 'must be a country code and three characters such as PTLEI',
  },
  language: { severity: 'warning', ...listed(languageList, 'an ISO 639-1 code', 'en') },
  email: {
    severity: 'warning',
    problem: matching(/^[^\s@]+@[^\s@.]+(\.[^\s@.]+)+$/, 'is not an e-mail address'),
  },
  url: {
    severity: 'warning',
    problem: (text) =>
      /^https?:\/\/\S+$/i.test(text) && URL.canParse(text)
        ? undefined
        : 'is not a URL that begins with https:// or http://',
  },
}

/** A field that holds a code: its path in a record, across objects and lists. */
export interface CodedField {
  readonly code: Code
  readonly path: readonly string[]
}

/** The fields of a record that hold codes, in the contract's order. */
export const codedFields = (
  fields: Fields,
  parents: readonly string[] = [],
): readonly CodedField[] =>
  Object.entries(fields).flatMap(([name, { code, fields: inner = {} }]) => {
    const path = [...parents, name]
    return [...(code ? [{ code, path }] : []), ...codedFields(inner, path)]
  })

/** An invalid code in a record. */
export interface InvalidCode {
  readonly code: Code
  readonly pointer: string
  readonly value: string
  readonly reason: string
}

/** Maximum number of invalid codes that are found in a record: a list can have many thousands. */
const invalidMax = 20

/** Compiles a search for the invalid codes of a valid record. */
export const compileCodeCheck = (
  fields: Fields,
  severity: CodeRule['severity'],
): ((record: unknown) => readonly InvalidCode[]) => {
  const coded = codedFields(fields).filter(({ code }) => codeRules[code].severity === severity)
  return (record) => {
    const invalid: InvalidCode[] = []
    for (const { code, path } of coded) addInvalid(code, record, path, '', invalid)
    return invalid
  }
}

/** Adds the invalid codes at a path of a value. Every item of a list is checked. */
export const addInvalid = (
  code: Code,
  value: unknown,
  path: readonly string[],
  pointer: string,
  invalid: InvalidCode[],
): void => {
  if (Array.isArray(value)) {
    for (const [index, each] of value.entries()) {
      if (invalid.length === invalidMax) return
      addInvalid(code, each, path, `${pointer}/${index}`, invalid)
    }
  } else if (typeof value === 'string') {
    const reason = codeRules[code].problem(value)
    if (reason !== undefined) invalid.push({ code, pointer, value, reason })
  } else if (isJsonObject(value)) {
    const [name = '', ...rest] = path
    addInvalid(code, value[name], rest, `${pointer}/${name}`, invalid)
  }
}

/** Whether bytes of a text are a valid code. */
export type CodeMatch = (bytes: Uint8Array, from: number, to: number) => boolean

/** Every valid code is shorter. */
const codeBytesMax = 64

/**
 * Recognises a code in the bytes of a JSON string. Remembers the last one, because most rows of a
 * file have the same currency. There are no false positives; a text that is longer than any code
 * is not recognised.
 */
export const compileCodeMatch = (code: Code): CodeMatch => {
  const { problem } = codeRules[code]
  const last = new Uint8Array(codeBytesMax)
  let lastLength = -1
  return (bytes, from, to) => {
    const length = to - from
    if (length > codeBytesMax) return false
    if (length === lastLength && isSame(last, bytes, from, length)) return true
    let text = ''
    for (let at = from; at < to; at += 1) {
      const byte = bytes[at] as number
      if (byte > asciiMax || byte === backslash) return false
      text += String.fromCharCode(byte)
    }
    if (problem(text) !== undefined) return false
    last.set(bytes.subarray(from, to))
    lastLength = length
    return true
  }
}

const [asciiMax, backslash] = [0x7f, 0x5c]

const isSame = (last: Uint8Array, bytes: Uint8Array, from: number, length: number): boolean => {
  for (let index = 0; index < length; index += 1) {
    if (last[index] !== bytes[from + index]) return false
  }
  return true
}
