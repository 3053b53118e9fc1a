import { basename, extname } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { JsonValue, Kind } from '#contract'
import { type Column, xlsx, xlsxRow } from '#formats'
import {
  correctedName,
  correctionColumns,
  correctionText,
  escapedText,
  isUnread,
  plainText,
} from '#ingest'
import { type Cell, CivilTime, parseCell, textOf } from '#mapping'
import type { QuarantinedRow, QuarantinePosition, Store } from '#store'
import type { RowsRequest } from './rows.ts'

/**
 * How the rows of a file are settled: by importing the file, or where they came from. Then the file is
 * for reading: a sync would bring the rows of its database again, and no pattern of a mapping names rows
 * that were sent in columns of their sender.
 */
export type Remedy = 'import' | 'database' | 'sender'

/** A file with the rows of one layout. */
export interface CorrectionFile {
  /** `vendors.corrections.csv`, which patterns match as `vendors.csv`. */
  readonly name: string
  readonly format: 'csv' | 'xlsx' | 'ndjson'
  readonly rows: number
  readonly remedy: Remedy
  /** What it contains. */
  pieces(): AsyncIterable<Uint8Array>
}

/** Corrections of all rows that a request selects. */
export interface Corrections {
  readonly files: readonly CorrectionFile[]
  /** Rows that are in no file: they are too long, or could not be split into cells. */
  readonly unreadable: number
}

/** Rows of one file, or of files of one name, with the same columns. */
interface Layout {
  readonly name: string
  readonly format: Format
  readonly remedy: Remedy
  readonly columns: readonly string[]
  /** By their cells: rows of several collections can have come from one row. */
  readonly rows: Map<string, LayoutRow>
}

interface LayoutRow {
  readonly cells: readonly Cell[]
  readonly reasons: Set<string>
  readonly corrects: string[]
}

type Format = CorrectionFile['format']

/** Rows per query. */
const pageRows = 1_000
/** Rows between two turns of the event loop: the operator page answers meanwhile. */
const turnRows = 100
const reasonLengthMax = 2_000

/**
 * Reads quarantined rows as they were received, each file in the format in which its rows came: a
 * typed cell of a workbook is not the same as its text.
 */
export const readCorrections = async (
  { quarantine }: Pick<Store, 'quarantine'>,
  request: RowsRequest,
): Promise<Corrections> => {
  const layouts = new Map<string, Layout>()
  // Before the rows: what is written from now on is newer than the files.
  const change = await quarantine.lastChange(request.owner)
  let unreadable = 0
  for (let after: QuarantinePosition | undefined; ; ) {
    const { rows } = await quarantine.list({ ...request, limit: pageRows, after })
    for await (const row of inTurns(rows)) {
      if (row.row ? isUnread(row) : row.record === null) unreadable += 1
      else addRow(layouts, row, change)
    }
    after = rows.at(-1)
    if (rows.length < pageRows) break
  }
  const names = new Set<string>()
  const files = [...layouts.values()].map((layout) => ({
    name: freeName(layout, names),
    format: layout.format,
    rows: layout.rows.size,
    remedy: layout.remedy,
    pieces: () => piecesOf(layout),
  }))
  return { files, unreadable }
}

const addRow = (layouts: Map<string, Layout>, held: QuarantinedRow, change: number): void => {
  const { name, format } = originalOf(held)
  const { columns, cells } = receivedOf(held)
  const remedy = remedyOf(held)
  const key = JSON.stringify([name, format, remedy, columns])
  const layout = layouts.get(key) ?? { name, format, remedy, columns, rows: new Map() }
  layouts.set(key, layout)
  const cellsKey = JSON.stringify(cells)
  const row = layout.rows.get(cellsKey) ?? {
    ...{ cells: cells.map((cell) => parseCell(cell as JsonValue)) },
    ...{ reasons: new Set<string>(), corrects: [] },
  }
  layout.rows.set(cellsKey, row)
  row.reasons.add(problemText(held))
  row.corrects.push(correctionText({ ...held, change }))
}

/** The name and the format of the file that a row came in. A record is written by itself. */
const originalOf = ({
  file,
  collection,
  row,
  isMapped,
}: QuarantinedRow): { readonly name: string; readonly format: Format } => {
  if (!row || !isMapped) return { name: collection, format: 'ndjson' }
  const original = correctedName(basename(file)).replace(/\.gz$/i, '')
  const extension = extname(original)
  const name = basename(original, extension)
  if (/^\.(xlsx|xlsm|parquet)$/i.test(extension)) return { name, format: 'xlsx' }
  return { name, format: /^\.(json|ndjson|jsonl)$/i.test(extension) ? 'ndjson' : 'csv' }
}

const remedyOf = ({ source, isMapped }: QuarantinedRow): Remedy => {
  if (source?.kind === 'sync') return 'database'
  return source?.kind === 'ingest' && isMapped ? 'sender' : 'import'
}

