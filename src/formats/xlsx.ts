import type { JsonValue, Kind } from '#contract'
import type { Column, TitleOf } from './column.ts'
import { type ZipEntry, zip } from './zip.ts'

/** Limits of Excel: rows of a sheet below its header, and characters of a cell. */
export const sheetRowsMax = 1_048_575
const cellCharactersMax = 32_767
/** Excel keeps 15 digits; longer numbers are written as texts, to keep all digits. */
const digitsMax = 15

/** Cell formats, by their index in the styles. Amounts have one for each number of decimals. */
const styles = { header: 1, date: 2, timestamp: 3, decimals: 4 } as const
const decimalsMax = 6

/**
 * Streams a workbook of one sheet by rows (ECMA-376, part 1: SpreadsheetML). Texts are inline, so
 * that no shared strings need to be collected. They are never formulas.
 */
export const xlsx = (
  sheet: string,
  columns: readonly Column[],
  rows: AsyncIterable<string>,
): AsyncGenerator<Uint8Array> => zip([...workbookParts(sheet), sheetEntry(columns, rows)])

const sheetEntry = (columns: readonly Column[], rows: AsyncIterable<string>): ZipEntry => ({
  name: 'xl/worksheets/sheet1.xml',
  content: (async function* () {
    yield Buffer.from(sheetStart(columns))
    for await (const text of rows) yield Buffer.from(text)
    yield Buffer.from('</sheetData></worksheet>')
  })(),
})

const sheetStart = (columns: readonly Column[]): string => {
  const cells = columns.map(
    ({ name }, index) => `<c r="${letters(index)}1" s="${styles.header}"${inlineText(name)}</c>`,
  )
  const pane = '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>'
  return [
    xmlHead,
    `<worksheet xmlns="${main}">`,
    `<sheetViews><sheetView workbookViewId="0">${pane}</sheetView></sheetViews>`,
    '<sheetFormatPr defaultRowHeight="15"/>',
    `<cols><col min="1" max="${columns.length}" width="18" customWidth="1"/></cols>`,
    `<sheetData><row r="1">${cells.join('')}</row>`,
  ].join('')
}

/** A record as a row; the first record is in row 2. */
export const xlsxRow = (
  columns: readonly Column[],
  row: number,
  record: JsonValue,
  titleOf: TitleOf,
): string => {
  let cells = ''
  for (const [index, { kind, read }] of columns.entries()) {
    const value = read(record, titleOf)
    if (value !== null) cells += `<c r="${letters(index)}${row}"${cellsByKind[kind](value)}</c>`
  }
  return `<row r="${row}">${cells}</row>`
}

const textCell = (value: JsonValue): string => inlineText(String(value))
const jsonCell = (value: JsonValue): string => inlineText(JSON.stringify(value))

/** The rest of a cell's element, by the kind of its value. */
const cellsByKind: Record<Kind, (value: JsonValue) => string> = {
  id: textCell,
  ref: textCell,
  person: textCell,
  text: textCell,
  integer: (value) => numberCell(String(value)),
  amount: (value) => numberCell(String(value)),
  flag: (value) => ` t="b"><v>${value === true ? 1 : 0}</v>`,
  date: (value) => timeCell(String(value), styles.date),
  timestamp: (value) => timeCell(String(value), styles.timestamp),
  any: jsonCell,
  texts: jsonCell,
  object: jsonCell,
  objects: jsonCell,
}

const numberCell = (text: string): string => {
  const digits = text.replace(/^-?0*\.?0*|\./g, '')
  if (!/^-?\d+(\.\d+)?$/.test(text) || digits.length > digitsMax) return inlineText(text)
  const decimals = text.includes('.') ? text.length - text.indexOf('.') - 1 : 0
  const isStyled = decimals > 0 && decimals <= decimalsMax
  return `${isStyled ? ` s="${styles.decimals + decimals - 1}"` : ''}><v>${text}</v>`
}

const dayMs = 86_400_000
/** The epoch of Excel. It treats 1900 as a leap year, so its earlier days are wrong. */
const firstDay = Date.UTC(1899, 11, 30)
const firstSafe = Date.UTC(1900, 2, 1)

/** A date, or a time in UTC, as a number of days; a text if Excel cannot represent it. */
const timeCell = (text: string, style: number): string => {
  const time = Date.parse(text)
  const isTime = !Number.isNaN(time) && new Date(time).toISOString().startsWith(text.slice(0, 10))
  if (!isTime || time < firstSafe) return inlineText(text)
  return ` s="${style}"><v>${(time - firstDay) / dayMs}</v>`
}

const inlineText = (text: string): string => {
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
const letters = (index: number): string => {
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

const workbookParts = (sheet: string): readonly ZipEntry[] => {
  const part = (name: string, text: string): ZipEntry => ({
    name,
    content: Buffer.from(xmlHead + text),
  })
  return [
    part(
      '[Content_Types].xml',
      `<Types xmlns="${packageUrl}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${partType}.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="${partType}.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="${partType}.styles+xml"/></Types>`,
    ),
    part(
      '_rels/.rels',
      `<Relationships xmlns="${packageUrl}/relationships"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ),
    part(
      'xl/workbook.xml',
      `<workbook xmlns="${main}" xmlns:r="${relationships}"><sheets><sheet name="${sheetName(sheet)}" sheetId="1" r:id="rId1"/></sheets></workbook>`,
    ),
    part(
      'xl/_rels/workbook.xml.rels',
      `<Relationships xmlns="${packageUrl}/relationships"><Relationship Id="rId1" Type="${relationships}/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="${relationships}/styles" Target="styles.xml"/></Relationships>`,
    ),
    part('xl/styles.xml', stylesText()),
  ]
}

/** The formats of `styles`, in its order. Numbers below 164 are Excel's built-in formats. */
const stylesText = (): string => {
  const decimals = Array.from({ length: decimalsMax }, (_, index) => `0.${'0'.repeat(index + 1)}`)
  const formats = ['yyyy\\-mm\\-dd', 'yyyy\\-mm\\-dd\\ hh:mm:ss.000', ...decimals]
  const numbered = formats.map(
    (code, index) => `<numFmt numFmtId="${164 + index}" formatCode="${code}"/>`,
  )
  const cell = (format: number, font: number) =>
    `<xf numFmtId="${format}" fontId="${font}" fillId="0" borderId="0" xfId="0" applyNumberFormat="1" applyFont="1"/>`
  const all = [cell(0, 0), cell(0, 1), ...formats.map((_, index) => cell(164 + index, 0))]
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
