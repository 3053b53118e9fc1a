import { codeRules, compileCodeMatch } from './codes.ts'
import type { Code, Field, Fields } from './fields.ts'
import { type Format, matchWhole } from './formats.ts'
import { limits } from './limits.ts'
import {
  type Bounds,
  boundsOf,
  type CheckedResource,
  pointerAt,
  type ValueType,
  valueRules,
} from './value-rules.ts'

/**
 * Recognises, byte by byte, JSON records that can be stored unchanged: `checkRecord` accepts them,
 * and parsing and re-serialising them in the contract's field order gives the same bytes. Almost
 * all records of exported files are canonical, and their codes are valid as far as the way in checks
 * them. There are no false positives. There are false negatives, such as escapes in a wanted field,
 * very long numbers, or texts whose bytes exceed the characters that a field may have.
 */
export interface CanonicalScanner {
  /** The end of the canonical text that starts at `from`, or -1. */
  endOf(bytes: Uint8Array, from: number): number
  /**
   * Start and end of each wanted field's value in the last recognised text, without quotes; -1 and
   * -1 for null.
   */
  readonly offsets: Int32Array
}

export interface ScannerOptions {
  /** The fields whose offsets are recorded. A field listed twice is recorded twice. */
  readonly wanted: readonly string[]
  /** Maximum bytes of a wanted text. Records with longer ones are left to the parser. */
  readonly wantedBytes: number
  /** Injected: browsers import the contract too, and do not have Node's function. */
  readonly isUtf8: (bytes: Uint8Array) => boolean
}

/** Returns undefined if a wanted field can hold anything but a string or an integer. */
export const compileCanonicalScanner = (
  resource: CheckedResource,
  { wanted, wantedBytes, isUtf8 }: ScannerOptions,
): CanonicalScanner | undefined => {
  const state: State = {
    offsets: new Int32Array(wanted.length * 2),
    isAscii: true,
    view: new DataView(new ArrayBuffer(0)),
  }
  let viewed: Uint8Array | undefined
  const recorded = new Set<string>()
  const bounds = boundsOf(resource)
  const scan = recordScan(resource.fields, '', { state, bounds, wanted, wantedBytes, recorded })
  if (wanted.some((path) => !recorded.has(path))) return undefined
  return {
    offsets: state.offsets,
    endOf: (bytes, from) => {
      if (bytes !== viewed) {
        state.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
        viewed = bytes
      }
      state.offsets.fill(-1)
      state.isAscii = true
      const end = scan(bytes, from)
      return end === noMatch || state.isAscii || isUtf8(bytes.subarray(from, end)) ? end : noMatch
    },
  }
}

/** Mutable state of a scan. */
interface State {
  readonly offsets: Int32Array
  isAscii: boolean
  /** The scanned bytes. */
  view: DataView
}

/** Context of the compilation of scans. */
interface Compilation {
  readonly state: State
  readonly bounds: Bounds
  readonly wanted: readonly string[]
  readonly wantedBytes: number
  /** The wanted fields whose offsets a scan records. */
  readonly recorded: Set<string>
}

/** Returns the end of the value that starts at `at`, or `noMatch`. */
type Scan = (text: Uint8Array, at: number) => number

const noMatch = -1

const [quote, backslash, minus, space, zero] = [0x22, 0x5c, 0x2d, 0x20, 0x30]
const [openBracket, closeBracket, comma, closeBrace] = [0x5b, 0x5d, 0x2c, 0x7d]
const [letterN, letterT] = [0x6e, 0x74]

const recordScan = (fields: Fields, path: string, compilation: Compilation): Scan => {
  const names = Object.keys(fields)
  const scans = names.map((name, index) => {
    const inner = path === '' ? name : `${path}.${name}`
    const before = nameScan(`${index === 0 ? '{' : ','}${JSON.stringify(name)}:`, compilation.state)
    const value = fieldScan(fields[name] as Field, inner, compilation)
    return { before, value }
  })
  if (scans.length === 0) return wordScan('{}')
  return (text, from) => {
    let at = from
    for (const { before, value } of scans) {
      at = before(text, at)
      if (at === noMatch) return noMatch
      at = value(text, at)
      if (at === noMatch) return noMatch
    }
    return text[at] === closeBrace ? at + 1 : noMatch
  }
}

const fieldScan = (field: Field, path: string, compilation: Compilation): Scan => {
  const { state, wanted, recorded } = compilation
  const { type, format } = valueRules[field.kind]
  const value = format ? formatScan(format) : scansByType[type](field, path, compilation)
  const scan = isCheckedCode(field) ? codeScan(value, field.code) : value
  const isNullable = field.nullable || type === 'any'
  const columns = wanted.flatMap((name, column) => (name === path ? [column] : []))
  const isRecorded = columns.length > 0 && (type === 'string' || type === 'integer')
  if (isRecorded) recorded.add(path)
  const margin = type === 'integer' ? 0 : 1
  return (text, at) => {
    if (text[at] === letterN) return isNullable ? scanNull(text, at) : noMatch
    const end = scan(text, at)
    if (isRecorded && end !== noMatch) {
      for (const column of columns) {
        state.offsets[column * 2] = at + margin
        state.offsets[column * 2 + 1] = end - margin
      }
    }
    return end
  }
}

/** Whether a field holds a code that is checked on the way in. */
const isCheckedCode = (field: Field): field is Field & { readonly code: Code } =>
  field.code !== undefined && codeRules[field.code].severity === 'error'

