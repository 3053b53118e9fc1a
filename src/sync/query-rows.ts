import { type Catalog, type Resource, resourceAt } from '#contract'
import { mapRow, type Source, SourceError, type SourceRow, type SourceRows } from '#ingest'
import {
  type CollectionMapping,
  ColumnError,
  columnsOf,
  compileMapping,
  type RowMapper,
} from '#mapping'
import { runMappedQuery } from './mapped-query.ts'
import { createReadAhead, type ReadAhead } from './read-ahead.ts'
import type { Snapshot, SourceDialect, SourceTable } from './source-database.ts'
import { createCursorReader, deletedQuery, type QueryCursor, rowsQuery } from './source-query.ts'
import type { SyncQuery } from './sync-state.ts'

/** What the rows of queries are read with. */
export interface ReadParts {
  readonly catalog: Catalog
  readonly snapshot: Snapshot
  readonly dialect: SourceDialect
  readonly brand: string
  /** When the round began. */
  readonly startedAt: number
  /** Ends reading at the next batch. */
  readonly signal?: AbortSignal | undefined
}

/** The changes of one query: sources of an import, and how far they go. */
export interface QueryRows {
  readonly sources: readonly Source[]
  /** Reads rows before they are wanted. Returns whether all of them are read. */
  readonly fill: (
    rowsMax: number,
  ) => Promise<{ readonly rows: number; readonly isComplete: boolean }>
  /** The cursor after all rows have been read. */
  readonly cursor: () => QueryCursor | null
}

/** Reads the rows of a query that have changed since a cursor, and the keys of those that are gone. */
export const readQuery = (
  parts: ReadParts,
  query: SyncQuery,
  from: QueryCursor | null,
): QueryRows => {
  const { name, mapping, origin } = query
  const { catalog, snapshot, dialect, startedAt } = parts
  const resource = resourceAt(catalog, mapping.collection)
  const deletedName = `${name} (deleted)`
  let last: QueryCursor | null = null
  const changed = async function* (): AsyncIterable<SourceRows> {
    const table = await runMappedQuery(snapshot, rowsQuery(origin, from, dialect), query)
    const mapper = compile(parts, mapping, resource, table)
    const at = origin.cursor === null ? -1 : table.columns.length - 1
    const kind = table.columns.find((column) => column.name === origin.cursor)?.kind ?? 'text'
    const cursor = createCursorReader(kind, startedAt)
    yield* mapped(parts, table, mapper, (cells, line) => {
      if (at >= 0) cursor.read(cells[at] as string | null)
      return mapRow(mapper, line, cells)
    })
    last = cursor.last()
  }
  const deleted = async function* (): AsyncIterable<SourceRows> {
    const keys = keyMapping(mapping, resource)
    const sql = deletedQuery(origin, columnsOf(keys), from, dialect)
    if (sql === null) return
    const table = await runMappedQuery(snapshot, sql, query)
    const mapper = compile(parts, keys, resource, table)
    yield* mapped(parts, table, mapper, (cells, line) => ({ line, ...mapper.removal(cells) }))
  }
  const source = (sourceName: string, ahead: ReadAhead<SourceRows>): Source => ({
    name: sourceName,
    resource,
    bytes: null,
    input: { kind: 'rows', rows: ahead.batches },
    mapping,
    importedAt: new Date(startedAt).toISOString(),
  })
  const rows = createReadAhead(changed, rowCount)
  const removals = origin.deleted === null ? null : createReadAhead(deleted, rowCount)
  return {
    sources: [source(name, rows), ...(removals ? [source(deletedName, removals)] : [])],
    fill: async (rowsMax) => {
      const first = await named(name, () => rows.fill(rowsMax))
      if (!removals || !first.isComplete) return first
      const second = await named(deletedName, () => removals.fill(rowsMax - first.rows))
      return { rows: first.rows + second.rows, isComplete: second.isComplete }
    },
    // Without rows, nothing has changed.
    cursor: () => last ?? from,
  }
}

/** Names the source in errors of rows that are read before the import, which names it in others. */
const named = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SourceError ? new SourceError(`${name} ${error.message}`) : error
  }
}

const rowCount = ({ rows }: SourceRows): number => rows.length

/** A mapping that makes nothing but the identity of a record. */
export const keyMapping = (mapping: CollectionMapping, { key }: Resource): CollectionMapping => ({
  ...mapping,
  where: [],
  remove: [],
  fields: mapping.fields.filter(({ field }) => key.includes(field)),
})

/** Compiles a mapping for the columns of a query. */
export const compile = (
  { brand, startedAt }: ReadParts,
  mapping: CollectionMapping,
  resource: Resource,
  { columns }: SourceTable,
): RowMapper => {
  try {
    return compileMapping(mapping, {
      resource,
      owner: brand,
      columns: columns.map(({ name }) => name),
      importedAt: new Date(startedAt).toISOString(),
    })
  } catch (error) {
    if (error instanceof ColumnError) throw new SourceError(error.message)
    throw error
  }
}

async function* mapped(
  { signal }: ReadParts,
  { batches }: SourceTable,
  { originOf }: RowMapper,
  toRow: (cells: Parameters<RowMapper['map']>[0], line: number) => SourceRow | null,
): AsyncIterable<SourceRows> {
  let line = 0
  for await (const batch of batches) {
    signal?.throwIfAborted()
    const rows: SourceRow[] = []
    for (const cells of batch) {
      line += 1
      const row = toRow(cells, line)
      if (row) rows.push(row)
    }
    yield { rows, canonical: null, originOf }
  }
}
