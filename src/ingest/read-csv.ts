import { isUtf8 } from 'node:buffer'
import { type CastingContext, CsvError } from 'csv-parse'
import { parse } from 'csv-parse/sync'
import { type CsvBatch, type CsvRow, cutRows } from './csv-batches.ts'
import { plainText } from './report.ts'
import { rowBytesMax, SourceError } from './row.ts'
import {
  type Delimiter,
  delimiters,
  type Encoding,
  type Table,
  type TableOptions,
  type TableRow,
} from './table.ts'

/**
 * Reads values below a header row, separated by commas, semicolons, tabs or bars; the header
 * decides. An empty cell is null, a pair of quotes an empty text.
 */
export const readCsv = async (
  chunks: AsyncIterable<Buffer>,
  options: TableOptions,
): Promise<Pick<Table, 'columns' | 'rows'>> => {
  const { encoding = 'utf-8', headerRow = 1, keepsEmptyTexts = true, part } = options
  const decoded = decodersByEncoding[encoding](chunks)
  const [beginning, blocks] = await peekHeader(
    headerRow > 1 ? skipLines(decoded, headerRow - 1) : decoded,
  )
  const delimiter = options.delimiter ?? delimiterOf(beginning)
  const parseRows = createRowParser(delimiter, keepsEmptyTexts)
  const batches = cutRows(blocks, headerRow)[Symbol.asyncIterator]()
  const first = await batches.next()
  if (first.done) throw new SourceError('is empty: the first row must name the fields')
  const { bytes, rows } = first.value
  const columns = parseHeader({ bytes, rows: rows.slice(0, 1) }, parseRows)
  const isPart = part !== undefined && part.of > 1
  const tableRows = async function* (): Table['rows'] {
    let batch: CsvBatch = { bytes, rows: rows.slice(1) }
    try {
      for (let index = 0; ; index += 1) {
        if (!isPart) yield* parseBatch(batch, columns, parseRows)
        // A thread's batch yields rows or an error, never both, so that batches of all threads stay
        // in order.
        else if (index % part.of === part.index)
          yield [...parseBatch(batch, columns, parseRows)].flat()
        const next = await batches.next()
        if (next.done) return
        batch = next.value
      }
    } finally {
      await batches.return?.()
    }
  }
  return { columns, rows: tableRows() }
}

const parseHeader = (batch: CsvBatch, parseRows: ParseRows): readonly string[] => {
  try {
    return parseRows(batch).flatMap(({ cells }) => cells.map((cell) => cell ?? ''))
  } catch (error) {
    throw batch.rows[0] && error instanceof CsvError ? csvError(error, batch.rows[0], []) : error
  }
}

/** The rows of a batch. Rows before an invalid one come before its error. */
function* parseBatch(
  batch: CsvBatch,
  columns: readonly string[],
  parseRows: ParseRows,
): Iterable<readonly TableRow[]> {
  const tableRow = (row: ParsedRow): TableRow => {
    const { line, cells } = row
    if (cells.length === columns.length) return row
    const problem = widthProblem(cells.length, columns.length)
    return { line, problem, text: cells.join(), uneven: cells }
  }
  try {
    yield parseRows(batch).map(tableRow)
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const { bytes, rows } = batch
    for (const [index, row] of rows.entries()) {
      try {
        parseRows({ bytes, rows: [row] })
      } catch (cause) {
        yield parseRows({ bytes, rows: rows.slice(0, index) }).map(tableRow)
        throw csvError(cause as CsvError, row, columns)
      }
    }
    throw error
  }
}

const widthProblem = (cells: number, columns: number): string =>
  `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, but the header has ${columns}`

/** The parser numbers columns from 0, and lines from the start of the row. */
const csvError = (
  { message }: CsvError,
  { line }: CsvRow,
  columns: readonly string[],
): SourceError => {
  const named = message
    .replace(/(?<= on field )\d+/, (column) =>
      JSON.stringify(columns[Number(column)] ?? `${Number(column) + 1}`),
    )
    .replace(/(?<= at line )\d+/, (counted) => String(line + Number(counted) - 1))
  return new SourceError(`is not CSV: ${plainText(named)}`)
}

interface ParsedRow {
  readonly line: number
  readonly cells: readonly (string | null)[]
}

/** Throws a `CsvError` if a row is not valid CSV. */
type ParseRows = (batch: CsvBatch) => readonly ParsedRow[]

/**
 * Parses rows. Most have no quotes and are split at their delimiters; the parser reads the others
 * together.
 */