/** A string that is a valid code. Others go to the parser, and `compileCodeCheck` reports them. */
const codeScan = (scan: Scan, code: Code): Scan => {
  const match = compileCodeMatch(code)
  return (text, at) => {
    const end = scan(text, at)
    return end !== noMatch && match(text, at + 1, end - 1) ? end : noMatch
  }
}

const wordScan = (word: string): Scan => {
  const bytes = new TextEncoder().encode(word)
  const { length } = bytes
  return (text, at) => {
    for (let index = 0; index < length; index += 1) {
      if (text[at + index] !== bytes[index]) return noMatch
    }
    return at + length
  }
}

/**
 * Scans the name of a field, four bytes at a time, because names make up most of a record. The last
 * four bytes may overlap the previous ones.
 */
const nameScan = (word: string, state: State): Scan => {
  const bytes = new TextEncoder().encode(word)
  const { length } = bytes
  const last = length - 4
  if (last < 0) return wordScan(word)
  const view = new DataView(bytes.buffer)
  const fours = Int32Array.from({ length: length >> 2 }, (_, index) => view.getInt32(index * 4))
  const lastFour = view.getInt32(last)
  return (text, at) => {
    if (at + length > text.length || state.view.getInt32(at + last) !== lastFour) return noMatch
    for (let index = 0; index < fours.length; index += 1) {
      if (state.view.getInt32(at + index * 4) !== fours[index]) return noMatch
    }
    return at + length
  }
}

const scanNull = wordScan('null')
const scanTrue = wordScan('true')
const scanFalse = wordScan('false')

/** A quoted string of a format. */
const formatScan =
  ({ match }: Format): Scan =>
  (text, at) => {
    if (text[at] !== quote) return noMatch
    const end = match(text, at + 1)
    return end !== noMatch && text[end] === quote ? end + 1 : noMatch
  }

/** Integers with at most this many digits are exact as doubles. */
const digitsMax = 15

const scanInteger: Scan = (text, at) => {
  const from = text[at] === minus ? at + 1 : at
  const end = matchWhole(text, from)
  const isMinusZero = from > at && text[from] === zero
  return end - from > digitsMax || isMinusZero ? noMatch : end
}

/** Integers with at most this many digits are in the range of a filter. */
const filterDigitsMax = limits.integerFilter.maxLength - 1

const scanFilterInteger: Scan = (text, at) => {
  const end = matchWhole(text, at)
  return end - at > filterDigitsMax ? noMatch : end
}

const scanBoolean: Scan = (text, at) =>
  text[at] === letterT ? scanTrue(text, at) : scanFalse(text, at)

type CompileScan = (field: Field, path: string, compilation: Compilation) => Scan

/** 1 for the second characters of the escapes that `JSON.stringify` writes, except `\u`. */
const escaped = new Uint8Array(256)
for (const letter of '"\\bfnrt') escaped[letter.charCodeAt(0)] = 1

/**
 * A string with short escapes only. Other escapes encode NUL, or a character that `JSON.stringify`
 * does not escape. `isUtf8` excludes lone surrogates. A wanted field allows no escapes, so that its
 * bytes are its value. A text has at most as many characters as bytes.
 */
const stringScan: CompileScan = (_field, path, { state, bounds, wanted, wantedBytes }) => {
  const isWanted = wanted.includes(path)
  const allowsEscapes = !isWanted
  const bytesMax = bounds.get(pointerAt(path))?.characters ?? limits.bounds.textBytes
  /** With the opening quote. */
  const lengthMax = 1 + (isWanted ? Math.min(bytesMax, wantedBytes) : bytesMax)
  return (text, from) => {
    if (text[from] !== quote) return noMatch
    let all = 0
    for (let at = from + 1; at < text.length; at += 1) {
      const code = text[at] as number
      if (code === quote) {
        if (all >= 0x80) state.isAscii = false
        return at - from > lengthMax ? noMatch : at + 1
      }
      if (code < space) return noMatch
      if (code === backslash) {
        at += 1
        if (!allowsEscapes || escaped[text[at] as number] !== 1) return noMatch
      }
      all |= code
    }
    return noMatch
  }
}

/** An array of values that `scan` recognises. */
const arrayScan =
  (scan: Scan): Scan =>
  (text, from) => {
    if (text[from] !== openBracket) return noMatch
    if (text[from + 1] === closeBracket) return from + 2
    let at = from
    for (;;) {
      at = scan(text, at + 1)
      if (at === noMatch) return noMatch
      if (text[at] === closeBracket) return at + 1
      if (text[at] !== comma) return noMatch
    }
  }

const scansByType: Record<ValueType, CompileScan> = {
  string: stringScan,
  integer: (_field, path, { bounds }) =>
    bounds.get(pointerAt(path))?.hasFilter ? scanFilterInteger : scanInteger,
  boolean: () => scanBoolean,
  // Objects and numbers go to the parser: parsing moves names that look like integers.
  any: stringScan,
  strings: (...parts) => arrayScan(stringScan(...parts)),
  object: ({ fields = {} }, path, compilation) => recordScan(fields, path, compilation),
  // One pair of offsets cannot hold the values of several objects.
  objects: ({ fields = {} }, path, compilation) =>
    arrayScan(recordScan(fields, path, { ...compilation, wanted: [] })),
}
