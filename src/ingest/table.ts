import { type Cell, CivilTime } from '#mapping'
import type { Correction } from './row.ts'

/** A table of a file: named columns and rows of cells, independent of collections. */
export interface Table {
  /** The header's names in order. They may be empty or repeated. */
  readonly columns: readonly string[]
  /** Batches; can be read once. */
  readonly rows: AsyncIterable<readonly TableRow[]>
  /** Closes the underlying file. Can be called before the rows are read. */
  close(): Promise<void>
}

export type TableRow =
  | {
      /** The line or row of the file on which it begins. */
      readonly line: number
      /** One per column, in order. */
      readonly cells: readonly Cell[]
      /** In a correction file: the quarantined rows that the row was made from. */
      readonly corrects?: Correction['rows']
    }
  | {
      readonly line: number
      readonly problem: string
      readonly text: string
      /** The cells of a row that has more or fewer of them than the table has columns. */
      readonly uneven?: readonly Cell[]
    }

/** A cell as text: numbers without an exponent, instants in UTC. */
export const cellText = (cell: NonNullable<Cell>): string => {
  if (typeof cell === 'string') return cell
  if (typeof cell === 'number') return decimalText(cell)
  if (cell instanceof CivilTime) return cell.text
  if (cell instanceof Date) return cell.toISOString()
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

/** The shortest decimal digits that round-trip, without an exponent. */
const decimalText = (value: number): string => {
  const text = String(value)
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : sign + digits.padEnd(point, '0')
}

/** Options for reading a table, if its file does not determine them. */
export interface TableOptions {
  /** For CSV. Default: UTF-8. */
  readonly encoding?: Encoding | undefined
  /** For CSV. Default: the most frequent one in the header. */
  readonly delimiter?: Delimiter | undefined
  /** The name of a workbook's sheet. Default: the first visible one. */
  readonly sheet?: string | undefined
  /**
   * The line or row with the column names, from 1. Default: the first line of CSV, or the first row
   * of a sheet that looks like a header.
   */
  readonly headerRow?: number | undefined
  /** Whether a pair of quotes in CSV is an empty text (the default) or null. */
  readonly keepsEmptyTexts?: boolean | undefined
  /** The columns in use: formula errors in other columns are ignored. Default: all. */
  readonly usedColumns?: readonly string[] | undefined
  /** For CSV: the share of the batches to read, if several threads share a file. Default: all. */
  readonly part?: TablePart | undefined
}

/** Every `of`-th batch of a table, starting with batch `index`. */
export interface TablePart {
  readonly index: number
  readonly of: number
}

export const encodings = ['utf-8', 'windows-1252', 'iso-8859-1'] as const
export type Encoding = (typeof encodings)[number]
export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]
