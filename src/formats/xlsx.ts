import type { JsonValue, Kind } from '#contract'
import type { CellLook, Column, ValuesOf } from './column.ts'
import type { RecordBatch } from './record-batch.ts'
import { type ZipEntry, zip } from './zip.ts'

/** Limits of Excel: rows of a sheet below its header, and characters of a cell. */
export const sheetRowsMax = 1_048_575
const cellCharactersMax = 32_767
/** Excel keeps 15 digits; longer numbers are written as texts, to keep all digits. */
const digitsMax = 15

/** Cell formats, by their index in the styles. Numbers have one for each number of decimals. */
export const styles = {
  ...{ header: 1, date: 2, timestamp: 3, localDate: 4, localTime: 5 },
  ...{ plain: 6, grouped: 13, percent: 20 },
} as const
const decimalsMax = 6

/** Rows of a sheet. */
export interface SheetRows {
  readonly text: string
  readonly count: number
}

/** A sheet of a workbook, and its text in pieces. */
export interface SheetText {
  readonly name: string
  readonly pieces: AsyncIterable<string>
}

/**
 * Streams a workbook by rows (ECMA-376, part 1: SpreadsheetML). Texts are inline, so that no shared
 * strings need to be collected. They are never formulas.
 */
export const workbook = (sheets: readonly SheetText[]): AsyncGenerator<Uint8Array> =>
  zip([...workbookParts(sheets.map(({ name }) => name)), ...sheets.map(sheetEntry)])

const sheetEntry = ({ pieces }: SheetText, index: number): ZipEntry => ({
  name: `xl/worksheets/sheet${index + 1}.xml`,
  content: (async function* () {
    for await (const text of pieces) yield Buffer.from(text)
  })(),
})

/** Streams a workbook of one sheet with records. */
export const xlsx = (
  name: string,
  columns: readonly Column[],
  rows: AsyncIterable<SheetRows>,
  widths: readonly number[] = columnWidths(columns, null),
): AsyncGenerator<Uint8Array> => workbook([{ name, pieces: recordSheet(columns, widths, rows) }])

async function* recordSheet(
  columns: readonly Column[],
  widths: readonly number[],
  rows: AsyncIterable<SheetRows>,
): AsyncGenerator<string> {
  yield sheetStart(columns, widths)
  let last = 1
  for await (const { text, count } of rows) {
    last += count
    yield text
  }
  const filtered = `A1:${letters(columns.length - 1)}${last}`
  yield `</sheetData><autoFilter ref="${filtered}"/></worksheet>`
}

/** Characters of a column, and of the button of the filter in its head. */
const widthBounds = { min: 8, max: 60 }
const filterWidth = 3

/** The widths of columns in characters: those of their heads and of the first records. */
export const columnWidths = (columns: readonly Column[], batch: RecordBatch | null): number[] =>
  columns.map(({ name, kind, read, look }) => {
    const cells = (batch?.records ?? []).map((record) => {
      const value = batch ? read(record, batch.valuesOf) : null
      if (value === null) return 0
      if (kind === 'date') return dateWidth
      if (kind === 'timestamp') return timeWidth
      const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
      const separators = batch && look?.(record, batch.valuesOf).isGrouped ? text.length / 3 : 0
      return Math.max(...text.split('\n', linesMax).map((line) => line.length)) + separators
    })
    const widest = cells.reduce((most, width) => Math.max(most, width), name.length + filterWidth)
    return Math.min(Math.max(Math.ceil(widest) + 1, widthBounds.min), widthBounds.max)
  })

const dateWidth = 11
const timeWidth = 23
/** Lines of a cell that are looked at. */
const linesMax = 10

const sheetStart = (columns: readonly Column[], widths: readonly number[]): string => {
  const cells = columns.map(
    ({ name }, index) => `<c r="${letters(index)}1" s="${styles.header}"${inlineText(name)}</c>`,
  )
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  return `${worksheetStart(widths, pane)}<row r="1">${cells.join('')}</row>`
}

/** The beginning of a sheet, to its rows: widths of columns in characters, and what stays in view. */
export const worksheetStart = (widths: readonly number[], pane: string): string => {
  const cols = widths.map(
    (width, index) =>
      `<col min="${index + 1}" max="${index + 1}" width="${width}" customWidth="1"/>`,
  )
  return [
    xmlHead,
    `<worksheet xmlns="${main}">`,
    `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`,
    '<sheetFormatPr defaultRowHeight="15"/>',
    `<cols>${cols.join('')}</cols>`,
    '<sheetData>',
  ].join('')
}

/** A record as a row; the first record is in row 2. */
export const xlsxRow = (
  columns: readonly Column[],
  row: number,
  record: JsonValue,
  valuesOf: ValuesOf,
): string => {
  let cells = ''
  for (const [index, { kind, read, look }] of columns.entries()) {
    const value = read(record, valuesOf)
    if (value === null) continue
    const shown = cellsByKind[kind](value, look?.(record, valuesOf) ?? {})
    cells += `<c r="${letters(index)}${row}"${shown}</c>`
  }
  return `<row r="${row}">${cells}</row>`
}

const textCell = (value: JsonValue): string => inlineText(String(value))
const jsonCell = (value: JsonValue): string => inlineText(JSON.stringify(value))

/** The rest of a cell's element, by the kind of its value. */
const cellsByKind: Record<Kind, (value: JsonValue, look: CellLook) => string> = {
  id: textCell,
  ref: textCell,
  person: textCell,
  text: textCell,
  integer: (value, look) => numberCell(String(value), look),
  amount: (value, look) => numberCell(String(value), look),
  flag: (value) => ` t="b"><v>${value === true ? 1 : 0}</v>`,
  date: (value, { isLocal }) => timeCell(String(value), isLocal ? styles.localDate : styles.date),
  timestamp: (value, { isLocal }) =>
    timeCell(String(value), isLocal ? styles.localTime : styles.timestamp),
  any: jsonCell,
  texts: jsonCell,
  object: jsonCell,
  objects: jsonCell,
}

