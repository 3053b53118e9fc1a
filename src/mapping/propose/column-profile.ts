import { type Cell, CivilTime, textOf } from '../cell.ts'
import { compileTime } from '../date-format.ts'
import { compileNumber, FormatError } from '../number-format.ts'

/** The profile of a column's samples. */
export interface ColumnProfile {
  readonly name: string
  readonly filled: number
  readonly rows: number
  /** The first distinct texts. */
  readonly values: readonly string[]
  /** Whether all cells are filled and distinct. */
  readonly isUnique: boolean
  /** Whether the cells are dates, and the patterns that match all texts. */
  readonly isDate: boolean
  readonly datePatterns: readonly string[]
  /** Whether all cells are numbers rather than texts. */
  readonly isNumber: boolean
  /** Number formats that match all texts; empty if they are not numbers. */
  readonly numberFormats: readonly NumberStyle[]
  readonly isUuid: boolean
}

export interface NumberStyle {
  readonly decimal: string
  readonly group: string | null
}

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
const readers = new Map(allPatterns.map((pattern) => [pattern, compileTime(pattern)]))

const styles: readonly NumberStyle[] = [
  { decimal: '.', group: null },
  { decimal: ',', group: null },
  { decimal: ',', group: '.' },
  { decimal: '.', group: ',' },
]

const valuesMax = 30
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** Profiles the sample cells of a column. */
export const profileColumn = (name: string, cells: readonly Cell[]): ColumnProfile => {
  const present = cells.filter((cell) => textOf(cell) !== null)
  const texts = present.map((cell) => textOf(cell) ?? '')
  const different = new Set(texts)
  const isCivil = present.every((cell) => cell instanceof CivilTime || cell instanceof Date)
  const areTexts = present.every((cell) => typeof cell === 'string')
  const areNumbers = present.every((cell) => typeof cell === 'number' || typeof cell === 'bigint')
  const hasAny = texts.length > 0
  return {
    name,
    filled: texts.length,
    rows: cells.length,
    values: [...different].slice(0, valuesMax),
    isUnique: hasAny && texts.length === cells.length && different.size === texts.length,
    isDate: hasAny && isCivil,
    isNumber: hasAny && areNumbers,
    datePatterns: hasAny && areTexts ? allPatterns.filter((each) => areOf(each, texts)) : [],
    numberFormats: !hasAny ? [] : areNumbers ? styles.slice(0, 1) : areTexts ? stylesOf(texts) : [],
    isUuid: hasAny && texts.every((text) => uuid.test(text)),
  }
}

const areOf = (pattern: string, texts: readonly string[]): boolean => {
  const read = readers.get(pattern)
  return read !== undefined && succeeds(texts, (text) => read(text))
}

const stylesOf = (texts: readonly string[]): readonly NumberStyle[] =>
  styles.filter((style) => {
    const read = compileNumber({ ...style, percent: true })
    // A code with leading zeros is not a number.
    return texts.every((text) => !/^0\d/.test(text)) && succeeds(texts, (text) => read(text))
  })

const succeeds = (texts: readonly string[], read: (text: string) => unknown): boolean => {
  try {
    for (const text of texts) read(text)
    return true
  } catch (error) {
    if (error instanceof FormatError) return false
    throw error
  }
}
