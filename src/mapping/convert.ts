import {
  dayIn,
  formatUnits,
  type JsonValue,
  type Kind,
  multiplyDecimals,
  parseDecimal,
  trimPlaces,
} from '#contract'
import { type Cell, CivilTime, plainNumber, textOf } from './cell.ts'
import { compileTime, readIso, type TimeReader, type WrittenTime } from './date-format.ts'
import type { Expression } from './mapping.ts'
import {
  compileNumber,
  FormatError,
  limitLength,
  type NumberReader,
  valueCharactersMax,
} from './number-format.ts'
import { localClock } from './zone.ts'

/** Converts a non-empty cell to a value of a kind. Throws a `FormatError`. */
export type Convert = (cell: NonNullable<Cell>) => JsonValue

export type Conversion = Pick<Expression, 'as' | 'isPercent' | 'knownValues' | 'formats'>

/** Compiles the conversion of cells to the kind of an expression. */
export const compileConvert = (conversion: Conversion): Convert =>
  convertersByKind[conversion.as](conversion)

type Compile = (conversion: Conversion) => Convert

const asText: Compile = ({ knownValues }) => {
  if (!knownValues) return textOf
  const values = new Map(knownValues.map((value) => [nameOf(value), value]))
  return (cell) => {
    const text = textOf(cell)
    if (text === null) return null
    const value = values.get(nameOf(text))
    if (value !== undefined) return value
    throw new FormatError(
      `is not one of ${knownValues.join(', ')}: say what it means with values: { '${text.slice(0, 40)}': … }`,
    )
  }
}

/** Normalises a name: `In Production`, `in-production` and `in_production` are equal. */
const nameOf = (text: string): string => text.toLowerCase().replace(/[\s_-]+/g, '_')

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

const asIdentifier: Compile =
  ({ as }) =>
  (cell) => {
    const text = textOf(cell)
    if (text === null) return null
    if (uuid.test(text)) return text.toLowerCase()
    const advice = as === 'ref' ? '{ ref: { key: [COLUMN] } }' : '{ key: [COLUMN] }'
    throw new FormatError(`is not a UUID; if the column has a key of your own, write ${advice}`)
  }

/** A number as an amount, multiplied if the mapping has a factor. */
const compileAmount = ({
  formats,
  isPercent,
}: Conversion): ((cell: NonNullable<Cell>) => string | null) => {
  const { decimal, group, multiply } = formats
  const read: NumberReader = compileNumber({ decimal, group, percent: isPercent })
  const factor = multiply === null ? null : parseDecimal(multiply)
  return (cell) => {
    let amount: string
    if (typeof cell === 'number') {
      if (!Number.isFinite(cell)) throw new FormatError('is not a number')
      amount = plainNumber(cell)
      // The largest doubles round to infinity.
      if (amount.endsWith('Infinity')) throw new FormatError('is not a number')
    } else {
      const text = textOf(cell)
      if (text === null) return null
      limitLength(text, valueCharactersMax, 'a number')
      amount = typeof cell === 'bigint' ? text : read(text)
    }
    if (factor === null) return amount
    const { units, scale } = multiplyDecimals(parseDecimal(amount), factor)
    return trimPlaces(formatUnits(units, scale))
  }
}

const asAmount: Compile = (expression) => compileAmount(expression)

const asInteger: Compile = (expression) => {
  const read = compileAmount(expression)
  return (cell) => {
    if (typeof cell === 'number' && Number.isSafeInteger(cell) && !expression.formats.multiply) {
      return cell === 0 ? 0 : cell
    }
    const amount = read(cell)
    return amount === null ? null : integerOf(amount)
  }
}

/** An amount without a fraction as a number. */
export const integerOf = (amount: string): number => {
  const value = Number(amount)
  // Some systems write integer quantities with decimal places: 12.000.
  if (Number.isSafeInteger(value) && !/\.\d*[1-9]/.test(amount)) return value === 0 ? 0 : value
  throw new FormatError('is not a whole number')
}

/** Spellings of true and false, in lower case. */
export const flagTexts: { readonly [text: string]: boolean } = {
  true: true,
  false: false,
  t: true,
  f: false,
  '1': true,
  '0': false,
  yes: true,
  no: false,
  y: true,
  n: false,
  ja: true,
  nein: false,
  j: true,
  x: true,
}

const asFlag: Compile = () => (cell) => {
  if (typeof cell === 'boolean') return cell
  const text = textOf(cell)
  if (text === null) return null
  const name = text.toLowerCase()
  const value = Object.hasOwn(flagTexts, name) ? flagTexts[name] : undefined
  if (value !== undefined) return value
  throw new FormatError(
    `is neither true nor false: say what it means with values: { '${text.slice(0, 40)}': true }`,
  )
}

const dateLength = '2026-03-14'.length

