import {
  type Cell,
  type CollectionMapping,
  ColumnError,
  compileMapping,
  compileRowNamer,
  fieldOrigin,
  type MappedRow,
  type RowMapper,
} from '#mapping'
import { correctionsOf } from './corrections.ts'
import { type MappedSource, openMapped } from './open-mapped.ts'
import type { ReadOptions } from './read-source.ts'
import { receiveCells } from './received-row.ts'
import { namesOf, SourceError, type SourceRow, type SourceRows } from './row.ts'
import type { Source } from './source.ts'

/** The rows of a source, mapped. */
export async function* mappedRows(
  source: MappedSource,
  { onBytes, owner, meter, keepsBadRows }: ReadOptions,
): AsyncIterable<SourceRows> {
  const table = await openMapped(source, { onBytes, owner, meter })
  try {
    const { columns, mapping } = table
    const mapper = compileSource(source, mapping, owner, columns)
    const originOf = (pointer: string) => fieldOrigin(source.mapping, pointer)
    const { observer } = source
    observer?.begin(columns)
    const namer = compileRowNamer(mapping, source.resource.key, columns)
    const receive = (cells: readonly Cell[]) =>
      receiveCells({ resource: source.resource, mapper, columns }, cells)
    for await (const batch of table.rows) {
      const rows: SourceRow[] = []
      const endWork = meter?.begin()
      for (const row of batch) {
        if ('problem' in row) {
          observer?.add(row, row)
          rows.push(row)
          continue
        }
        const mapped = mapRow(mapper, row.line, row.cells)
        observer?.add(row, mapped)
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

/** The rows of a source, mapped here or before. */
export const mappedRowsOf = (
  source: Source,
  owner: string,
): AsyncIterable<SourceRows> | readonly SourceRows[] => {
  const { mapping, input } = source
  if (input.kind === 'rows') return input.rows()
  if (!mapping) return []
  return mappedRows({ ...source, input, mapping }, { owner, onBytes: () => undefined })
}

/** The mapper of a source. Throws a `SourceError` if the columns do not match the mapping. */
export const compileSource = (
  { resource, importedAt, context }: Pick<Source, 'resource' | 'importedAt' | 'context'>,
  mapping: CollectionMapping,
  owner: string,
  columns: readonly string[],
): RowMapper => {
  if (importedAt === undefined) throw new Error('A mapped source needs the time of the import.')
  try {
    return compileMapping(mapping, { resource, owner, columns, importedAt, ...context })
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
