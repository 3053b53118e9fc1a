import { exactTextColumn, type Fields, type Kind, leafFields, type Resource } from '#contract'
import { type Cell, CivilTime } from '#mapping'
import { nearest } from '#request'
import { type Loss, parseJson } from './json-text.ts'
import { plainText, pointerOf } from './report.ts'
import { SourceError, type SourceRow } from './row.ts'
import { cellText, type Table } from './table.ts'

/**
 * Rows of a table whose columns are named after fields, nested ones as `relationship.status`. Cells
 * of arrays, objects and free values hold JSON. Nullable fields may be omitted.
 */
export async function* fieldRows(
  resource: Resource,
  { columns: header, rows }: Pick<Table, 'columns' | 'rows'>,
): AsyncIterable<readonly SourceRow[]> {
  const columns = fieldsOfColumns(resource, header)
  checkHeader(
    resource,
    columns.filter((name) => name !== null),
  )
  const readRecord = compileRecord(resource.fields, columns, '')
  for await (const batch of rows) {
    yield batch.map((row) => {
      if ('problem' in row) return row
      const { line, cells } = row
      const losses: Loss[] = []
      try {
        return { line, value: readRecord(cells, losses), losses }
      } catch (error) {
        if (!(error instanceof CellError)) throw error
        return { line, problem: error.message, text: error.cell, field: error.field }
      }
    })
  }
}

/**
 * The field of each column. If a table has an amount twice, as Parquet exports do, the text column
 * is used, because it has all digits. The numeric column beside it gets null and is skipped.
 */
export const fieldsOfColumns = (
  { fields }: Resource,
  header: readonly string[],
): readonly (string | null)[] => {
  const amounts = leafFields(fields).filter(({ field: { kind } }) => kind === 'amount')
  const fieldByText = new Map(amounts.map(({ name }) => [exactTextColumn(name), name]))
  const exact = new Set(header.map((name) => fieldByText.get(name)))
  return header.map((name) => fieldByText.get(name) ?? (exact.has(name) ? null : name))
}

/** Maximum number of columns in one message. */
const columnsNamedMax = 50

/** Rejects a header with unknown or missing columns, all at once, before the first row. */
const checkHeader = (resource: Resource, header: readonly string[]): void => {
  const leaves = leafFields(resource.fields)
  const names = leaves.map(({ name }) => name)
  const seen = new Set<string>()
  const problems: string[] = []
  let isUnclear = false
  for (const name of header) {
    const shown = JSON.stringify(plainText(name.slice(0, 100)))
    if (!names.includes(name)) {
      // Suggestions are computed only for the columns in the message.
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
    // The missing columns come last and must not be cut off.
    if (problems.length > shown.length) shown.push(problems.at(-1) as string)
    throw new SourceError(
      [
        `does not have the columns of ${resource.path}:`,
        ...shown.map((each) => `  ${each}`),
        ...(isUnclear ? [`  the fields are ${names.join(', ')}`] : []),
      ].join('\n'),
    )
  }
}

/** Reads the cells of a row. Adds what parsing drops to `losses`. */
type ReadCells = (cells: readonly Cell[], losses: Loss[]) => unknown

const compileRecord = (
  fields: Fields,
  columns: readonly (string | null)[],
  prefix: string,
): ReadCells => {
  const readers = Object.entries(fields).map(([name, { kind, fields: inner = {} }]) => {
    const path = prefix + name
    return [
      name,
      kind === 'object'
        ? compileRecord(inner, columns, `${path}.`)
        : compileCell(kind, path, columns.indexOf(path)),
    ] as const
  })
  return (cells, losses) =>
    Object.fromEntries(readers.map(([name, read]) => [name, read(cells, losses)]))
}

const compileCell = (kind: Kind, name: string, column: number): ReadCells => {
  const read = readersByKind[kind]
  return (cells, losses) => {
    const cell = cells[column] ?? null
    return cell === null || (cell === '' && kind !== 'text') ? null : read(cell, name, losses)
  }
}

class CellError extends Error {
  readonly field: string
  readonly cell: string

  constructor(message: string, field: string, cell: string) {
    super(message)
    this.field = field
    this.cell = cell
  }
}

/** Reads a cell that is not empty. */
type CellReader = (cell: NonNullable<Cell>, name: string, losses: Loss[]) => unknown

const asText: CellReader = (cell) => cellText(cell)

const asJson: CellReader = (cell, name, losses) => {
  if (cell instanceof CivilTime || cell instanceof Date) return cellText(cell)
  if (typeof cell === 'bigint') return integerOf(cell)
  if (typeof cell !== 'string') return cell
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

/** Cell readers by kind. A cell that cannot be converted stays text, for the check to report. */
const readersByKind: Record<Kind, CellReader> = {
  id: asText,
  ref: asText,
  person: asText,
  text: asText,
  amount: asText,
  // A date is the same in every time zone. Times in a spreadsheet are UTC, as exports write them.
  date: (cell) => (cell instanceof CivilTime ? cell.text.slice(0, 10) : cellText(cell)),
  timestamp: (cell) => (cell instanceof CivilTime ? utcText(cell) : cellText(cell)),
  integer: (cell) => {
    if (typeof cell === 'bigint') return integerOf(cell)
    return typeof cell === 'string' && /^-?\d{1,16}$/.test(cell) ? Number(cell) : cell
  },
  flag: (cell) => (cell === 'true' ? true : cell === 'false' ? false : cell),
  any: asJson,
  texts: asJson,
  object: asJson,
  objects: asJson,
}

const utcText = ({ text }: CivilTime): string =>
  text.length === 10 ? `${text}T00:00:00.000Z` : `${text}Z`

const integerOf = (value: bigint): number | string =>
  Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
