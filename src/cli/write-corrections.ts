import { createWriteStream } from 'node:fs'
import { access, mkdir, rename, stat } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
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
import { CommandError } from './output.ts'

/**
 * How the rows of a file are settled: by importing the file, or where they came from. Then the file is
 * for reading: a sync would bring the rows of its database again, and no pattern of a mapping names rows
 * that were sent in columns of their sender.
 */
export type Remedy = 'import' | 'database' | 'sender'

/** A file with the rows of one layout. */
export interface CorrectionFile {
  readonly file: string
  readonly rows: number
  readonly remedy: Remedy
}

type ListRequest = Omit<Parameters<Store['quarantine']['list']>[0], 'limit' | 'after'>

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

const formats = ['csv', 'xlsx', 'ndjson'] as const
type Format = (typeof formats)[number]

/** Rows per query. */
const pageRows = 1_000
const reasonLengthMax = 2_000

/**
 * Writes quarantined rows as they were received, each file in the format in which its rows came: a
 * typed cell of a workbook is not the same as its text. A path without an extension is a folder.
 */
export const writeCorrections = async (
  { quarantine }: Pick<Store, 'quarantine'>,
  request: ListRequest,
  path: string,
): Promise<{ readonly files: readonly CorrectionFile[]; readonly unreadable: number }> => {
  const layouts = new Map<string, Layout>()
  // Before the rows: what is written from now on is newer than the files.
  const change = await quarantine.lastChange(request.owner)
  let unreadable = 0
  for (let after: QuarantinePosition | undefined; ; ) {
    const { rows } = await quarantine.list({ ...request, limit: pageRows, after })
    for (const row of rows) {
      if (row.row ? isUnread(row) : row.record === null) unreadable += 1
      else addRow(layouts, row, change)
    }
    after = rows.at(-1)
    if (rows.length < pageRows) break
  }
  const all = [...layouts.values()]
  const files: CorrectionFile[] = []
  for (const [layout, file] of await placesOf(all, path)) {
    // Under a name that watch does not take, until it is complete.
    const part = `${file}.part`
    await pipeline(Readable.from(contentOf(layout)), createWriteStream(part))
    await rename(part, file)
    files.push({ file, rows: layout.rows.size, remedy: layout.remedy })
  }
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

/** The file of each layout. */
const placesOf = async (
  layouts: readonly Layout[],
  path: string,
): Promise<readonly (readonly [Layout, string])[]> => {
  const extension = extname(path).slice(1).toLowerCase()
  const isFolder = extension === ''
  if (isFolder) await makeFolder(path)
  const [first] = layouts
  if (!isFolder && layouts.length > 1) {
    throw new CommandError(
      `The rows came in ${layouts.length} layouts, which need a file each. Name a folder: --write ${join(dirname(path), 'corrections')}`,
    )
  }
  if (!isFolder && first && extension !== first.format) {
    throw new CommandError(
      `The rows came in a form that is corrected in a .${first.format} file. Use --write ${path.slice(0, -extension.length)}${first.format}`,
    )
  }
  const names = new Set<string>()
  const places = layouts.map((layout) => {
    const file = isFolder ? join(path, freeName(layout, names)) : path
    return [layout, file] as const
  })
  for (const [, file] of places) {
    const exists = await access(file).then(
      () => true,
      () => false,
    )
    if (exists) throw new CommandError(`${file} exists. Move it away, or choose another path.`)
  }
  return places
}

/**
 * Makes a folder and those above it. Where none can be made, as in /proc, a recursive `mkdir` of
 * Node.js does not return.
 */
const makeFolder = async (path: string): Promise<void> => {
  try {
    await mkdir(path)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return
    const above = dirname(path)
    const hasAbove = await access(above).then(
      () => true,
      () => false,
    )
    if (code !== 'ENOENT' || hasAbove) {
      throw new CommandError(`The folder ${plainText(path)} cannot be made (${code}).`)
    }
    await makeFolder(above)
    await mkdir(path)
  }
}

/** A name of a file has 255 bytes. */
const stemBytesMax = 200

/** `vendors.corrections.csv`, which patterns match as `vendors.csv`. */
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

const contentOf = (layout: Layout): Iterable<string> | AsyncIterable<Uint8Array> =>
  layout.format === 'csv'
    ? csvOf(layout)
    : layout.format === 'xlsx'
      ? xlsxOf(layout)
      : ndjsonOf(layout)

const headerOf = ({ columns }: Layout): readonly string[] => [
  ...columns,
  ...[correctionColumns.reason, correctionColumns.row],
]

const addedOf = ({ reasons, corrects }: LayoutRow): readonly [string, string] => [
  [...reasons].filter(Boolean).join('; '),
  corrects.join(' '),
]

/** Begins with a byte order mark, by which spreadsheets recognise UTF-8. */
function* csvOf(layout: Layout): Iterable<string> {
  const rows = [...layout.rows.values()]
  const texts = rows.map(({ cells }) => cells.map(csvText))
  const delimiter = delimiterOf(texts)
  const line = (cells: readonly string[]) =>
    `${cells.map((text) => quoted(text, delimiter)).join(delimiter)}\r\n`
  yield `\ufeff${line(headerOf(layout))}`
  for (const [index, row] of rows.entries()) {
    yield line([...(texts[index] ?? []), ...addedOf(row)].map(escapedText))
  }
}

const csvText = (cell: Cell): string => (typeof cell === 'string' ? cell : (textOf(cell) ?? ''))

/** A semicolon if the cells have more commas than semicolons, as decimal commas. */
const delimiterOf = (texts: readonly (readonly string[])[]): ',' | ';' => {
  const count = (sign: string) => texts.flat().filter((text) => text.includes(sign)).length
  return count(',') > count(';') ? ';' : ','
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
    for (const row of layout.rows.values()) {
      number += 1
      const cells: readonly Cell[] = [...row.cells, ...addedOf(row)]
      yield xlsxRow(
        cells.map((cell, index) => columnOf(header[index]?.name ?? '', cell)),
        number,
        null,
        () => null,
      )
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
