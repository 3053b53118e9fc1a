import { inlineText, letters, styles, workbook, worksheetStart } from './xlsx.ts'

/** A whole number or a text; null for none. */
export type SheetCell = string | number | null

export interface SheetRow {
  readonly cells: readonly SheetCell[]
  /** Whether its cells are bold. */
  readonly isStrong?: boolean
}

/** A sheet whose rows are laid out freely. */
export interface Sheet {
  /** Sheets of a workbook have different names. */
  readonly name: string
  /** In characters. */
  readonly widths: readonly number[]
  /** Columns that stay in view. */
  readonly frozenColumns: number
  readonly rows: Iterable<SheetRow>
}

/** Rows per piece: a few milliseconds. */
const batchRows = 50

/** Streams a workbook of several sheets. Texts are never formulas. */
export const encodeSheets = (sheets: readonly Sheet[]): AsyncGenerator<Uint8Array> =>
  workbook(sheets.map((sheet) => ({ name: sheet.name, pieces: sheetText(sheet) })))

async function* sheetText({ widths, frozenColumns, rows }: Sheet): AsyncGenerator<string> {
  const pane = `<pane xSplit="${frozenColumns}" topLeftCell="${letters(frozenColumns)}1" activePane="topRight" state="frozen"/>`
  yield worksheetStart(widths, pane)
  let text = ''
  let number = 0
  for (const row of rows) {
    number += 1
    text += rowText(row, number)
    if (number % batchRows !== 0) continue
    yield text
    text = ''
  }
  yield `${text}</sheetData></worksheet>`
}

const rowText = ({ cells, isStrong = false }: SheetRow, number: number): string => {
  const style = isStrong ? ` s="${styles.header}"` : ''
  const texts = cells.map((cell, index) => {
    if (cell === null) return ''
    const content = typeof cell === 'number' ? `><v>${cell}</v>` : inlineText(cell)
    return `<c r="${letters(index)}${number}"${style}${content}</c>`
  })
  return `<row r="${number}">${texts.join('')}</row>`
}
