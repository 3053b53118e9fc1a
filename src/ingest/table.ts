import { type Cell, CivilTime } from '#mapping'

/** A table as a file has it: named columns and rows of cells. It knows nothing of collections. */
export interface Table {
  /** As the header names them: in its order, possibly empty or twice the same. */
  readonly columns: readonly string[]
  /** In batches, to be read once. */
  readonly rows: AsyncIterable<readonly TableRow[]>
  /** Closes what the table is read from, also before its rows are read. */
  close(): Promise<void>
}

export type TableRow =
  | {
      /** The line or the row of the file that it begins in. */
      readonly line: number
      /** One for each column, in their order. */
      readonly cells: readonly Cell[]
    }
  | { readonly line: number; readonly problem: string; readonly text: string }

/** A cell as a text: a number without an exponent, an instant in UTC. */
export const cellText = (cell: NonNullable<Cell>): string => {
  if (typeof cell === 'string') return cell
  if (typeof cell === 'number') return decimalText(cell)
  if (cell instanceof CivilTime) return cell.text
  if (cell instanceof Date) return cell.toISOString()
  return typeof cell === 'object' ? JSON.stringify(cell) : String(cell)
}

/** The shortest decimal digits that mean the same number. */
const decimalText = (value: number): string => {
  const text = String(value)
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/.exec(text) ?? []
  if (exponent === undefined) return text
  const digits = whole + fraction
  const point = whole.length + Number(exponent)
  return point <= 0 ? `${sign}0.${'0'.repeat(-point)}${digits}` : sign + digits.padEnd(point, '0')
}

/** How a table is read, where its file does not say it by itself. */
export interface TableOptions {
  /** Of CSV; UTF-8 by default. */
  readonly encoding?: Encoding | undefined
  /** Of CSV; by default the one that the header has most of. */
  readonly delimiter?: Delimiter | undefined
  /** The name of a workbook's sheet; by default the first one that is shown. */
  readonly sheet?: string | undefined
  /**
   * The line or row that names the columns, from 1 on. By default the first line of CSV, and of a
   * sheet the first row that looks like it.
   */
  readonly headerRow?: number | undefined
  /** Whether a pair of quotes in CSV is an empty text, as by default, or a cell with nothing in it. */
  readonly keepsEmptyTexts?: boolean | undefined
  /** The columns whose cells matter: an error of a formula in another one is none. By default all. */
  readonly usedColumns?: readonly string[] | undefined
  /** Of CSV: the batches of rows that are read, where several threads share a file; by default all. */
  readonly part?: TablePart | undefined
}

/** Every n-th batch of a table, beginning with this one. */
export interface TablePart {
  readonly index: number
  readonly of: number
}

export const encodings = ['utf-8', 'windows-1252', 'iso-8859-1'] as const
export type Encoding = (typeof encodings)[number]
export const delimiters = [',', ';', '\t', '|'] as const
export type Delimiter = (typeof delimiters)[number]
