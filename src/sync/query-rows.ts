import { type Catalog, type Resource, resourceAt } from '#contract'
import {
  cutValue,
  mapRow,
  namesOf,
  receiveCells,
  type Source,
  SourceError,
  type SourceRow,
  type SourceRows,
} from '#ingest'
import {
  type CollectionMapping,
  ColumnError,
  columnsOf,
  compileMapping,
  compileRowNamer,
  fieldOrigin,
  type MappedProblem,
  namingColumns,
  type RowMapper,
  type RowNamer,
} from '#mapping'
import { type QueryParts, runMappedQuery } from './mapped-query.ts'
import { columnChange, type QueryColumns, queryColumns } from './source-columns.ts'
import type { SourceDialect, SourceTable } from './source-database.ts'
import { createCursorReader, deletedQuery, type QueryCursor, rowsQuery } from './source-query.ts'
import type { Spool } from './spool.ts'
import type { QueryState, SyncQuery } from './sync-state.ts'

/** What the rows of queries are read with. */
export interface ReadParts extends QueryParts {
  readonly catalog: Catalog
  readonly dialect: SourceDialect
  readonly brand: string
  /** When the round began. */
  readonly startedAt: number
  /** Ends reading, and writing what was read, at the next batch. */
  readonly signal?: AbortSignal | undefined
}

/** Rows are read into the spool before any of them is written. */
export interface SpoolParts extends ReadParts {
  readonly spool: Spool
}

/** The changes of one query: sources of an import, and how far they go. */
export interface QueryRows {
  readonly sources: readonly Source[]
  /** Null if no row with a cursor has ever been read. */
  readonly cursor: QueryCursor | null
  readonly columns: QueryColumns
}

/**
 * Reads the rows of a query that have changed since its cursor, and the keys of those that are gone, into
 * a spool.
 */
export const readQuery = async (
  parts: SpoolParts,
  query: SyncQuery,
  { cursor: from, columns: before = {} }: QueryState,
): Promise<QueryRows> => {
  const { name, mapping, origin } = query
  const { catalog, spool, dialect, startedAt, signal } = parts
  const resource = resourceAt(catalog, mapping.collection)
  let last: QueryCursor | null = null
  let columns: QueryColumns = {}
  const changed = async function* (): AsyncIterable<readonly NamedRow[]> {
    const table = await runMappedQuery(parts, rowsQuery(origin, from, dialect), query)
    columns = queryColumns(query, table.columns)
    requireColumns(query, before, columns)
    const mapper = compile(parts, mapping, resource, table)
    const names = columnNames(table)
    const namer = compileRowNamer(mapping, resource.key, names)
    const at = origin.cursor === null ? -1 : table.columns.length - 1
    const kind = table.columns.find((column) => column.name === origin.cursor)?.kind ?? 'text'
    const cursor = createCursorReader(kind, startedAt)
    yield* mapped(parts, table, namer, (cells, line) => {
      if (at >= 0) cursor.read(cells[at] as string | null)
      const row = mapRow(mapper, line, cells)
      if (!row || !('problems' in row)) return row
      return { ...row, received: receiveCells({ resource, mapper, columns: names }, cells) }
    })
    last = cursor.last()
  }
  const deleted = async function* (): AsyncIterable<readonly NamedRow[]> {
    const keys = keyMapping(mapping, resource)
    const sql = deletedQuery(origin, columnsOf(keys), from, dialect)
    if (sql === null) return
    const table = await runMappedQuery(parts, sql, query)
    const mapper = compile(parts, keys, resource, table)
    const namer = compileRowNamer(mapping, resource.key, columnNames(table))
    yield* mapped(parts, table, namer, (cells, line) => ({ line, ...mapper.removal(cells) }))
  }
  const namer = compileRowNamer(mapping, resource.key, namingColumns(mapping, resource.key))
  const originOf = (pointer: string) => fieldOrigin(mapping, pointer)
  const source = async (
    sourceName: string,
    read: () => AsyncIterable<readonly NamedRow[]>,
  ): Promise<Source> => {
    const spooled = await named(sourceName, () => spool.fill(read()))
    const rows = async function* (): AsyncIterable<SourceRows> {
      for await (const batch of spooled.batches()) {
        signal?.throwIfAborted()
        const texts = () => batch.map(({ line, names }) => ({ line, cells: names }))
        yield { rows: batch, canonical: null, originOf, names: namesOf(namer, texts) }
      }
    }
    return {
      name: sourceName,
      resource,
      bytes: spooled.bytes,
      input: { kind: 'rows', rows },
      isUnordered: true,
      mapping,
      importedAt: new Date(startedAt).toISOString(),
    }
  }
  const sources = [await source(name, changed)]
  if (origin.deleted !== null) sources.push(await source(`${name} (deleted)`, deleted))
  // Without rows, nothing has changed.
  return { sources, cursor: last ?? from, columns }
}

const requireColumns = (query: SyncQuery, before: QueryColumns, now: QueryColumns): void => {
  const change = columnChange(query, before, now)
  if (change !== null) throw new SourceError(change)
}

/** Names the source in errors, as an import does. */
export const named = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work()
  } catch (error) {
    throw error instanceof SourceError ? new SourceError(`${name} ${error.message}`) : error
  }
}

/** A mapping that makes nothing but the identity of a record. */
export const keyMapping = (
  { keep: _, ...mapping }: CollectionMapping,
  { key }: Resource,
): CollectionMapping => ({
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
      columns: columnNames({ columns }),
      importedAt: new Date(startedAt).toISOString(),
    })
  } catch (error) {
    if (error instanceof ColumnError) throw new SourceError(error.message)
    throw error
  }
}

export const columnNames = ({ columns }: Pick<SourceTable, 'columns'>): readonly string[] =>
  columns.map(({ name }) => name)

/** A row with the texts that name it (`RowNamer.textsOf`). */
type NamedRow = SourceRow & { readonly names: readonly (string | null)[] }

async function* mapped(
  { signal }: ReadParts,
  { batches }: SourceTable,
  namer: RowNamer,
  toRow: (cells: Parameters<RowMapper['map']>[0], line: number) => SourceRow | null,
): AsyncIterable<readonly NamedRow[]> {
  let line = 0
  for await (const batch of batches) {
    signal?.throwIfAborted()
    const rows: NamedRow[] = []
    for (const cells of batch) {
      line += 1
      const row = toRow(cells, line)
      if (!row) continue
      const names = namer.textsOf(cells)
      rows.push(
        'problems' in row ? { ...row, problems: row.problems.map(cut), names } : { ...row, names },
      )
    }
    yield rows
  }
}

/** A problem with the text of its value, however large that is. */
const cut = (problem: MappedProblem): MappedProblem => ({
  ...problem,
  value: cutValue(problem.value),
})
