import { type Cell, CivilTime, textOf } from '../cell.ts'
import { compileTime } from '../date-format.ts'
import { compileNumber, FormatError } from '../number-format.ts'
import type { DeclaredType, SampleTable } from './sample-table.ts'
import { digitKinds, kindNames, textKinds, type ValueKind } from './value-kinds.ts'

/** The profile of a column's samples. */
export interface ColumnProfile {
  readonly name: string
  /** The type, if a database declares it. */
  readonly type: DeclaredType | null
  readonly filled: number
  readonly rows: number
  /** The number of distinct texts, and the first ones. */
  readonly distinct: number
  readonly values: readonly string[]
  /** All texts with their numbers of rows, the most frequent first; null if they are too many to be a list. */
  readonly counts: readonly ValueCount[] | null
  /** Whether all cells are filled and distinct. */
  readonly isUnique: boolean
  /** What at least half of the filled cells are, the most telling and most frequent first. */
  readonly recognised: readonly Recognition[]
  /** Whether the cells are dates, and the patterns that match all others. */
  readonly isDate: boolean
  readonly datePatterns: readonly string[]
  /** Whether all cells are numbers rather than texts. */
  readonly isNumber: boolean
  /** Number formats that match all texts; empty if they are not numbers. */
  readonly numberFormats: readonly NumberStyle[]
  readonly isUuid: boolean
}

export interface ValueCount {
  readonly value: string
  readonly count: number
}

export interface Recognition {
  readonly kind: ValueKind
  /** How many of the filled cells. */
  readonly count: number
  readonly isAll: boolean
  /** As a reason: "487 of 500 values are country names". */
  readonly reason: string
}

export interface NumberStyle {
  readonly decimal: string
  readonly group: string | null
}

/** The profiles of a table's columns that have a name. */
export const profileTable = ({
  columns,
  types = [],
  rows,
}: SampleTable): readonly ColumnProfile[] =>
  columns.flatMap((name, index) =>
    name.trim() === ''
      ? []
      : [
          profileColumn(
            name,
            rows.map((row) => row[index] ?? null),
            types[index],
          ),
        ],
  )

/** Patterns in order of preference. */
const patterns = [
  'yyyy-MM-dd',
  'dd.MM.yyyy',
  'dd/MM/yyyy',
  'MM/dd/yyyy',
  'dd-MM-yyyy',
  'yyyyMMdd',
  'dd.MM.yy',
  'dd-MMM-yyyy',
  'dd MMM yyyy',
]
const times = ['', ' HH:mm', ' HH:mm:ss', 'THH:mm:ss', 'THH:mm:ssXXX', 'THH:mm:ss.SSSXXX']
const allPatterns = times.flatMap((time) => patterns.map((pattern) => pattern + time))
const readers = new Map(
  allPatterns.map((pattern) => [
    pattern,
    {
      read: compileTime(pattern),
      shape: shapeOf(
        pattern
          .replace('XXX', '')
          .replace('MMM', 'a')
          .replace(/[yMdHms]+|SSS/g, '0'),
      ),
      hasOffset: pattern.endsWith('XXX'),
    },
  ]),
)

/** The signs of a text, with 0 for digits and a for letters: an error for each text takes long. */
function shapeOf(text: string): string {
  return text.replace(/\d+/g, '0').replace(/\p{L}+/gu, 'a')
}

const styles: readonly NumberStyle[] = [
  { decimal: '.', group: null },
  { decimal: ',', group: null },
  { decimal: ',', group: '.' },
  { decimal: '.', group: ',' },
]
const numberReaders = new Map(
  styles.map((style) => [style, compileNumber({ ...style, percent: true })]),
)

const valuesMax = 30
/** A longer text is neither a name nor a code, a number or a date. */
const textLengthMax = 200

/** Profiles the sample cells of a column. */
export const profileColumn = (
  name: string,
  cells: readonly Cell[],
  type: DeclaredType | null = null,
): ColumnProfile => {
  const present = cells.filter((cell) => textOf(cell) !== null)
  const texts = present.map((cell) => textOf(cell) ?? '')
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  // A day in a spreadsheet can be a date in one row, and a text or a number of days in another.
  const others = present.filter((cell) => !isTime(cell))
  const otherTexts = [...new Set(others.map((cell) => textOf(cell) ?? ''))]
  const areTexts = present.every((cell) => typeof cell === 'string')
  const areNumbers = present.every(isNumeric)
  const hasAny = texts.length > 0
  const datePatterns = datePatternsOf(others, otherTexts, others.length < present.length)
  const numberFormats = areNumbers
    ? styles.slice(0, 1)
    : areTexts
      ? styles.filter((style) => otherTexts.every((text) => numberOf(text, style) !== null))
      : // A database gives numbers of many digits as texts, so that none is lost.
        styles.slice(0, 1).filter((style) => areWritten(present, otherTexts, style))
  const parts: Samples = { type, filled: texts.length, present, counts, others, datePatterns }
  const recognised = recognise(parts)
  return {
    ...{ name, type, recognised },
    filled: texts.length,
    rows: cells.length,
    distinct: counts.size,
    values: [...counts.keys()].slice(0, valuesMax),
    counts: listOf(counts, texts.length),
    isUnique: hasAny && texts.length === cells.length && counts.size === texts.length,
    isDate: hasAny && others.length === 0,
    isNumber: hasAny && areNumbers,
    datePatterns: hasAny ? datePatterns : [],
    numberFormats: hasAny ? numberFormats : [],
    isUuid: hasAny && recognised.some(({ kind, isAll }) => kind === 'uuid' && isAll),
  }
}

