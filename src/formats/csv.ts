import type { JsonValue } from '#contract'
import { type Column, jsonKinds, type TitleOf } from './column.ts'

export interface CsvOptions {
  readonly lineEnd: '\n' | '\r\n'
  /** Whether texts that a spreadsheet would run as formulas get the prefix `'`. */
  readonly isNeutralized: boolean
}

/** For imports: lossless. */
export const exactCsv: CsvOptions = { lineEnd: '\n', isNeutralized: false }
/** For spreadsheets (RFC 4180). */
export const spreadsheetCsv: CsvOptions = { lineEnd: '\r\n', isNeutralized: true }

export const csvHeader = (columns: readonly Column[], { lineEnd }: CsvOptions): string =>
  columns.map(({ name }) => name).join(',') + lineEnd

/** A record as a line. Null is an empty cell. */
export const csvRow = (
  columns: readonly Column[],
  { lineEnd, isNeutralized }: CsvOptions,
  record: JsonValue,
  titleOf: TitleOf,
): string => {
  const cells = columns.map(({ kind, read }) => {
    const value = read(record, titleOf)
    if (value === null) return ''
    const text = jsonKinds.has(kind) ? JSON.stringify(value) : String(value)
    return csvCell(isNeutralized ? neutralized(text) : text)
  })
  return cells.join(',') + lineEnd
}

/** Quotes distinguish an empty text from null. */
const csvCell = (text: string): string =>
  text === '' || /[",\r\n]/.test(text) || /^\s|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text

/** A number is not a formula. */
const neutralized = (text: string): string =>
  /^[=+\-@\t\r]/.test(text) && !/^-?\d+(\.\d+)?$/.test(text) ? `'${text}` : text
