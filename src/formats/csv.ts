import type { CsvDelimiter, JsonValue } from '#contract'
import { type Column, jsonKinds, type ValuesOf } from './column.ts'

export interface CsvOptions {
  readonly lineEnd: '\n' | '\r\n'
  readonly delimiter: CsvDelimiter
  /** Whether texts that a spreadsheet would run as formulas get the prefix `'`. */
  readonly isNeutralized: boolean
}

/** For imports: lossless. */
export const exactCsv: CsvOptions = { lineEnd: '\n', delimiter: 'comma', isNeutralized: false }
/** For spreadsheets (RFC 4180, except for other delimiters). */
export const spreadsheetCsv = (delimiter: CsvDelimiter): CsvOptions => ({
  lineEnd: '\r\n',
  delimiter,
  isNeutralized: true,
})

/**
 * Matches before each sign of a formula that follows one of these characters. A program that splits
 * lines at another delimiter than the file has ignores the quotes within them, so that the rest of a
 * text becomes a cell. A number is not a formula if the same delimiter or the line ends it, or JSON
 * does: what else follows would continue it. Looks for the sign first: this takes linear time.
 */
const formulaAfter = (signs: string): RegExp => {
  const number = '-\\d+(?:\\.\\d+)?(?:e[+-]?\\d+)?'
  const end = '["\\]} ]*(?:\\1|\\r?\\n|[\\]}]$)'
  return new RegExp(`(?=[=+\\-@])(?<=([${signs}])[" ]*)(?!${number}${end})`, 'g')
}

/** Each delimiter, what has to be quoted beside it, and where a text can become a formula. */
const delimiters = {
  comma: { sign: ',', quoted: /[",\r\n]/, innerFormula: formulaAfter(';|\t\r\n') },
  semicolon: { sign: ';', quoted: /[";\r\n]/, innerFormula: formulaAfter(',|\t\r\n') },
} as const

export const csvHeader = (columns: readonly Column[], { lineEnd, delimiter }: CsvOptions): string =>
  columns.map(({ name }) => csvCell(name, delimiter)).join(delimiters[delimiter].sign) + lineEnd

/** A record as a line. Null is an empty cell. */
export const csvRow = (
  columns: readonly Column[],
  { lineEnd, delimiter, isNeutralized }: CsvOptions,
  record: JsonValue,
  valuesOf: ValuesOf,
): string => {
  const cells = columns.map(({ kind, read }) => {
    const value = read(record, valuesOf)
    if (value === null) return ''
    const text = jsonKinds.has(kind) ? JSON.stringify(value) : String(value)
    return csvCell(isNeutralized ? neutralized(text, delimiter) : text, delimiter)
  })
  return cells.join(delimiters[delimiter].sign) + lineEnd
}

/** Quotes distinguish an empty text from null. */
const csvCell = (text: string, delimiter: CsvDelimiter): string =>
  text === '' || delimiters[delimiter].quoted.test(text) || /^\s|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text

/** A number is not a formula. */
const neutralized = (text: string, delimiter: CsvDelimiter): string => {
  const inner = text.replaceAll(delimiters[delimiter].innerFormula, "'")
  return /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${inner}` : inner
}
