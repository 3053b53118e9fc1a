import { isUtf8 } from 'node:buffer'
import { finished } from 'node:stream/promises'
import { type CastingContext, CsvError, type InfoRecord, parse } from 'csv-parse'
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
 * Values separated by commas, semicolons, tabs or bars, whichever the header has, below a header
 * row. A cell with nothing in it is null, a pair of quotes an empty text.
 */
export const readCsv = async (
  chunks: AsyncIterable<Buffer>,
  { encoding = 'utf-8', delimiter, headerRow = 1, keepsEmptyTexts = true }: TableOptions,
): Promise<Pick<Table, 'columns' | 'rows'>> => {
  const decoded = decodersByEncoding[encoding](chunks)
  const [header, blocks] = await peekHeader(
    headerRow > 1 ? skipLines(decoded, headerRow - 1) : decoded,
  )
  const rowParser = createRowParser({
    delimiter: delimiter ?? delimiterOf(header),
    skipped: headerRow - 1,
    keepsEmptyTexts,
  })
  const { columns } = rowParser
  const rows = parsedRows(rowParser, blocks)
  // Blocks that end before the header does have no rows.
  let first = await rows.next()
  while (!first.done && columns.length === 0) first = await rows.next()
  if (first.done) throw new SourceError('is empty: the first row must name the fields')
  const others = first.value
  const all = async function* (): AsyncIterable<readonly ParsedRow[]> {
    yield others
    yield* rows
  }
  return { columns, rows: batches(columns.length, all()) }
}

interface ParsedRow {
  readonly line: number
  readonly cells: readonly (string | null)[]
}

interface RowParserOptions {
  readonly delimiter: Delimiter
  /** How many lines there are before the header. */
  readonly skipped: number
  readonly keepsEmptyTexts: boolean
}

interface RowParser {
  /** Known once the header has been parsed. */
  readonly columns: readonly string[]
  /** Parses a block of bytes, or the end if there is none. Its rows are to be taken, also if it throws. */
  parse(block: Buffer | null): Promise<void>
  /** The rows that were parsed since the last call. */
  take(): readonly ParsedRow[]
  close(): void
}

const createRowParser = ({ delimiter, skipped, keepsEmptyTexts }: RowParserOptions): RowParser => {
  const lineOf = lineCounter()
  const columns: string[] = []
  let rows: ParsedRow[] = []
  const parser = parse({
    bom: true,
    delimiter,
    // What the parser says of each cell takes as long as everything else that it does.
    ...(keepsEmptyTexts && {
      cast: (cell: string, { quoting }: CastingContext) => (cell === '' && !quoting ? null : cell),
    }),
    on_record: (cells: ParsedRow['cells'], { lines }: InfoRecord) => {
      const line = skipped + lineOf(lines, cells)
      if (columns.length === 0) columns.push(...cells.map((cell) => cell ?? ''))
      else rows.push({ line, cells })
      // Nothing is left to be read from the parser, row by row, which takes longer.
      return null
    },
    // A row with too few or too many cells is one bad row, not the end of the file.
    relax_column_count: true,
    record_delimiter: ['\r\n', '\n', '\r'],
    skip_empty_lines: true,
    max_record_size: rowBytesMax,
  })
  parser.resume()
  // A failure is thrown by the call that causes it.
  parser.on('error', () => undefined)
  const send = async (block: Buffer | null): Promise<void> => {
    if (block === null) {
      parser.end()
      return finished(parser)
    }
    const error = await new Promise<Error | null | undefined>((done) => {
      parser.write(block, done)
    })
    if (error) throw error
  }
  return {
    columns,
    parse: (block) =>
      send(block).catch((error: unknown) => {
        throw error instanceof CsvError ? csvError(error, columns) : error
      }),
    take: () => {
      const batch = rows
      rows = []
      return batch
    },
    close: () => parser.destroy(),
  }
}