const asDate: Compile = ({ formats }) => {
  const { timezone } = formats
  const read = readerOf(formats.date.length > 0 ? formats.date.map(compileTime) : [readIso])
  const dayOf = ({ localMs, offsetMinutes }: WrittenTime): string =>
    offsetMinutes === null
      ? isoOf(localMs).slice(0, dateLength)
      : dayIn(timezone, supportedMs(localMs - offsetMinutes * 60_000))
  const readText = memoized((text) => {
    const time = read(text)
    return time && dayOf(time)
  })
  return (cell) => {
    if (typeof cell === 'string') return readText(cell)
    if (cell instanceof CivilTime) return cell.text.slice(0, dateLength)
    if (cell instanceof Date) return dayIn(timezone, supportedMs(cell.getTime()))
    return readNumber(cell, formats.date, readText)
  }
}

const asTimestamp: Compile = ({ formats }) => {
  const { timezone, timestamp, date } = formats
  const clock = localClock(timezone)
  // Without a pattern for times, a date means the start of its day.
  const patterns =
    timestamp.length > 0 ? timestamp.map(compileTime) : [readIso, ...date.map(compileTime)]
  const read = readerOf(patterns)
  const instantOf = ({ localMs, offsetMinutes }: WrittenTime): string =>
    isoOf(offsetMinutes === null ? clock(localMs) : localMs - offsetMinutes * 60_000)
  const readText = memoized((text) => {
    const time = read(text)
    return time && instantOf(time)
  })
  const readCivil = memoized((text) => {
    const time = readIso(text)
    return time && instantOf(time)
  })
  return (cell) => {
    if (typeof cell === 'string') return readText(cell)
    if (cell instanceof CivilTime) return readCivil(cell.text)
    if (cell instanceof Date) return isoOf(cell.getTime())
    return readNumber(cell, timestamp, readText)
  }
}

/** A number is a time only if the mapping states its unit. */
const readNumber = (
  cell: NonNullable<Cell>,
  patterns: readonly string[],
  readText: (text: string) => string | null,
): string | null => {
  const text = textOf(cell)
  if (text === null) return null
  if (patterns.length > 0) return readText(text)
  throw new FormatError(
    'is a number; if it counts days as spreadsheets do, set its pattern to excel, and to epoch or epochMs if it counts from 1970',
  )
}

/** Tries the patterns in order. If none matches, the error is that of the first. */
const readerOf = (readers: readonly TimeReader[]): TimeReader => {
  return (text) => {
    limitLength(text, valueCharactersMax, 'a time')
    let failure: FormatError | undefined
    for (const read of readers) {
      try {
        return read(text)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        failure ??= error
      }
    }
    throw failure ?? new FormatError('cannot be read')
  }
}

/** The supported years. */
const [firstMs, lastMs] = [Date.UTC(1000, 0, 1), Date.UTC(9999, 11, 31, 23, 59, 59, 999)]

const supportedMs = (ms: number): number => {
  if (ms >= firstMs && ms <= lastMs) return ms
  throw new FormatError('is not a year from 1000 to 9999')
}

const isoOf = (ms: number): string => new Date(supportedMs(ms)).toISOString()

/** Columns repeat the same dates and keys. */
const memoizedMax = 5_000

/** Memoizes results of short texts, but not errors. Trims texts first. */
export const memoized = <Value>(
  read: (text: string) => Value,
): ((text: string) => Value | null) => {
  const results = new Map<string, Value>()
  return (text) => {
    const value = results.get(text)
    if (value !== undefined) return value
    const trimmed = textOf(text)
    if (trimmed === null) return null
    const fresh = read(trimmed)
    if (results.size >= memoizedMax) results.clear()
    if (text.length <= valueCharactersMax) results.set(text, fresh)
    return fresh
  }
}

const asAny: Compile = ({ formats }) => {
  if (formats.json) return parseJson
  return (cell) => {
    if (typeof cell === 'bigint') {
      const value = Number(cell)
      return Number.isSafeInteger(value) ? value : String(cell)
    }
    const isScalar = typeof cell === 'string' || cell instanceof Date || cell instanceof CivilTime
    return isScalar ? textOf(cell) : (cell as JsonValue)
  }
}

/** How PostgreSQL writes arrays of several dimensions, or with other bounds. */
const nestedArray = /^(\{\{|(\[-?\d+:-?\d+\])+=\{)/

const asTexts: Compile = ({ formats }) => {
  if (formats.json) return parseJson
  const { split } = formats
  return (cell) => {
    if (Array.isArray(cell)) return cell as JsonValue
    const text = textOf(cell)
    if (text === null) return null
    if (split === null && nestedArray.test(text)) {
      throw new FormatError('is an array of several dimensions: make one list of it in the query')
    }
    return (split === null ? [text] : text.split(split))
      .map((each) => each.trim())
      .filter((each) => each !== '')
  }
}

const parseJson: Convert = (cell) => {
  if (typeof cell === 'object' && !(cell instanceof Date) && !(cell instanceof CivilTime))
    return cell
  const text = textOf(cell)
  if (text === null) return null
  try {
    return JSON.parse(text) as JsonValue
  } catch {
    throw new FormatError('is not JSON')
  }
}

const convertersByKind: Record<Kind, Compile> = {
  id: asIdentifier,
  ref: asIdentifier,
  person: asIdentifier,
  text: asText,
  integer: asInteger,
  flag: asFlag,
  amount: asAmount,
  date: asDate,
  timestamp: asTimestamp,
  any: asAny,
  texts: asTexts,
  object: () => parseJson,
  objects: () => parseJson,
}
