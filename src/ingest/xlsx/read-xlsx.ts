import { composeText } from '#contract'
import type { Cell } from '#mapping'
import type { OpenedFile } from '../opened-file.ts'
import { plainText } from '../report.ts'
import { SourceError } from '../row.ts'
import { cellText, type Table, type TableOptions, type TableRow } from '../table.ts'
import { readArchive } from './archive.ts'
import { CellFault, columnLetters, readSheet, type SheetRow } from './sheet.ts'
import { readWorkbook, sheetOf } from './workbook.ts'

/** Maximum size of a decompressed sheet. */
const sheetBytesMax = 2 * 1_024 * 1_024 * 1_024

/**
 * Reads a sheet of an Excel workbook: the named one, or the first. A title may precede its header.
 * Empty rows are skipped. Only the workbook's shared strings are held in memory.
 */
export const readXlsx = async (
  file: OpenedFile,
  options: TableOptions,
  onBytes: (bytes: number) => void,
): Promise<Table> => (await readSheets(file)).table(options, onBytes)

/** The sheets of a workbook, whose shared strings are read once. */
interface Sheets {
  /** The names of the visible sheets, in their order. */
  readonly names: readonly string[]
  table(options: TableOptions, onBytes: (bytes: number) => void): Promise<Table>
}

export const readSheets = async (file: OpenedFile): Promise<Sheets> => {
  const archive = await readArchive(file)
  const workbook = await readWorkbook(archive)
  return {
    names: workbook.sheets.filter(({ isHidden }) => !isHidden).map(({ name }) => name),
    table: (options, onBytes) => {
      const { part } = sheetOf(workbook, options.sheet)
      const chunks = archive.read(part, { bytesMax: sheetBytesMax, onBytes })
      return tableOf(readSheet(chunks, workbook), options)
    },
  }
}

/** The header is searched in this many rows. */
const headRowsMax = 100

const tableOf = async (
  batches: AsyncIterable<readonly SheetRow[]>,
  { headerRow, usedColumns }: TableOptions,
): Promise<Table> => {
  const used = usedColumns && new Set(usedColumns.map(comparable))
  const rest = batches[Symbol.asyncIterator]()
  const head: SheetRow[] = []
  const isEnough = () =>
    headerRow === undefined ? head.length >= headRowsMax : (head.at(-1)?.line ?? 0) >= headerRow
  while (!isEnough()) {
    const next = await rest.next()
    if (next.done) break
    head.push(...next.value)
  }
  const at =
    headerRow === undefined
      ? findHeader(head.slice(0, headRowsMax))
      : head.findIndex(({ line }) => line === headerRow)
  const header = head[at]
  if (!header) {
    throw new SourceError(
      headerRow === undefined
        ? 'has an empty sheet: a row must name the columns'
        : `has nothing in row ${headerRow}, which should name the columns`,
    )
  }
  const columns = [...header.cells]
    .map(([column, cell]) => ({ column, name: nameOf(cell) }))
    .map((each) => ({ ...each, isUsed: used?.has(comparable(each.name)) ?? true }))
    .filter(({ name }) => name !== '')
    .sort((one, other) => one.column - other.column)
  const rows = async function* (): AsyncIterable<readonly TableRow[]> {
    try {
      yield head
        .splice(0)
        .slice(at + 1)
        .map((row) => tableRow(row, columns))
      for (let next = await rest.next(); !next.done; next = await rest.next()) {
        yield next.value.map((row) => tableRow(row, columns))
      }
    } finally {
      await rest.return?.()
    }
  }
  return {
    columns: columns.map(({ name }) => name),
    rows: rows(),
    close: async () => {
      await rest.return?.()
    },
  }
}

/** Header names are compared without surrounding spaces and in composed form. */
const comparable = (name: string): string => composeText(name.trim())

const nameOf = (cell: Cell | CellFault): string =>
  cell === null || cell instanceof CellFault ? '' : cellText(cell).trim()

/**
 * The header is the first row of distinct texts that is almost as wide as the widest row. Titles
 * have fewer cells; records contain numbers and dates, or come later.
 */
const findHeader = (rows: readonly SheetRow[]): number => {
  const widest = rows.reduce((most, { cells }) => Math.max(most, cells.size), 0)
  const header = rows.findIndex(({ cells }) => {
    const texts = new Set(
      [...cells.values()].filter((cell) => typeof cell === 'string' && cell.trim() !== ''),
    )
    return texts.size === cells.size && cells.size >= widest * headerPart
  })
  return header < 0 ? 0 : header
}

const headerPart = 0.75

interface NamedColumn {
  readonly column: number
  readonly name: string
  readonly isUsed: boolean
}

const tableRow = ({ line, cells }: SheetRow, columns: readonly NamedColumn[]): TableRow => {
  const values: Cell[] = []
  let named = 0
  for (const { column, name, isUsed } of columns) {
    const cell = cells.get(column) ?? null
    if (cells.has(column)) named += 1
    if (cell instanceof CellFault && !isUsed) {
      values.push(null)
      continue
    }
    if (cell instanceof CellFault) {
      return {
        line,
        problem: `column ${plainText(name)} ${cell.reason}`,
        text: cell.text,
      }
    }
    values.push(cell)
  }
  if (named === cells.size) return { line, cells: values }
  const names = new Set(columns.map(({ column }) => column))
  const [column = 0, cell = null] = [...cells].find(([each]) => !names.has(each)) ?? []
  return {
    line,
    problem: `has a value in column ${columnLetters(column)}, which the header does not name`,
    text: cell === null ? '' : cell instanceof CellFault ? cell.text : cellText(cell),
  }
}
