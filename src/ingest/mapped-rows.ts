import { isJsonObject } from '#contract'
import {
  type Cell,
  type CollectionMapping,
  ColumnError,
  cellsOf,
  columnsOf,
  compileMapping,
  compileRowNamer,
  type MappedRow,
  type RowMapper,
} from '#mapping'
import {
  correctionColumns,
  correctionsOf,
  isCorrectionName,
  parseCorrections,
} from './corrections.ts'
import { type FileInput, openChunks, type StreamInput } from './input.ts'
import { openTable } from './open-table.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import type { ReadOptions } from './read-source.ts'
import { receiveCells } from './received-row.ts'
import { namesOf, SourceError, type SourceRow, type SourceRows } from './row.ts'
import type { Source } from './source.ts'
import type { Table, TableRow } from './table.ts'
import { rowsBeforeTrailer } from './trailer-rows.ts'

/** The rows of a source, mapped. */
export async function* mappedRows(
  source: Source,
  mapping: CollectionMapping,
  input: FileInput | StreamInput,
  { onBytes, owner, meter, keepsBadRows }: ReadOptions,
): AsyncIterable<SourceRows> {
  // A mapping treats an empty text as null.
  const options = { ...input.table, keepsEmptyTexts: false }
  const table = await openRows({ ...input, table: options }, mapping, onBytes)
  try {
    const mapper = compileSource(source, mapping, owner, table.columns)
    const { originOf } = mapper
    const { columns } = table
    const namer = compileRowNamer(mapping, source.resource.key, columns)
    const receive = (cells: readonly Cell[]) =>
      receiveCells({ resource: source.resource, mapper, columns }, cells)
    for await (const batch of table.rows) {
      const rows: SourceRow[] = []
      const endWork = meter?.begin()
      for (const row of batch) {
        if ('problem' in row) {
          rows.push(row)
          continue
        }
        const mapped = mapRow(mapper, row.line, row.cells)
        if (!mapped) continue
        if (keepsBadRows && 'problems' in mapped)
          rows.push({ ...mapped, received: receive(row.cells) })
        else rows.push(keepsBadRows && 'json' in mapped ? { ...mapped, cells: row.cells } : mapped)
      }
      endWork?.()
      const names = namesOf(namer, () => batch)
      const corrections = correctionsOf(batch)
      yield { rows, canonical: null, originOf, receive, names, corrections }
    }
  } finally {
    await table.close()
  }
}

/** The mapper of a source. Throws a `SourceError` if the columns do not match the mapping. */
export const compileSource = (
  { resource, importedAt }: Pick<Source, 'resource' | 'importedAt'>,
  mapping: CollectionMapping,
  owner: string,
  columns: readonly string[],
): RowMapper => {
  if (importedAt === undefined) throw new Error('A mapped source needs the time of the import.')
  try {
    return compileMapping(mapping, { resource, owner, columns, importedAt })
  } catch (error) {
    if (error instanceof ColumnError) throw new SourceError(error.message)
    throw error
  }
}

/** A mapped row; null if the mapping omits it. */
export const mapRow = (
  mapper: RowMapper,
  line: number,
  cells: readonly Cell[],
): SourceRow | null => {
  const mapped = mapper.map(cells)
  return mapped && sourceRow(line, mapped)
}

export const sourceRow = (line: number, mapped: NonNullable<MappedRow>): SourceRow => {
  if (!('json' in mapped)) return { line, ...mapped }
  const { json, rank } = mapped
  return rank === null ? { line, json } : { line, json, rank }
}

/** A table, or JSON objects as a table with the columns that the mapping uses. */
export const openRows = async (
  input: FileInput | StreamInput,
  mapping: CollectionMapping,
  onBytes: (bytes: number) => void,
): Promise<Table> => {
  // A correction file has rows alone.
  const isCorrection = input.kind === 'file' && isCorrectionName(input.path)
  const { trailer } = (isCorrection ? null : mapping.from.files) ?? {}
  if (input.format !== 'ndjson' && input.format !== 'json') {
    const options = { ...input.table, usedColumns: columnsOf(mapping) }
    const table = await openTable({ ...input, table: options }, onBytes)
    return trailer ? { ...table, rows: rowsBeforeTrailer(table, trailer) } : table
  }
  if (trailer) throw new SourceError('is JSON, and trailer is for the last row of a table')
  const { chunks, close } = openChunks(input, onBytes)
  const columns = columnsOf(mapping)
  const parsed = async function* (): AsyncIterable<readonly SourceRow[]> {
    if (input.format === 'json') yield* readJsonArray(chunks)
    else for await (const { rows } of readNdjson(chunks, undefined)) yield rows
  }
  const rows = async function* (): Table['rows'] {
    for await (const batch of parsed()) yield batch.map((row) => objectRow(row, columns))
  }
  return { columns, rows: rows(), close: async () => close() }
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