const areWritten = (
  cells: readonly Cell[],
  texts: readonly string[],
  style: NumberStyle,
): boolean =>
  cells.every((cell) => isNumeric(cell) || typeof cell === 'string') &&
  texts.every((text) => numberOf(text, style) !== null)

const isTime = (cell: Cell): boolean => cell instanceof CivilTime || cell instanceof Date

const isNumeric = (cell: Cell): boolean => typeof cell === 'number' || typeof cell === 'bigint'

/** All texts of a list of values; a few samples are not enough to tell. */
const listOf = (
  counts: ReadonlyMap<string, number>,
  filled: number,
): readonly ValueCount[] | null => {
  const isList = counts.size <= valuesMax && (counts.size * 2 <= filled || filled < fewMax)
  const hasLong = [...counts.keys()].some((text) => text.length > textLengthMax)
  if (!isList || hasLong || filled === 0) return null
  return [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((one, other) => other.count - one.count)
}

const fewMax = 10

interface Samples {
  readonly type: DeclaredType | null
  readonly filled: number
  readonly present: readonly Cell[]
  /** The texts of the cells, with the number of cells of each. */
  readonly counts: ReadonlyMap<string, number>
  readonly others: readonly Cell[]
  readonly datePatterns: readonly string[]
}

/** What at least half of the filled cells are. */
const recognise = (samples: Samples): readonly Recognition[] => {
  const { filled, counts, present } = samples
  if (filled === 0) return []
  const kindCounts = new Map<ValueKind, number>([['date', dateCount(samples)]])
  const isMostlyDates = (kindCounts.get('date') ?? 0) * 2 >= filled
  const isText = present.some((cell) => typeof cell === 'string')
  const isFlag =
    present.every((cell) => typeof cell === 'boolean') ||
    counts.size === 2 ||
    (isText && counts.size === 1)
  // Numbers with leading zeros are codes, and so are the others of their column.
  const isPadded = counts.keys().some((text) => /^0\d/.test(text))
  for (const [text, count] of counts) {
    if (text.length > textLengthMax) {
      kindCounts.set('text', (kindCounts.get('text') ?? 0) + count)
      continue
    }
    const isDigits = /^\d+$/.test(text)
    if (isDigits && isPadded) kindCounts.set('code', (kindCounts.get('code') ?? 0) + count)
    for (const [kind, isOne] of textKinds) {
      if (isDigits && !digitKinds.includes(kind)) continue
      if (isMostlyDates || (kind === 'flag' && !isFlag)) continue
      if (isOne(text)) kindCounts.set(kind, (kindCounts.get(kind) ?? 0) + count)
    }
  }
  if (!isPadded) for (const [kind, count] of numberCounts(samples)) kindCounts.set(kind, count)
  const order = (kind: ValueKind) => kindOrder.indexOf(kind)
  return [...kindCounts]
    .filter(([, count]) => count > 0 && count * 2 >= filled)
    .sort(([one, most], [other, least]) => least - most || order(one) - order(other))
    .map(([kind, count]) => ({
      ...{ kind, count },
      isAll: count === filled,
      reason: recognitionReason(kind, count, filled, kindCounts),
    }))
}

/** Kinds of numbers and texts in general come after those of a certain kind. */
const kindOrder: readonly ValueKind[] = [
  ...['date' as const],
  ...textKinds.map(([kind]) => kind).filter((kind) => kind !== 'code' && kind !== 'text'),
  ...(['money', 'quantity', 'serialDate', 'code', 'text'] as const),
]

const recognitionReason = (
  kind: ValueKind,
  count: number,
  filled: number,
  kindCounts: ReadonlyMap<ValueKind, number>,
): string => {
  const hasCodes = kindCounts.has(`${kind}Code` as ValueKind)
  const [one, many] = kindNames[kind].map((name) =>
    hasCodes ? name : name.replace(' or codes', '').replace(' or code', ''),
  )
  if (filled === 1) return `its only value is ${one}`
  const [part, all] = [count, filled].map((each) => each.toLocaleString('en'))
  return count === filled ? `all ${all} values are ${many}` : `${part} of ${all} values are ${many}`
}

/** Years of dates that are written as numbers. */
const isLikelyDay = (text: string): boolean => /^(19[7-9]|20[0-9]|2100)\d{5,6}$/.test(text)
/** Days from 2000 to 2050, as spreadsheets count them. */
const isSerialDay = (text: string): boolean =>
  /^\d{5}(\.\d+)?$/.test(text) && Number(text) >= 36_526 && Number(text) < 55_153

/** The patterns that match all cells that are not dates themselves. */
const datePatternsOf = (
  others: readonly Cell[],
  texts: readonly string[],
  hasDates: boolean,
): readonly string[] => {
  if (others.length === 0) return []
  if (others.every((cell) => typeof cell === 'string'))
    return allPatterns.filter((pattern) => texts.every((text) => isOfPattern(text, pattern)))
  if (!others.every(isNumeric)) return []
  if (hasDates) return texts.every(isSerialDay) ? ['excel'] : []
  const isDay = (text: string) => isLikelyDay(text) && isOfPattern(text, 'yyyyMMdd')
  return texts.every(isDay) ? ['yyyyMMdd'] : []
}

/** How many cells are dates: by themselves, or in the most frequent pattern. */
const dateCount = ({ filled, present, others, counts, datePatterns }: Samples): number => {
  const dates = filled - others.length
  if (datePatterns.length > 0) return filled
  const texts = [...counts.keys()].filter((text) => mayBeDate.test(text))
  // Patterns of the first texts: the others are not written in many ways.
  const candidates = allPatterns.filter((pattern) =>
    texts.slice(0, fewMax).some((text) => isOfPattern(text, pattern)),
  )
  const matching = candidates.map((pattern) =>
    texts.reduce(
      (sum, text) => sum + (isOfPattern(text, pattern) ? (counts.get(text) ?? 0) : 0),
      0,
    ),
  )
  const isText = present.some((cell) => typeof cell === 'string')
  return dates + (isText ? Math.max(0, ...matching) : 0)
}

const mayBeDate = /^\d{1,4}[-./ ]?(\d{1,2}|\p{L}{3,4}\.?)[-./ ]?\d{2,4}\b/u

const isOfPattern = (text: string, pattern: string): boolean => {
  const reader = readers.get(pattern)
  if (!reader || !mayBeDate.test(text)) return false
  const shape = shapeOf(text)
  if (reader.hasOffset ? !shape.startsWith(reader.shape) : shape !== reader.shape) return false
  try {
    return reader.read(text) !== undefined
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}

/** Digits, with signs and a currency before or after them. */
const mayBeNumber =
  /^[^\p{L}\d]*(?:\p{L}{1,3}[^\p{L}\d]*)?\d[\d.,'’\s]*[^\p{L}\d]*(?:\p{L}{1,3}[^\p{L}\d]*)?$/u

/** A text as decimal digits; null if it is not a number. A code with leading zeros is not one. */
const numberOf = (text: string, style: NumberStyle): string | null => {
  if (text.length > textLengthMax || !mayBeNumber.test(text) || /^0\d/.test(text)) return null
  const digits = text.replace(/\p{L}+\./u, '')
  const isUnknown = (sign: string) =>
    digits.includes(sign) && sign !== style.decimal && sign !== style.group
  if (isUnknown('.') || isUnknown(',')) return null
  try {
    return numberReaders.get(style)?.(text) ?? null
  } catch (error) {
    if (error instanceof FormatError) return null
    throw error
  }
}

/** How many cells are amounts of money, whole numbers, and days as spreadsheets count them. */
const numberCounts = ({
  type,
  counts,
  present,
}: Samples): readonly (readonly [ValueKind, number])[] => {
  const isPlain = present.every(isNumeric)
  const read = (isPlain ? styles.slice(0, 1) : styles).map((style) =>
    [...counts].flatMap(([text, count]): readonly ReadNumber[] => {
      const number = numberOf(text, style)
      return number === null ? [] : [{ text, number, count }]
    }),
  )
  // 1,200 may have a fraction or not: whole numbers are more frequent.
  const numbers = read.reduce((best, each) =>
    each.length > best.length ||
    (each.length === best.length && each.filter(isWhole).length > best.filter(isWhole).length)
      ? each
      : best,
  )
  const sum = (some: readonly ReadNumber[]) => some.reduce((total, { count }) => total + count, 0)
  const scale = Math.max(0, ...numbers.map(({ number }) => fractionOf(number).length))
  const hasSign = numbers.some(({ text }) => /\p{Sc}|[A-Z]{3}/u.test(text))
  const hasPercent = numbers.some(({ text }) => text.includes('%'))
  const isMoney =
    !hasPercent && (type?.kind === 'money' || hasSign || moneyScales.includes(type?.scale ?? scale))
  return [
    ['money', isMoney ? sum(numbers) : 0],
    ['quantity', hasPercent ? 0 : sum(numbers.filter(isWhole))],
    ['serialDate', sum(numbers.filter(({ number }) => isSerialDay(number)))],
  ]
}

interface ReadNumber {
  readonly text: string
  /** In decimal digits. */
  readonly number: string
  readonly count: number
}

const fractionOf = (number: string): string => number.split('.')[1] ?? ''

/** A whole number that is not negative. No group of digits begins with a zero: 0,250. */
const isWhole = ({ text, number }: ReadNumber): boolean =>
  !/^0[.,]/.test(text) && !number.startsWith('-') && /^0*$/.test(fractionOf(number))

/** Digits after the decimal sign of amounts; some databases keep four. */
const moneyScales = [1, 2, 4]
