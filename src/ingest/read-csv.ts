import { isUtf8 } from 'node:buffer'
import { Readable } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import { type Fields, type Kind, leafFields, type Resource } from '#contract'
import { nearest } from '#request'
import { type Loss, parseJson } from './json-text.ts'
import { plainText, pointerOf } from './report.ts'
import { rowBytesMax, SourceError, type SourceRow } from './row.ts'

/**
 * Values separated by commas, semicolons or tabs, whichever the header has, with a header row of
 * field names, nested ones as `relationship.status`.
 * An empty cell is null, a pair of quotes an empty text; arrays, objects and free values are JSON
 * in their cell. A field that may be null can be left out.
 */
export const readCsv = (resource: Resource) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<readonly SourceRow[]> {
    let columns = 0
    const [header, blocks] = await peekHeader(utf8Only(chunks))
    const parser = parse({
      bom: true,
      delimiter: delimiterOf(header),
      columns: (header: string[]) => {
        columns = header.length
        return checkHeader(resource, header)
      },
      // A cell with nothing in it is null; one with a pair of quotes is an empty text.
      cast: (cell, { header, quoting }) => (cell === '' && !quoting && !header ? null : cell),
      info: true,
      // A row with too few or too many cells is one bad row, not the end of the file.
      relax_column_count: true,
      record_delimiter: ['\r\n', '\n', '\r'],
      skip_empty_lines: true,
      max_record_size: rowBytesMax,
    })
    const text = Readable.from(blocks)
    // What goes wrong before the parser must reach the loop below: a pipe does not carry it.
    text.once('error', (error) => parser.destroy(error))
    text.pipe(parser)
    const lineOf = lineCounter()
    let rows: SourceRow[] = []
    let size = 0
    try {
      for await (const each of parser) {
        const { record, info } = each as { record: Cells; info: RowInfo }
        const cells = cellsOf(record, info)
        const line = lineOf(info.lines, cells)
        const problem = `has ${cells.length} ${cells.length === 1 ? 'cell' : 'cells'}, but the header has ${columns}`
        rows.push(
          info.error ? { line, problem, text: cells.join() } : readRecord(resource, record, line),
        )
        for (const cell of cells) size += cell?.length ?? 0
        if (rows.length >= batchRows || size >= batchCharacters) {
          yield rows
          rows = []
          size = 0
        }
      }
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      throw new SourceError(`is not CSV: ${error.message}`)
    }
    if (columns === 0) throw new SourceError('is empty: the first row must name the fields')
    if (rows.length > 0) yield rows
  }

/** Whatever comes first ends a batch: many rows, or few that are long. */
const batchRows = 1_000
const batchCharacters = 256 * 1_024

/** The cells of a row by their column; null where there is nothing in one. */
type Cells = { readonly [name: string]: string | null }

/** Every cell of a row; one of the wrong length has them beside its error. */
const cellsOf = (record: Cells, { error }: RowInfo): readonly (string | null)[] =>
  error ? error.record : Object.values(record)

type RowInfo = Info & { readonly error?: { readonly record: readonly (string | null)[] } }

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

/** The sign between the names of the header; no field's name has one of them. */
const delimiterOf = (header: string): string => {
  const names = header.replace(/"[^"]*"/g, '')
  const [line = ''] = names.split(/[\r\n]/, 1)
  const countOf = (sign: string) => line.split(sign).length - 1
  return [',', ';', '\t'].reduce((best, sign) => (countOf(sign) > countOf(best) ? sign : best))
}

/** How many columns one message lists. */
const columnsNamedMax = 50

/** Rejects a header with unknown columns or without required ones, all at once, before the first row. */
const checkHeader = (resource: Resource, header: readonly string[]): string[] => {
  const leaves = leafFields(resource.fields)
  const names = leaves.map(({ name }) => name)
  const seen = new Set<string>()
  const problems: string[] = []
  let isUnclear = false
  for (const name of header) {
    const shown = JSON.stringify(plainText(name.slice(0, 100)))
    if (!names.includes(name)) {
      // Names are compared only for the columns that the message lists.
      const suggestion = problems.length < columnsNamedMax ? nearest(name, names) : undefined
      isUnclear ||= suggestion === undefined
      const advice = suggestion ? `; did you mean ${suggestion}?` : ''
      problems.push(`column ${shown} is not a field${advice}`)
    } else if (seen.has(name)) problems.push(`column ${shown} appears twice`)
    seen.add(name)
  }
  const missing = leaves.filter(({ name, field }) => !field.nullable && !seen.has(name))
  if (missing.length > 0) {
    problems.push(`missing: ${missing.map(({ name }) => name).join(', ')}`)
  }
  if (problems.length > 0) {
    const shown = problems.slice(0, columnsNamedMax - 1)
    // What is missing comes last, and must not be cut off.
    if (problems.length > shown.length) shown.push(problems.at(-1) as string)
    throw new SourceError(
      [
        `does not have the columns of ${resource.path}:`,
        ...shown.map((each) => `  ${each}`),
        ...(isUnclear ? [`  the fields are ${names.join(', ')}`] : []),
      ].join('\n'),
    )
  }
  return [...header]
}

const readRecord = (resource: Resource, cells: Cells, line: number): SourceRow => {
  const losses: Loss[] = []
  try {
    return { line, value: readFields(resource.fields, cells, '', losses), losses }
  } catch (error) {
    if (!(error instanceof CellError)) throw error
    return { line, problem: error.message, text: error.cell, field: error.field }
  }
}

const readFields = (fields: Fields, cells: Cells, prefix: string, losses: Loss[]): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (field.kind === 'object') {
        return [name, readFields(field.fields ?? {}, cells, `${prefix}${name}.`, losses)]
      }
      const cell = cells[prefix + name] ?? null
      const isNull = cell === null || (cell === '' && field.kind !== 'text')
      return [name, isNull ? null : readersByKind[field.kind](cell, prefix + name, losses)]
    }),
  )

class CellError extends Error {
  readonly field: string
  readonly cell: string

  constructor(message: string, field: string, cell: string) {
    super(message)
    this.field = field
    this.cell = cell
  }
}

/** Reads a cell. Adds what its value does not hold of it. */
type CellReader = (cell: string, name: string, losses: Loss[]) => unknown

const asIs: CellReader = (cell) => cell

const asJson: CellReader = (cell, name, losses) => {
  try {
    const parsed = parseJson(cell)
    for (const loss of parsed.losses) {
      losses.push({ ...loss, pointer: pointerOf(name) + loss.pointer })
    }
    return parsed.value
  } catch {
    throw new CellError('is not JSON: a cell of this field must hold JSON', name, cell)
  }
}

/** What a cell of each kind holds. What it cannot be is left as text, for the check to name. */
const readersByKind: Record<Kind, CellReader> = {
  id: asIs,
  ref: asIs,
  person: asIs,
  text: asIs,
  amount: asIs,
  date: asIs,
  timestamp: asIs,
  integer: (cell) => (/^-?\d{1,16}$/.test(cell) ? Number(cell) : cell),
  flag: (cell) => (cell === 'true' ? true : cell === 'false' ? false : cell),
  any: asJson,
  texts: asJson,
  object: asJson,
  objects: asJson,
}

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
        `is not valid UTF-8 in line ${line + bad}: save it as UTF-8 (in Excel: CSV UTF-8)`,
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