const receivedOf = ({ row, record }: QuarantinedRow) =>
  row ?? { columns: Object.keys(record ?? {}), cells: Object.values(record ?? {}) }

const problemText = ({ problems }: QuarantinedRow): string =>
  problems
    .map(({ column, field, value, reason }) => {
      const place = column ? `column ${column}` : field
      return [place, value && `(${value})`, reason].filter(Boolean).join(' ')
    })
    .join('; ')
    .slice(0, reasonLengthMax)

/** A name of a file has 255 bytes. */
const stemBytesMax = 200

/** A name that no other file has. */
const freeName = ({ name, format }: Layout, names: Set<string>): string => {
  const stem = Buffer.from(plainText(name || 'rows'))
    .subarray(0, stemBytesMax)
    .toString()
    .replace(/\ufffd$/, '')
  for (let number = 1; ; number += 1) {
    const free = `${stem}.corrections${number === 1 ? '' : `-${number}`}.${format}`
    if (names.has(free)) continue
    names.add(free)
    return free
  }
}

async function* piecesOf(layout: Layout): AsyncIterable<Uint8Array> {
  if (layout.format === 'xlsx') yield* xlsxOf(layout)
  else {
    const texts =
      layout.format === 'csv' ? csvOf(layout, await delimiterOf(layout)) : ndjsonOf(layout)
    for await (const text of inTurns(texts)) yield Buffer.from(text)
  }
}

async function* inTurns<T>(items: Iterable<T>): AsyncIterable<T> {
  let count = 0
  for (const item of items) {
    count += 1
    if (count % turnRows === 0) await nextTurn()
    yield item
  }
}

const headerOf = ({ columns }: Layout): readonly string[] => [
  ...columns,
  ...[correctionColumns.reason, correctionColumns.row],
]

const addedOf = ({ reasons, corrects }: LayoutRow): readonly [string, string] => [
  [...reasons].filter(Boolean).join('; '),
  corrects.join(' '),
]

/** Begins with a byte order mark, by which spreadsheets recognise UTF-8. */
function* csvOf(layout: Layout, delimiter: ',' | ';'): Iterable<string> {
  const line = (cells: readonly string[]) =>
    `${cells.map((text) => quoted(text, delimiter)).join(delimiter)}\r\n`
  yield `\ufeff${line(headerOf(layout))}`
  for (const row of layout.rows.values()) {
    yield line([...row.cells.map(csvText), ...addedOf(row)].map(escapedText))
  }
}

const csvText = (cell: Cell): string => (typeof cell === 'string' ? cell : (textOf(cell) ?? ''))

/** A semicolon if the cells have more commas than semicolons, as decimal commas. */
const delimiterOf = async (layout: Layout): Promise<',' | ';'> => {
  let more = 0
  for await (const { cells } of inTurns(layout.rows.values())) {
    for (const text of cells.map(csvText)) {
      more += Number(text.includes(',')) - Number(text.includes(';'))
    }
  }
  return more > 0 ? ';' : ','
}

const quoted = (text: string, delimiter: string): string =>
  text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text

function* ndjsonOf(layout: Layout): Iterable<string> {
  for (const row of layout.rows.values()) {
    const names = headerOf(layout)
    const values = [...row.cells.map(jsonOf), ...addedOf(row)]
    const record = Object.fromEntries(names.map((name, index) => [name, values[index] ?? null]))
    yield `${JSON.stringify(record)}\n`
  }
}

const jsonOf = (cell: Cell): JsonValue =>
  typeof cell === 'bigint' || cell instanceof CivilTime || cell instanceof Date
    ? textOf(cell)
    : (cell as JsonValue)

async function* xlsxOf(layout: Layout): AsyncIterable<Uint8Array> {
  const header = headerOf(layout).map((name) => columnOf(name, null))
  const rows = async function* () {
    let number = 1
    for await (const row of inTurns(layout.rows.values())) {
      number += 1
      const cells: readonly Cell[] = [...row.cells, ...addedOf(row)]
      const columns = cells.map((cell, index) => columnOf(header[index]?.name ?? '', cell))
      yield { text: xlsxRow(columns, number, null, () => null), count: 1 }
    }
  }
  yield* xlsx(layout.name, header, rows())
}

/** A column with one cell: each cell of a workbook has its own kind. */
const columnOf = (name: string, cell: Cell): Column => {
  const kind = kindOf(cell)
  const text = textOf(cell)
  const value = cell instanceof CivilTime ? `${cell.text}${kind === 'timestamp' ? 'Z' : ''}` : text
  return { name, field: name, kind, read: () => (typeof cell === 'boolean' ? cell : value) }
}

const kindOf = (cell: Cell): Kind => {
  if (typeof cell === 'number' || typeof cell === 'bigint') return 'amount'
  if (typeof cell === 'boolean') return 'flag'
  if (!(cell instanceof CivilTime)) return 'text'
  return cell.text.includes('T') ? 'timestamp' : 'date'
}
