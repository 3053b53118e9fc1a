import { type Cell, CivilTime } from '#mapping'
import { rowBytesMax, SourceError } from '../row.ts'
import { numberCell } from './number-format.ts'
import { decodeText, type Workbook } from './workbook.ts'
import { attributesOf, type XmlHandler, xmlSteps } from './xml.ts'

/** A row that is not empty. */
export interface SheetRow {
  readonly line: number
  /** The non-empty cells, by column index from 0. */
  readonly cells: ReadonlyMap<number, Cell | CellFault>
}

/** A cell with an error instead of a value. */
export class CellFault {
  readonly text: string
  readonly reason: string

  constructor(text: string, reason: string) {
    this.text = text
    this.reason = reason
  }
}

/** Limits of the format. */
const rowsMax = 1_048_576
const columnsMax = 16_384

/** Streams the rows of a sheet in batches. */
export async function* readSheet(
  chunks: AsyncIterable<Buffer>,
  workbook: Workbook,
): AsyncIterable<readonly SheetRow[]> {
  const rows: SheetRow[] = []
  for await (const _ of xmlSteps(chunks, sheetHandler(workbook, rows))) {
    if (rows.length > 0) yield rows.splice(0)
  }
}

interface OpenCell {
  readonly column: number
  readonly type: string
  readonly style: number
  text: string
  hasValue: boolean
  hasFormula: boolean
}

const sheetHandler = (workbook: Workbook, rows: SheetRow[]): XmlHandler => {
  let line = 0
  let rowCount = 0
  let size = 0
  let nextColumn = 0
  let cells: Map<number, Cell | CellFault> | null = null
  let cell: OpenCell | null = null
  let isText = false
  let inPhonetic = false

  const beginRow = (attributes: string) => {
    const number = attributesOf(attributes).get('r')
    line = number === undefined ? line + 1 : Number(number)
    if (!(line >= 1 && line <= rowsMax)) throw new SourceError(`has a row with the number ${line}`)
    rowCount += 1
    if (rowCount > rowsMax) {
      throw new SourceError(`has more than ${rowsMax.toLocaleString('en')} rows in a sheet`)
    }
    cells = new Map()
    size = 0
    nextColumn = 0
  }

  const endCell = (ended: OpenCell) => {
    const value = cellValue(workbook, ended)
    if (value !== null) cells?.set(ended.column, value)
    size += ended.text.length
    if (size > rowBytesMax) throw new SourceError(`has too much text in row ${line}`)
  }

  return {
    open: (element, attributes) => {
      if (element === 'row') beginRow(attributes)
      else if (!cells) return
      else if (element === 'c') {
        cell = openCell(attributes, nextColumn)
        nextColumn = cell.column + 1
        if (nextColumn > columnsMax) throw new SourceError(`has too many columns in row ${line}`)
      } else if (!cell) return
      else if (element === 'v') {
        isText = true
        cell.hasValue = true
      } else if (element === 't') {
        isText = !inPhonetic
        cell.hasValue = true
      } else if (element === 'f') cell.hasFormula = true
      else if (element === 'rPh') inPhonetic = true
    },
    text: (text) => {
      if (isText && cell) cell.text += text
    },
    close: (element) => {
      if (element === 'v' || element === 't') isText = false
      else if (element === 'rPh') inPhonetic = false
      else if (element === 'c' && cell) {
        endCell(cell)
        cell = null
      } else if (element === 'row' && cells) {
        if (cells.size > 0) rows.push({ line, cells })
        cells = null
      }
    },
  }
}

/** Fast path for the usual order of a cell's attributes. */
const usualAttributes = /^ r="([A-Z]{1,3})\d+"(?: s="(\d+)")?(?: t="(\w+)")?$/

const openCell = (attributes: string, nextColumn: number): OpenCell => {
  const empty = { text: '', hasValue: false, hasFormula: false }
  const usual = usualAttributes.exec(attributes)
  if (usual) {
    const [, letters = '', style = '0', type = 'n'] = usual
    return { column: columnOf(letters), type, style: Number(style), ...empty }
  }
  const all = attributesOf(attributes)
  const letters = /^[A-Z]{1,3}(?=\d)/.exec(all.get('r') ?? '')?.[0]
  return {
    // A cell without a reference follows the previous one.
    column: letters === undefined ? nextColumn : columnOf(letters),
    type: all.get('t') ?? 'n',
    style: Number(all.get('s') ?? 0),
    ...empty,
  }
}

/** The index of a column, from 0: A to Z, then AA. */
const columnOf = (letters: string): number => {
  let column = 0
  for (let at = 0; at < letters.length; at += 1) {
    column = column * 26 + letters.charCodeAt(at) - 64
  }
  return column - 1
}

/** The letters of a column. */
export const columnLetters = (column: number): string => {
  const last = String.fromCharCode(65 + (column % 26))
  return column < 26 ? last : columnLetters(Math.floor(column / 26) - 1) + last
}

/** Programs that do not calculate write a formula with an empty value, or with none. */
const cellValue = (workbook: Workbook, cell: OpenCell): Cell | CellFault => {
  const { type, text, hasValue, hasFormula } = cell
  const isUnsolved = hasFormula && (!hasValue || (type === 'n' && text.trim() === ''))
  if (isUnsolved) {
    return new CellFault(
      '',
      'contains a formula without a stored result: open the file in Excel or LibreOffice, and save it',
    )
  }
  if (!hasValue) return null
  switch (type) {
    case 's':
      return sharedText(workbook, text)
    case 'inlineStr':
      return decodeText(text)
    case 'str':
      // A formula with an empty result.
      return text === '' ? null : decodeText(text)
    case 'b':
      return text.trim() === '1' || text.trim() === 'true'
    case 'e':
      return new CellFault(text, 'contains a formula error')
    case 'd':
      return isoTime(text.trim())
    default:
      return numberOf(workbook, cell)
  }
}

const sharedText = ({ texts }: Workbook, place: string): string => {
  const text = texts[Number(place)]
  if (text === undefined)
    throw new SourceError(`refers to text ${place}, which the workbook does not have`)
  return text
}

const numberOf = (
  { numberKinds, is1904 }: Workbook,
  { text, style }: OpenCell,
): Cell | CellFault => {
  if (text.trim() === '') return null
  const value = Number(text)
  if (!Number.isFinite(value)) return new CellFault(text, 'contains a number that cannot be read')
  return numberCell(value, numberKinds[style] ?? 'number', is1904)
}

/** A cell with an ISO 8601 date (ECMA-376, 18.18.11, `d`). */
const isoTime = (text: string): Cell => {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d:\d\d(?:\.\d{1,3})?))?$/.exec(text) ?? []
  if (day === undefined) return text
  if (time === undefined) return new CivilTime(day)
  const [seconds = '', fraction = ''] = time.split('.')
  return new CivilTime(`${day}T${seconds}.${fraction.padEnd(3, '0')}`)
}