const numberCell = (text: string, look: CellLook): string => {
  const digits = text.replace(/^-?0*\.?0*|\./g, '')
  if (!/^-?\d+(\.\d+)?$/.test(text) || digits.length > digitsMax) return inlineText(text)
  const own = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0
  const decimals = Math.max(own, look.decimals ?? 0)
  const style = decimals <= decimalsMax ? numberStyle(look) + decimals : 0
  const isPlain = style === styles.plain || style === 0
  return `${isPlain ? '' : ` s="${style}"`}><v>${text}</v>`
}

const numberStyle = ({ isGrouped, isPercent }: CellLook): number => {
  if (isPercent) return styles.percent
  return isGrouped ? styles.grouped : styles.plain
}

const dayMs = 86_400_000
/** The epoch of Excel. It treats 1900 as a leap year, so its earlier days are wrong. */
const firstDay = Date.UTC(1899, 11, 30)
const firstSafe = Date.UTC(1900, 2, 1)

/** A date, or a time in UTC or without a zone, as a number of days; a text if Excel has none. */
const timeCell = (text: string, style: number): string => {
  const time = Date.parse(text.replace(/^(.{10}) ([\d:]+)$/, '$1T$2Z'))
  const isTime = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
  if (!isTime || time < firstSafe) return inlineText(text)
  return ` s="${style}"><v>${(time - firstDay) / dayMs}</v>`
}

export const inlineText = (text: string): string => {
  const shown = text.length > cellCharactersMax ? `${text.slice(0, cellCharactersMax - 1)}…` : text
  return ` t="inlineStr"><is><t xml:space="preserve">${escapeText(shown)}</t></is>`
}

/**
 * XML cannot contain control characters: they are written as `_x0001_`. In a text that looks like
 * such an escape, the underscore is escaped (ECMA-376, 22.9.2.19).
 */
const escapeText = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(/_(?=x[0-9A-Fa-f]{4}_)/g, '_x005F_')
    .replaceAll(/[\u0000-\u0008\u000b\u000c\u000d\u000e-\u001f\ufffe\uffff]/g, (character) => {
      const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
      return `_x${code}_`
    })
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')

/** The name of a column: A to Z, then AA. */
export const letters = (index: number): string => {
  const last = String.fromCharCode(65 + (index % 26))
  return index < 26 ? last : letters(Math.floor(index / 26) - 1) + last
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const packageUrl = 'http://schemas.openxmlformats.org/package/2006'
const partType = 'application/vnd.openxmlformats-officedocument.spreadsheetml'

/** Excel allows at most 31 characters, and none of these. */
const sheetName = (name: string): string => name.replaceAll(/[\\/?*[\]:&<>"']/g, ' ').slice(0, 31)

const workbookParts = (sheets: readonly string[]): readonly ZipEntry[] => {
  const part = (name: string, text: string): ZipEntry => ({
    name,
    content: Buffer.from(xmlHead + text),
  })
  const each = (text: (number: number, name: string) => string): string =>
    sheets.map((name, index) => text(index + 1, name)).join('')
  const sheetTypes = each(
    (number) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${partType}.worksheet+xml"/>`,
  )
  const sheetNames = each(
    (number, name) => `<sheet name="${sheetName(name)}" sheetId="${number}" r:id="rId${number}"/>`,
  )
  const sheetRelations = each(
    (number) =>
      `<Relationship Id="rId${number}" Type="${relationships}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  )
  return [
    part(
      '[Content_Types].xml',
      `<Types xmlns="${packageUrl}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${partType}.sheet.main+xml"/>${sheetTypes}<Override PartName="/xl/styles.xml" ContentType="${partType}.styles+xml"/></Types>`,
    ),
    part(
      '_rels/.rels',
      `<Relationships xmlns="${packageUrl}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets>${sheetNames}</sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packageUrl}/relationships">${sheetRelations}<Relationship Id="rId${sheets.length + 1}" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
    ),
    part('xl/styles.xml', stylesText()),
  ]
}

/** Formats that look as the reader's computer writes dates. */
const builtIn = { date: 14, time: 22 }

/** The formats of `styles`, in its order. Numbers below 164 are Excel's built-in formats. */
const stylesText = (): string => {
  const withDecimals = (whole: string, end = '') =>
    Array.from({ length: decimalsMax + 1 }, (_, index) =>
      index === 0 ? whole + end : `${whole}.${'0'.repeat(index)}${end}`,
    )
  const numbers = [
    ...withDecimals('0'),
    ...withDecimals('#,##0'),
    ...withDecimals('0', '&quot;%&quot;'),
  ]
  const times = ['yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss.000']
  const formats = [...times, ...numbers]
  const numbered = formats.map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`,
  )
  const cell = (format: number, font: number) =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
  const all = [
    ...[cell(0, 0), cell(0, 1), cell(164, 0), cell(165, 0)],
    ...[builtIn.date, builtIn.time].map((format) => cell(format, 0)),
    ...numbers.map((_, index) => cell(164 + times.length + index, 0)),
  ]
  const font = '<sz val="11"/><name val="Calibri"/>'
  return [
    `<styleSheet xmlns="${main}">`,
    `<numFmts count="${numbered.length}">${numbered.join('')}</numFmts>`,
    `<fonts count="2"><font>${font}</font><font><b/>${font}</font></fonts>`,
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>',
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>',
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs>',
    `<cellXfs count="${all.length}">${all.join('')}</cellXfs>`,
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles>',
    '</styleSheet>',
  ].join('')
}
