import { isJsonObject, type JsonValue } from '#contract'
import { type CollectionMapping, cellsOf, type RowOrigin } from '#mapping'
import { correctionColumns, isCorrectionName, parseCorrections } from './corrections.ts'
import { type FileInput, type GivenInput, openChunks, type StreamInput } from './input.ts'
import { openTable } from './open-table.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import { SourceError, type SourceRow } from './row.ts'
import type { Table, TableRow } from './table.ts'
import { rowsBeforeTrailer } from './trailer-rows.ts'

/** A table, or JSON objects as a table with the columns that the mapping uses. */
export const openRows = async (
  input: FileInput | StreamInput | GivenInput,
  mapping: Pick<CollectionMapping, 'from' | 'file'>,
  columns: readonly string[],
  onBytes: (bytes: number) => void,
): Promise<Table> => {
  if (input.kind === 'given') return givenTable(mapping.from.given)
  // A correction file has rows alone.
  const isCorrection = input.kind === 'file' && isCorrectionName(input.path)
  const { trailer } = (isCorrection ? null : mapping.from.files) ?? {}
  if (input.format !== 'ndjson' && input.format !== 'json') {
    // A mapping treats an empty text as null.
    const options = { ...input.table, keepsEmptyTexts: false, usedColumns: columns }
    const table = await openTable({ ...input, table: options }, onBytes)
    return trailer ? { ...table, rows: rowsBeforeTrailer(table, trailer) } : table
  }
  if (trailer) throw new SourceError('is JSON, and trailer is for the last row of a table')
  const { chunks, close } = openChunks(input, onBytes)
  const tables = input.kind === 'stream' ? input.tables : undefined
  const parsed = async function* (): AsyncIterable<readonly SourceRow[]> {
    if (input.format === 'json') yield* readJsonArray(chunks)
    else for await (const { rows } of readNdjson(chunks, undefined)) yield rows
  }
  const rows = async function* (): Table['rows'] {
    for await (const batch of parsed()) {
      const own =
        tables === undefined ? batch : batch.flatMap((row) => rowOfTable(row, tables) ?? [])
      yield own.map((row) => objectRow(row, columns))
    }
  }
  return { columns, rows: rows(), close: async () => close() }
}

const givenTable = (given: RowOrigin['given']): Table => ({
  columns: given?.columns ?? [],
  rows: (async function* () {
    // Several can be in one line of the mapping, so that their numbers name them.
    if (given) yield given.rows.map(({ cells }, index) => ({ line: index + 1, cells }))
  })(),
  close: async () => undefined,
})

/** The row of an object that names its table; null if it is one of another table. */
const rowOfTable = (row: SourceRow, tables: readonly string[] | null): SourceRow | null => {
  if (!('value' in row)) return row
  const named = tableRow(row.value)
  if (!named) return tables === null ? row : null
  if (tables !== null && !tables.includes(named.table)) return null
  return { ...row, value: named.row }
}

/** A posted row with the name of its table: `{ "table": "po_line", "row": { … } }`. */
export const tableRow = (
  value: unknown,
): { readonly table: string; readonly row: JsonValue } | null => {
  if (!isJsonObject(value) || Object.keys(value).length !== 2) return null
  const { table, row } = value
  return typeof table === 'string' && isJsonObject(row) ? { table, row } : null
}

const objectRow = (row: SourceRow, columns: readonly string[]): TableRow => {
  const { line } = row
  if ('problem' in row) return row
  if (!('value' in row)) return { line, problem: 'must be an object', text: '' }
  const { value } = row
  const [loss] = row.losses
  if (loss) return { line, problem: `${loss.pointer} ${loss.reason}`, text: loss.value }
  if (!isJsonObject(value))
    return { line, problem: 'must be an object', text: JSON.stringify(value) }
  const text = value[correctionColumns.row]
  const own = typeof text === 'string' ? { corrects: parseCorrections(text) } : {}
  return { line, cells: cellsOf(value, columns), ...own }
}
