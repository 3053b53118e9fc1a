import { jsonStringEnd, limits } from '#contract'

/** A parsed JSON text, and the losses that parsing would hide. */
export interface ParsedJson {
  readonly value: unknown
  readonly losses: readonly Loss[]
}

/** A duplicate name in one object, or a number that a double cannot represent exactly. */
export interface Loss {
  /** A JSON pointer into the value. */
  readonly pointer: string
  readonly reason: string
  readonly value: string
}

/**
 * Parses JSON and finds what `JSON.parse` silently drops: the first of two equal names, and digits
 * beyond double precision. Rethrows its error for invalid JSON.
 */
export const parseJson = (text: string): ParsedJson => {
  const value: unknown = JSON.parse(text)
  // Merged names show as a difference between the number of names in the text and in the value.
  const written = namesIn(text)
  const isKept = written !== suspicious && written === namesOf(value, 0)
  return { value, losses: isKept ? none : findLosses(text) }
}

const none: readonly Loss[] = []

/** Marks a text with a number that may have too many digits. */
const suspicious = -1

const [quote, colon, comma, minus] = [0x22, 0x3a, 0x2c, 0x2d]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/** Numbers of at most this many characters, without an exponent, are exact as doubles. */
const exactLength = 15

/** The number of names in all objects of a JSON text, or `suspicious`. */
const namesIn = (text: string): number => {
  let names = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === quote) at = jsonStringEnd(text, at) - 1
    else if (code === colon) names += 1
    else if (startsNumber(code)) {
      const end = numberEnd(text, at)
      if (end - at > exactLength || hasExponent(text, at, end)) return suspicious
      at = end - 1
    }
  }
  return names
}

/** The check rejects deeper values and says why. */
const depthMax = 100

/** The number of names in all objects of a value. */
const namesOf = (value: unknown, depth: number): number => {
  if (typeof value !== 'object' || value === null || depth > depthMax) return 0
  let names = 0
  if (Array.isArray(value)) {
    for (const each of value) names += namesOf(each, depth + 1)
    return names
  }
  for (const name in value) {
    names += 1 + namesOf((value as { readonly [name: string]: unknown })[name], depth + 1)
  }
  return names
}

/** An object or an array around the current position. */
interface Level {
  /** The names of an object so far; null for an array. */
  readonly names: Set<string> | null
  /** The name or the index of the next value. */
  at: string | number
}

/** Walks through valid JSON. */
const findLosses = (text: string): readonly Loss[] => {
  const losses: Loss[] = []
  const levels: Level[] = []
  let isName = false
  const add = (reason: string, value: string) => {
    const pointer = levels.map((level) => `/${escaped(String(level.at))}`).join('')
    losses.push({ pointer, reason, value })
  }
  for (let at = 0; at < text.length && losses.length < limits.problems; at += 1) {
    const code = text.charCodeAt(at)
    const level = levels.at(-1)
    if (code === openBrace || code === openBracket) {
      if (levels.length > depthMax) break
      const isObject = code === openBrace
      levels.push({ names: isObject ? new Set() : null, at: 0 })
      isName = isObject
    } else if (code === closeBrace || code === closeBracket) {
      levels.pop()
      isName = false
    } else if (code === comma && level) {
      if (level.names) isName = true
      else level.at = Number(level.at) + 1
    } else if (code === quote) {
      const end = jsonStringEnd(text, at)
      if (isName && level?.names) {
        level.at = String(JSON.parse(text.slice(at, end)))
        if (level.names.has(level.at))
          add('is given twice in the same object: keep one of them', '')
        level.names.add(level.at)
        isName = false
      }
      at = end - 1
    } else if (startsNumber(code)) {
      const end = numberEnd(text, at)
      const number = text.slice(at, end)
      if (!isExact(number)) {
        const rounded = String(Number(number))
        add(`would be stored as ${rounded}: write it as a string to keep its digits`, number)
      }
      at = end - 1
    }
  }
  return losses
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const startsNumber = (code: number): boolean => isDigit(code) || code === minus

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39

/** The end of the number that starts at `from`. */
const numberEnd = (text: string, from: number): number => {
  let end = from + 1
  while (isNumberPart(text.charCodeAt(end))) end += 1
  return end
}

/** Digits, signs, the decimal point and the exponent letter. */
const isNumberPart = (code: number): boolean =>
  isDigit(code) || code === minus || code === 0x2b || code === 0x2e || (code | 0x20) === 0x65

const hasExponent = (text: string, from: number, end: number): boolean => {
  for (let at = from; at < end; at += 1) {
    if ((text.charCodeAt(at) | 0x20) === 0x65) return true
  }
  return false
}

/** The longest number that is compared digit by digit. No double needs more digits. */
const numberLengthMax = 400

/**
 * Whether a number survives parsing and serialising. Numbers outside the range of doubles, and
 * integers beyond the safe range, are left to the check.
 */
const isExact = (number: string): boolean => {
  const parsed = Number(number)
  if (!Number.isFinite(parsed)) return true
  if (Number.isInteger(parsed) && !Number.isSafeInteger(parsed)) return true
  return number.length <= numberLengthMax && decimalOf(number) === decimalOf(String(parsed))
}

/** A number's digits and the exponent of the last one, so that 1.50, 15e-1 and 1.5 are equal. */
const decimalOf = (number: string): string => {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.')
  const digits = whole + fraction
  let from = 0
  let to = digits.length
  while (digits[from] === '0') from += 1
  while (to > from && digits[to - 1] === '0') to -= 1
  if (from === to) return '0'
  const power = Number(exponent) - fraction.length + digits.length - to
  return `${mantissa.startsWith('-') ? '-' : ''}${digits.slice(from, to)}e${power}`
}
