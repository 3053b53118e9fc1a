import { isUtf8 } from 'node:buffer'
import { isDay } from './check.ts'
import type { Field, Fields, Kind } from './fields.ts'
import type { Resource } from './resource.ts'

/**
 * Tells, byte by byte, the JSON texts that are ready: those that `checkRecord` finds nothing wrong
 * with, and that stay the same when they are parsed and written with their fields in the
 * contract's order. An export has no others. It may take one that is ready for one that is not, as
 * one with escapes or very long numbers, but never the other way round.
 */
export interface ReadyTexts {
  /** Where a text that begins here and is ready ends; -1 when it is not. */
  endOf(bytes: Uint8Array, from: number): number
  /**
   * Where the values of the wanted fields begin and end in the text that was found ready last,
   * without their quotes; -1 twice for null.
   */
  readonly places: Int32Array
}

/** Nothing when a wanted field may hold what is no text and no whole number. */
export const openReadyTexts = (
  { fields }: Pick<Resource, 'fields'>,
  wanted: readonly string[],
): ReadyTexts | undefined => {
  const scan: Scan = { places: new Int32Array(wanted.length * 2), isAscii: true }
  const placed = new Set<string>()
  const read = recordReader(fields, '', { scan, wanted, placed })
  if (wanted.some((path) => !placed.has(path))) return undefined
  return {
    places: scan.places,
    endOf: (bytes, from) => {
      scan.places.fill(-1)
      scan.isAscii = true
      const end = read(bytes, from)
      return end === unready || scan.isAscii || isUtf8(bytes.subarray(from, end)) ? end : unready
    },
  }
}

/** What is noted on the way through a text. */
interface Scan {
  readonly places: Int32Array
  isAscii: boolean
}

/** What readers are made for. */
interface Wish {
  readonly scan: Scan
  /** The fields whose places are noted. */
  readonly wanted: readonly string[]
  /** Those of them that a reader was made for. */
  readonly placed: Set<string>
}

/** Reads what begins at a place. Says where it ends, or `unready`. */
type Reader = (text: Uint8Array, at: number) => number

const unready = -1

const [quote, backslash, minus, dot, space] = [0x22, 0x5c, 0x2d, 0x2e, 0x20]
const [openBracket, closeBracket, comma, closeBrace] = [0x5b, 0x5d, 0x2c, 0x7d]
const [zero, nine, a, f] = [0x30, 0x39, 0x61, 0x66]