const createRowParser = (delimiter: Delimiter, keepsEmptyTexts: boolean): ParseRows => {
  const cellOf = (text: string) => (text === '' ? null : text)
  const split = (text: string): ParsedRow['cells'] => {
    const cells = text.split(delimiter)
    return keepsEmptyTexts ? cells.map(cellOf) : cells
  }
  const parseQuoted = (texts: readonly string[]): readonly ParsedRow['cells'][] =>
    parse(texts.join('\n'), {
      delimiter,
      // Casting each cell would double the parser's time, so it is used only if needed.
      ...(keepsEmptyTexts && {
        cast: (cell: string, { quoting }: CastingContext) => (quoting ? cell : cellOf(cell)),
      }),
      // A wrong number of cells rejects one row, not the whole file.
      relax_column_count: true,
      record_delimiter: '\n',
    })
  return ({ bytes, rows }) => {
    const textOf = ({ from, end }: CsvRow) => bytes.toString('utf8', from, end)
    const quoted = rows.filter(({ isQuoted }) => isQuoted)
    const parsed = quoted.length > 0 ? parseQuoted(quoted.map(textOf)).values() : null
    return rows.map((row) => ({
      line: row.line,
      cells: (row.isQuoted && parsed?.next().value) || split(textOf(row)),
    }))
  }
}
/** Skips a number of lines. */
async function* skipLines(blocks: AsyncIterable<Buffer>, lines: number): AsyncIterable<Buffer> {
  let left = lines
  for await (const block of blocks) {
    let from = 0
    for (; left > 0; left -= 1) {
      const end = block.indexOf(newline, from)
      if (end < 0) break
      from = end + 1
    }
    if (left === 0) yield block.subarray(from)
  }
}

/** Maximum number of bytes of blank lines before the header. */
const blankBytesMax = 64 * 1_024

/** The block with the header, and all blocks from the start. */
const peekHeader = async (
  blocks: AsyncIterable<Buffer>,
): Promise<readonly [string, AsyncIterable<Buffer>]> => {
  const all = blocks[Symbol.asyncIterator]()
  const first: Buffer[] = []
  let bytes = 0
  let header = ''
  while (header === '' && bytes < blankBytesMax) {
    const next = await all.next()
    if (next.done) break
    first.push(next.value)
    bytes += next.value.length
    header = next.value.toString('latin1', 0, headerBytesMax).trimStart()
  }
  const again = async function* (): AsyncIterable<Buffer> {
    try {
      yield* first
      for (let next = await all.next(); !next.done; next = await all.next()) yield next.value
    } finally {
      await all.return?.()
    }
  }
  return [header, again()]
}

/** Larger than the names of all fields of any collection. */
const headerBytesMax = 64 * 1_024

/** The delimiter of the header's names, outside quotes. */
const delimiterOf = (header: string): Delimiter => {
  const names = header.replace(/"[^"]*"/g, '')
  const [line = ''] = names.split(/[\r\n]/, 1)
  const countOf = (sign: string) => line.split(sign).length - 1
  return delimiters.reduce((best, sign) => (countOf(sign) > countOf(best) ? sign : best))
}

/** Converts each encoding to UTF-8. */
const decodersByEncoding: Record<
  Encoding,
  (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>
> = {
  'utf-8': (chunks) => utf8Only(chunks),
  'windows-1252': (chunks) => decodeBytes(chunks, windows1252),
  'iso-8859-1': (chunks) => decodeBytes(chunks, (text) => text),
}

/** Both encodings use one byte per character, so chunk boundaries never split one. */
async function* decodeBytes(
  chunks: AsyncIterable<Buffer>,
  decode: (latin1: string) => string,
): AsyncIterable<Buffer> {
  for await (const chunk of chunks) yield Buffer.from(decode(chunk.toString('latin1')))
}

/** The characters of the bytes 80 to 9F, where Windows-1252 differs from ISO 8859-1. */
const windowsCharacters = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ'

const windows1252 = (latin1: string): string =>
  latin1.replace(
    /[\u0080-\u009f]/g,
    (character) => windowsCharacters[character.charCodeAt(0) - 0x80] ?? character,
  )

/**
 * Rejects invalid UTF-8, which the parser would replace: an import must not alter records. Passes
 * bytes on up to the last line ending, where no character is split.
 */
async function* utf8Only(chunks: AsyncIterable<Buffer>): AsyncIterable<Buffer> {
  let line = 1
  let rest: Buffer = Buffer.alloc(0)
  const checked = (block: Buffer): Buffer => {
    const lines = isUtf8(block) ? [] : linesOf(block)
    const bad = lines.findIndex((each) => !isUtf8(each))
    if (bad >= 0)
      throw new SourceError(
        `is not valid UTF-8 in line ${line + bad}: save it as UTF-8 (in Excel: CSV UTF-8), or name its encoding with --encoding`,
      )
    return block
  }
  for await (const chunk of chunks) {
    const whole = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    const end = whole.lastIndexOf(newline) + 1
    rest = whole.subarray(end)
    if (rest.length > rowBytesMax) {
      throw new SourceError(`has a line longer than ${rowBytesMax.toLocaleString('en')} bytes`)
    }
    if (end === 0) continue
    const block = checked(whole.subarray(0, end))
    yield block
    for (let at = block.indexOf(newline); at !== -1; at = block.indexOf(newline, at + 1)) line += 1
  }
  if (rest.length > 0) yield checked(rest)
}

const newline = 0x0a

const linesOf = (bytes: Buffer): readonly Buffer[] => {
  const lines: Buffer[] = []
  let from = 0
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, from)) {
    lines.push(bytes.subarray(from, at))
    from = at + 1
  }
  return [...lines, bytes.subarray(from)]
}
