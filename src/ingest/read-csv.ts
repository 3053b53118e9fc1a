import { Readable } from 'node:stream'
import { CsvError, type Info, parse } from 'csv-parse'
import { type Field, type Fields, fieldAt, type Kind, type Resource } from '#contract'
import { rowBytesMax, SourceRefused, type SourceRow } from './row.ts'

/**
 * Comma-separated values with a header row of field names, nested ones as `relationship.status`.
 * An empty cell is null, a pair of quotes an empty text; arrays, objects and free values are JSON
 * in their cell. A field that may be null can be left out.
 */
export const readCsv = (resource: Resource) =>
  async function* (chunks: AsyncIterable<Buffer>): AsyncIterable<readonly SourceRow[]> {
    const parser = Readable.from(utf8Only(chunks)).pipe(
      parse({
        bom: true,
        columns: (header: string[]) => checkHeader(resource, header),
        // A cell with nothing in it is null; one with a pair of quotes is an empty text.
        cast: (cell, { header, quoting }) => (cell === '' && !quoting && !header ? null : cell),
        info: true,
        relax_column_count: false,
        skip_empty_lines: true,
        max_record_size: rowBytesMax,
      }),
    )
    let rows: SourceRow[] = []
    try {
      for await (const each of parser) {
        const { record, info } = each as { record: Cells; info: Info }
        rows.push(readRecord(resource, record, info.lines))
        if (rows.length >= 1_000) {
          yield rows
          rows = []
        }
      }
    } catch (error) {
      if (!(error instanceof CsvError)) throw error
      throw new SourceRefused(`is not CSV: ${error.message}`)
    }
    if (rows.length > 0) yield rows
  }

/** Refuses names that are no fields and fields that must be there, before the first row. */
const checkHeader = (resource: Resource, header: readonly string[]): string[] => {
  const seen = new Set<string>()
  for (const name of header) {
    const field = fieldAt(resource.fields, name)
    if (!field || field.kind === 'object') {
      throw new SourceRefused(
        `has a column ${JSON.stringify(name)}, which is no field of ${resource.path}`,
      )
    }
    if (seen.has(name)) throw new SourceRefused(`has the column ${name} twice`)
    seen.add(name)
  }
  const missing = leavesOf(resource.fields).filter(
    ([name, field]) => !field.nullable && !seen.has(name),
  )
  if (missing.length > 0) {
    throw new SourceRefused(`lacks the column ${missing.map(([name]) => name).join(', ')}`)
  }
  return [...header]
}

/** The fields that have a column: those of an object each have their own. */
const leavesOf = (fields: Fields, prefix = ''): (readonly [string, Field])[] =>
  Object.entries(fields).flatMap(([name, field]) =>
    field.kind === 'object'
      ? leavesOf(field.fields ?? {}, `${prefix}${name}.`)
      : [[prefix + name, field] as const],
  )

/** The cells of a row by their column; null where there is nothing in one. */
type Cells = { readonly [name: string]: string | null }

const readRecord = (resource: Resource, cells: Cells, line: number): SourceRow => {
  try {
    return { line, value: readFields(resource.fields, cells, '') }
  } catch (error) {
    if (!(error instanceof CellRefused)) throw error
    return { line, problem: error.message, text: error.cell }
  }
}

const readFields = (fields: Fields, cells: Cells, prefix: string): object =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => {
      if (field.kind === 'object') {
        return [name, readFields(field.fields ?? {}, cells, `${prefix}${name}.`)]
      }
      const cell = cells[prefix + name] ?? null
      const isNull = cell === null || (cell === '' && field.kind !== 'text')
      return [name, isNull ? null : readersByKind[field.kind](cell, prefix + name)]
    }),
  )

class CellRefused extends Error {
  readonly cell: string

  constructor(message: string, cell: string) {
    super(message)
    this.cell = cell
  }
}

type CellReader = (cell: string, name: string) => unknown

const asIs: CellReader = (cell) => cell

const asJson: CellReader = (cell, name) => {
  try {
    return JSON.parse(cell)
  } catch {
    throw new CellRefused(`has a cell ${name} that is not JSON`, cell)
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

/** The parser would replace what is not UTF-8; a record must not be changed on its way in. */
async function* utf8Only(chunks: AsyncIterable<Buffer>): AsyncIterable<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  try {
    for await (const chunk of chunks) yield decoder.decode(chunk, { stream: true })
    yield decoder.decode()
  } catch {
    throw new SourceRefused('is not valid UTF-8')
  }
}