const recordReader = (fields: Fields, path: string, wish: Wish): Reader => {
  const names = Object.keys(fields)
  const readers = names.map((name, index) => {
    const inner = path === '' ? name : `${path}.${name}`
    const before = wordReader(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`)
    const value = fieldReader(fields[name] as Field, inner, wish)
    return { before, value }
  })
  if (readers.length === 0) return wordReader('{}')
  return (text, from) => {
    let at = from
    for (const { before, value } of readers) {
      at = before(text, at)
      if (at === unready) return unready
      at = value(text, at)
      if (at === unready) return unready
    }
    return text[at] === closeBrace ? at + 1 : unready
  }
}

const fieldReader = (field: Field, path: string, wish: Wish): Reader => {
  const { scan, wanted, placed } = wish
  const read = readersByKind[field.kind](field, path, wish)
  const isNullable = field.nullable || field.kind === 'any'
  const place = wanted.indexOf(path)
  const isPlaced = place >= 0 && !unplacedKinds.has(field.kind)
  if (isPlaced) placed.add(path)
  const margin = field.kind === 'integer' ? 0 : 1
  return (text, at) => {
    if (text[at] === 0x6e) return isNullable ? readNull(text, at) : unready
    const end = read(text, at)
    if (isPlaced && end !== unready) {
      scan.places[place * 2] = at + margin
      scan.places[place * 2 + 1] = end - margin
    }
    return end
  }
}

const unplacedKinds = new Set<Kind>(['flag', 'any', 'texts', 'object', 'objects'])

type ReaderOf = (field: Field, path: string, wish: Wish) => Reader

const wordReader = (word: string): Reader => {
  const bytes = new TextEncoder().encode(word)
  const { length } = bytes
  return (text, at) => {
    for (let index = 0; index < length; index += 1) {
      if (text[at + index] !== bytes[index]) return unready
    }
    return at + length
  }
}

const readNull = wordReader('null')
const readTrue = wordReader('true')
const readFalse = wordReader('false')

const isDigit = (code: number | undefined): boolean =>
  code !== undefined && code >= zero && code <= nine

/** Digits from one place up to another as a number, or -1 when there is anything else. */
const digitsAt = (text: Uint8Array, from: number, to: number): number => {
  let value = 0
  for (let at = from; at < to; at += 1) {
    const code = text[at] ?? 0
    if (code < zero || code > nine) return -1
    value = value * 10 + code - zero
  }
  return value
}

const pastDigits = (text: Uint8Array, from: number): number => {
  let at = from
  while (isDigit(text[at])) at += 1
  return at
}

/** A whole number without a needless zero, or `unready`. */
const readWhole: Reader = (text, at) =>
  text[at] === zero ? at + 1 : isDigit(text[at]) ? pastDigits(text, at) : unready

/** Numbers with no more digits than this are whole and exact. */
const digitsMax = 15

const readInteger: Reader = (text, at) => {
  const from = text[at] === minus ? at + 1 : at
  const end = readWhole(text, from)
  const isZeroBelow = from > at && text[from] === zero
  return end - from > digitsMax || isZeroBelow ? unready : end
}

const readUuid: Reader = (text, at) => {
  if (text[at] !== quote || at + 38 > text.length || text[at + 37] !== quote) return unready
  const isCut =
    text[at + 9] === minus &&
    text[at + 14] === minus &&
    text[at + 19] === minus &&
    text[at + 24] === minus
  if (!isCut) return unready
  const others =
    othersAt(text, at + 1, at + 9) |
    othersAt(text, at + 10, at + 14) |
    othersAt(text, at + 15, at + 19) |
    othersAt(text, at + 20, at + 24) |
    othersAt(text, at + 25, at + 37)
  return others === 0 ? at + 38 : unready
}

/** 0 for the bytes of digits and the letters a to f, 1 for others. */
const notHex = new Uint8Array(256)
  .fill(1)
  .fill(0, zero, nine + 1)
  .fill(0, a, f + 1)

const othersAt = (text: Uint8Array, from: number, to: number): number => {
  let others = 0
  for (let at = from; at < to; at += 1) others |= notHex[text[at] as number] as number
  return others
}

/** `-?(0|[1-9]\d*)(\.\d+)?` between quotes. */
const readAmount: Reader = (text, at) => {
  if (text[at] !== quote) return unready
  let end = readWhole(text, text[at + 1] === minus ? at + 2 : at + 1)
  if (end === unready) return unready
  if (text[end] === dot) {
    const fraction = end + 1
    end = pastDigits(text, fraction)
    if (end === fraction) return unready
  }
  return text[end] === quote ? end + 1 : unready
}

/** YYYY-MM-DD, without quotes. */
const readDay: Reader = (text, at) => {
  const year = digitsAt(text, at, at + 4)
  const month = digitsAt(text, at + 5, at + 7)
  const day = digitsAt(text, at + 8, at + 10)
  if (year < 0 || text[at + 4] !== minus || text[at + 7] !== minus) return unready
  return month >= 1 && month <= 12 && day >= 1 && isDay(year, month, day) ? at + 10 : unready
}

const readDate: Reader = (text, at) => {
  if (text[at] !== quote) return unready
  const end = readDay(text, at + 1)
  return end !== unready && text[end] === quote ? end + 1 : unready
}

/** `YYYY-MM-DDTHH:MM:SS.mmmZ` between quotes. */
const readTimestamp: Reader = (text, at) => {
  if (text[at] !== quote) return unready
  const end = readDay(text, at + 1)
  if (end === unready || text[end] !== 0x54) return unready
  const hour = digitsAt(text, end + 1, end + 3)
  const minute = digitsAt(text, end + 4, end + 6)
  const second = digitsAt(text, end + 7, end + 9)
  const isTime = hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60
  if (!isTime || text[end + 3] !== 0x3a || text[end + 6] !== 0x3a) return unready
  if (text[end + 9] !== dot || digitsAt(text, end + 10, end + 13) < 0) return unready
  return text[end + 13] === 0x5a && text[end + 14] === quote ? end + 15 : unready
}

/** A string without escapes. */
const textReader: ReaderOf =
  (_field, _path, { scan }) =>
  (text, from) => {
    if (text[from] !== quote) return unready
    let all = 0
    for (let at = from + 1; at < text.length; at += 1) {
      const code = text[at] as number
      if (code === quote) {
        if (all >= 0x80) scan.isAscii = false
        return at + 1
      }
      if (code < space || code === backslash) return unready
      all |= code
    }
    return unready
  }

/** An array of what a reader reads. */
const arrayReader =
  (read: Reader): Reader =>
  (text, from) => {
    if (text[from] !== openBracket) return unready
    if (text[from + 1] === closeBracket) return from + 2
    let at = from
    for (;;) {
      at = read(text, at + 1)
      if (at === unready) return unready
      if (text[at] === closeBracket) return at + 1
      if (text[at] !== comma) return unready
    }
  }

const readFlag: Reader = (text, at) =>
  text[at] === 0x74 ? readTrue(text, at) : readFalse(text, at)

const readersByKind: Record<Kind, ReaderOf> = {
  id: () => readUuid,
  ref: () => readUuid,
  person: () => readUuid,
  text: textReader,
  integer: () => readInteger,
  flag: () => readFlag,
  amount: () => readAmount,
  date: () => readDate,
  timestamp: () => readTimestamp,
  // What else it may hold is left to the parser: names like numbers would change places.
  any: textReader,
  texts: (...parts) => arrayReader(textReader(...parts)),
  object: ({ fields = {} }, path, wish) => recordReader(fields, path, wish),
  // One place would not do for the values of many.
  objects: ({ fields = {} }, path, wish) =>
    arrayReader(recordReader(fields, path, { ...wish, wanted: [] })),
}
