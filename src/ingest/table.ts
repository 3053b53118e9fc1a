import { type Cell, CivilTime } from '#mapping'
import { type FileInput, openChunks, type StreamInput } from './input.ts'
import { openLocalFile } from './local-file.ts'
import { readCsv } from './read-csv.ts'

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

/**
 * Opens the table of a file or a stream. Reading one that is not a table throws a `SourceError`
 * without the file's name; `namedError` adds it. `onBytes` is called with the number of bytes that
 * were read, before decompression.
 */
export const openTable = async (
  input: FileInput | StreamInput,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Table> => {
  const { format, table: options = {} } = input
  if (format !== 'xlsx' && format !== 'parquet') return openCsv(input, options, onBytes)
  const file = await openLocalFile(input, onBytes)
  try {
    const table = await readersByFormat[format](file.path, options, file.onBytes)
    return {
      ...table,
      close: async () => {
        await table.close()
        await file.close()
      },
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

const openCsv = async (
  input: FileInput | StreamInput,
  options: TableOptions,
  onBytes: (bytes: number) => void,
): Promise<Table> => {
  // A file that several threads share is read by each, and counted once.
  const isCounted = (options.part?.index ?? 0) === 0
  const { chunks, close } = openChunks(input, isCounted ? onBytes : () => undefined)
  try {
    const table = await readCsv(chunks, options)
    return { ...table, close: async () => close() }
  } catch (error) {
    close()
    throw error
  }
}

/** Formats that are read from a file on this machine, at any place of it; loaded when they are used. */
const readersByFormat = {
  xlsx: async (...input: Parameters<ReadFile>) =>
    (await import('./xlsx/read-xlsx.ts')).readXlsx(...input),
  parquet: async (...input: Parameters<ReadFile>) =>
    (await import('./read-parquet.ts')).readParquet(...input),
} satisfies Record<string, ReadFile>

type ReadFile = (
  path: string,
  options: TableOptions,
  onBytes: (bytes: number) => void,
) => Promise<Table>