/** The parser numbers columns from 0. */
const csvError = ({ message }: CsvError, columns: readonly string[]): SourceError => {
  const named = message.replace(/(?<= on field )\d+/, (column) =>
    JSON.stringify(columns[Number(column)] ?? `${Number(column) + 1}`),
  )
  return new SourceError(`is not CSV: ${plainText(named)}`)
}

/** The rows of one block after the other. */
async function* parsedRows(
  parser: RowParser,
  blocks: AsyncIterable<Buffer>,
): AsyncGenerator<readonly ParsedRow[]> {
  const parse = async (block: Buffer | null) => {
    try {
      await parser.parse(block)
      return null
    } catch (error) {
      return { error }
    }
  }
  try {
    for await (const block of blocks) {
      const failed = await parse(block)
      yield parser.take()
      if (failed) throw failed.error
    }
    const failed = await parse(null)
    yield parser.take()
    if (failed) throw failed.error
  } finally {
    parser.close()
  }
}

async function* batches(
  columns: number,
  parsed: AsyncIterable<readonly ParsedRow[]>,
): AsyncIterable<readonly TableRow[]> {
  let rows: TableRow[] = []
  let size = 0
  for await (const some of parsed) {
    for (const row of some) {
      const { line, cells } = row
      const count = cells.length
      rows.push(
        count === columns
          ? row
          : { line, problem: widthProblem(count, columns), text: cells.join() },
      )
      for (const cell of cells) size += cell?.length ?? 0
      if (rows.length >= batchRows || size >= batchCharacters) {
        yield rows
        rows = []
        size = 0
      }
    }
  }
  if (rows.length > 0) yield rows
}

const widthProblem = (cells: number, columns: number): string =>
  `has ${cells} ${cells === 1 ? 'cell' : 'cells'}, but the header has ${columns}`

/** Whatever comes first ends a batch: many rows, or few that are long. */
const batchRows = 250
const batchCharacters = 256 * 1_024

/**
 * The line a row begins in. The parser says the one it ends in, and takes each CR and each LF
 * inside a cell for the end of a line.
 */
const lineCounter = () => {
  let over = 0
  return (ended: number, cells: readonly (string | null)[]): number => {
    const ends = countOf(/[\r\n]/g, cells)
    const line = ended - ends - over
    if (ends > 0) over += countOf(/\r\n/g, cells)
    return line
  }
}

const countOf = (pattern: RegExp, cells: readonly (string | null)[]): number =>
  cells.reduce((sum, cell) => sum + (cell?.match(pattern)?.length ?? 0), 0)

/** Everything after so many lines. */
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

/** Blank lines before the header are looked through up to so many bytes. */
const blankBytesMax = 64 * 1_024

/** The block of bytes that has the header, and all of them again. */
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

/** More than the names of all fields of any collection take. */
const headerBytesMax = 64 * 1_024

/** The sign between the names of the header, outside quotes. */
const delimiterOf = (header: string): Delimiter => {
  const names = header.replace(/"[^"]*"/g, '')
  const [line = ''] = names.split(/[\r\n]/, 1)
  const countOf = (sign: string) => line.split(sign).length - 1
  return delimiters.reduce((best, sign) => (countOf(sign) > countOf(best) ? sign : best))
}

/** Bytes of each encoding as UTF-8. */
const decodersByEncoding: Record<
  Encoding,
  (chunks: AsyncIterable<Buffer>) => AsyncIterable<Buffer>
> = {
  'utf-8': (chunks) => utf8Only(chunks),
  'windows-1252': (chunks) => decodeBytes(chunks, windows1252),
  'iso-8859-1': (chunks) => decodeBytes(chunks, (text) => text),
}

/** In both encodings a character is one byte, so that no chunk cuts one. */
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
 * The parser would replace what is not UTF-8; a record must not be changed on its way in. Bytes are
 * let through up to the last end of a line, where no character is cut.
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
