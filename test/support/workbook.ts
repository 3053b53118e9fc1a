/** Workbooks out of parts that a test writes by hand, and tables as imports read them. */

import { writeFileSync } from 'node:fs'
import { type Cell, CivilTime } from '#mapping'
import { zip } from '../../src/formats/zip.ts'
import type { FileInput } from '../../src/ingest/input.ts'
import { openTable } from '../../src/ingest/open-table.ts'
import type { TableRow } from '../../src/ingest/table.ts'

const main = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main'
const relationships = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'
const types = 'http://schemas.openxmlformats.org/package/2006/relationships'

export interface WorkbookParts {
  /** The rows of each sheet, as XML, by its name. */
  readonly sheets: { readonly [name: string]: string }
  /** More attributes of the sheets, by their name. */
  readonly states?: { readonly [name: string]: string }
  readonly texts?: string
  /** Codes of formats: the first one is format 164, and style 1. */
  readonly formats?: readonly string[]
  /** Numbers of formats that every workbook has, as styles after those. */
  readonly builtIn?: readonly number[]
  readonly workbookProperties?: string
}

/** A workbook as Excel writes it. */
export const workbookOf = (parts: WorkbookParts): Promise<Buffer> => {
  const { formats = [], builtIn = [], states = {} } = parts
  const names = Object.keys(parts.sheets)
  const styles = [0, ...formats.map((_, index) => 164 + index), ...builtIn]
  return archiveOf({
    '_rels/.rels': `<Relationships xmlns="${types}"><Relationship Id="rId1" Type="${relationships}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    'xl/workbook.xml': `<workbook xmlns="${main}" xmlns:r="${relationships}">${parts.workbookProperties ?? ''}<sheets>${names
      .map(
        (name, index) =>
          `<sheet name="${name}" sheetId="${index + 1}"${states[name] ?? ''} r:id="rId${index + 1}"/>`,
      )
      .join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${types}">${names
      .map(
        (_, index) =>
          `<Relationship Id="rId${index + 1}" Type="${relationships}/worksheet" Target="worksheets/sheet${index + 1}.xml"/>`,
      )
      .join(
        '',
      )}<Relationship Id="s" Type="${relationships}/styles" Target="styles.xml"/><Relationship Id="t" Type="${relationships}/sharedStrings" Target="/xl/sharedStrings.xml"/></Relationships>`,
    'xl/styles.xml': `<styleSheet xmlns="${main}"><numFmts>${formats
      .map(
        (code, index) =>
          `<numFmt numFmtId="${164 + index}" formatCode="${code.replaceAll('"', '&quot;')}"/>`,
      )
      .join('')}</numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs>${styles
      .map((format) => `<xf numFmtId="${format}" applyNumberFormat="1"/>`)
      .join('')}</cellXfs></styleSheet>`,
    'xl/sharedStrings.xml': `<sst xmlns="${main}">${parts.texts ?? ''}</sst>`,
    ...Object.fromEntries(
      Object.values(parts.sheets).map((rows, index) => [
        `xl/worksheets/sheet${index + 1}.xml`,
        `<worksheet xmlns="${main}"><dimension ref="A1"/><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  })
}

const xmlHead = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\r\n'

export const archiveOf = async (files: { readonly [name: string]: string }): Promise<Buffer> => {
  const entries = Object.entries(files).map(([name, text]) => ({
    name,
    content: Buffer.from(xmlHead + text),
  }))
  const pieces: Uint8Array[] = []
  for await (const piece of zip(entries)) pieces.push(piece)
  return Buffer.concat(pieces)
}

/** A cell with an inline text. */
export const textCell = (place: string, text: string): string =>
  `<c r="${place}" t="inlineStr"><is><t>${text}</t></is></c>`

/** A row of inline texts, from column A on. */
export const textRow = (line: number, ...texts: readonly string[]): string =>
  `<row r="${line}">${texts.map((text, index) => textCell(`${String.fromCharCode(65 + index)}${line}`, text)).join('')}</row>`

export interface ReadTable {
  readonly columns: readonly string[]
  readonly rows: readonly TableRow[]
}

/** Reads a table; a time without a zone is shown as `~` and its text. */
export const readTable = async (
  path: string,
  bytes: Uint8Array | null,
  options: Pick<FileInput, 'format' | 'table'>,
): Promise<ReadTable> => {
  if (bytes) writeFileSync(path, bytes)
  const table = await openTable({ kind: 'file', path, gzipped: false, ...options })
  try {
    const rows: TableRow[] = []
    for await (const batch of table.rows) rows.push(...batch)
    return {
      columns: table.columns,
      rows: rows.map((row) => ('cells' in row ? { ...row, cells: row.cells.map(shown) } : row)),
    }
  } finally {
    await table.close()
  }
}

const shown = (cell: Cell): Cell => (cell instanceof CivilTime ? `~${cell.text}` : cell)
