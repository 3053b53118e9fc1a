import { type Catalog, type Resource, resourceAt } from '#contract'
import {
  cutValue,
  mapRow,
  namesOf,
  type RowObserver,
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
  type LookupUse,
  type MappedProblem,
  type MappingContext,
  namingColumns,
  noContext,
  planRows,
  type RowMapper,
  type RowNamer,
  withFields,
} from '#mapping'
import { type MadeRows, madeRows, readJoined } from './joined-queries.ts'
import { type QueryParts, runMappedQuery } from './mapped-query.ts'
import { columnChange, type QueryColumns, queryColumns } from './source-columns.ts'
import type { SourceDialect, SourceTable } from './source-database.ts'
import {
  createCursorReader,
  deletedQuery,
  firstRows,
  type QueryCursor,
  rowsQuery,
} from './source-query.ts'
import type { Spool } from './spool.ts'
import type { QueryState, SyncQuery } from './sync-state.ts'

/** What the rows of queries are read with. */
export interface ReadParts extends QueryParts {
  readonly catalog: Catalog
  readonly dialect: SourceDialect
  readonly brand: string
  /** When the round began. */
  readonly startedAt: number
  /** What a mapping takes from the records of the brand. Can run queries, one at a time. */
  readonly contextOf: (mapping: CollectionMapping) => Promise<MappingContext>
  /** Ends reading, and writing what was read, at the next batch. */
  readonly signal?: AbortSignal | undefined
  /** Of a preview: how many rows of a query are read; all by default. */
  readonly rowsMax?: number
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
  { cursor: from, columns: before = {} }: Pick<QueryState, 'cursor' | 'columns'>,
  observer?: RowObserver,
): Promise<QueryRows> => {
  const { name, mapping, origin } = query
  const { catalog, spool, dialect, startedAt, signal, rowsMax } = parts
  const resource = resourceAt(catalog, mapping.collection)
  const compiled = planRows(mapping)?.mapping ?? mapping
  const context = await parts.contextOf(mapping)
  let last: QueryCursor | null = null
  let columns: QueryColumns = {}
  const changed = async function* (): AsyncIterable<readonly NamedRow[]> {
    const joined = await readJoined(parts, query, context)
    const all = rowsQuery(origin, from, dialect)
    const sql = rowsMax === undefined ? all : firstRows(all, rowsMax)
    const table = await runMappedQuery(parts, sql, query)
    columns = { ...queryColumns(query, table.columns), ...joined?.columns }
    requireColumns(query, before, columns)
    const at = origin.cursor === null ? -1 : table.columns.length - 1
    const kind = table.columns.find((column) => column.name === origin.cursor)?.kind ?? 'text'
    const cursor = createCursorReader(kind, startedAt)
    const made = madeRows(table, joined, (cells) => {
      if (at >= 0) cursor.read(cells[at] as string | null)
    })
    const { columns: names } = made
    const mapper = compile(parts, compiled, resource, names, context)
    const namer = compileRowNamer(compiled, resource.key, names)
    observer?.begin(names.map((column, index) => (index === at ? '' : column)))
    yield* mapped(parts, made, namer, (cells, line) => {
      const row = mapRow(mapper, line, cells)
      observer?.add({ line, cells }, row)
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
    const mapper = compile(parts, keys, resource, columnNames(table), context)
    const namer = compileRowNamer(compiled, resource.key, columnNames(table))
    const rows = madeRows(table, null, () => undefined)
    yield* mapped(parts, rows, namer, (cells, line) => ({ line, ...mapper.removal(cells) }))
  }
  const namer = compileRowNamer(compiled, resource.key, namingColumns(compiled, resource.key))
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
      context: { ...noContext, version: context.version },
      importedAt: new Date(startedAt).toISOString(),
    }
  }
  const sources = [await source(name, changed)]
  if (origin.deleted !== null) sources.push(await source(`${name} (deleted)`, deleted))
  // Without rows, nothing has changed.
  return { sources, cursor: last ?? from, columns }
}

/** Reads the changed rows that lookups find records in into a spool, before they are mapped. */
export const readLookedUp = async (
  parts: SpoolParts,
  lookups: readonly LookupUse[],
  stated: readonly ReadSoFar[],
): Promise<readonly Source[]> => {
  const sources: Source[] = []
  for (const { collection, fields } of lookups) {
    for (const { query, state } of stated) {
      if (query.mapping.collection !== collection) continue
      sources.push(await readIdentified(parts, query, state, fields))
    }
  }
  return sources
}

/** A query, and how far it was read. */
interface ReadSoFar {
  readonly query: SyncQuery
  readonly state: Pick<QueryState, 'cursor'>
}

/** The identities of the changed rows of a query, with some of their fields. */
const readIdentified = async (
  parts: SpoolParts,
  query: SyncQuery,
  { cursor }: ReadSoFar['state'],
  names: readonly string[],
): Promise<Source> => {
  const { name, origin } = query
  const resource = resourceAt(parts.catalog, query.mapping.collection)
  const mapping = withFields(query.mapping, [...resource.key, ...names])
  const context = await parts.contextOf(mapping)
  const read = async function* (): AsyncIterable<readonly SourceRow[]> {
    const joined = await readJoined(parts, { ...query, mapping }, context)
    const table = await runMappedQuery(parts, rowsQuery(origin, cursor, parts.dialect), query)
    const { columns, batches } = madeRows(table, joined, () => undefined)
    const compiled = planRows(mapping)?.mapping ?? mapping
    const mapper = compile(parts, compiled, resource, columns, context)
    for await (const batch of batches) {
      parts.signal?.throwIfAborted()
      yield batch.flatMap(({ line, cells }) => mapRow(mapper, line, cells) ?? [])
    }
  }
  const spooled = await named(name, () => parts.spool.fill(read()))
  const rows = async function* (): AsyncIterable<SourceRows> {
    for await (const batch of spooled.batches()) yield { rows: batch, canonical: null }
  }
  return { name, resource, bytes: spooled.bytes, input: { kind: 'rows', rows } }
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
    throw error instanceof SourceError
      ? new SourceError(`${name} ${error.message}`, { cause: error })
      : error
  }
}

/** A mapping that makes nothing but the identity of a record. */
export const keyMapping = (
  { keep: _, join: __, group: ___, ...mapping }: CollectionMapping,
  { key }: Resource,
): CollectionMapping => ({
  ...mapping,
  where: [],
  remove: [],
  fields: mapping.fields.filter(({ field }) => key.includes(field)),
})

/** Compiles a mapping for the columns of a query. Its context is read before the query is begun. */
export const compile = (
  { brand, startedAt }: Pick<ReadParts, 'brand' | 'startedAt'>,
  mapping: CollectionMapping,
  resource: Resource,
  columns: readonly string[],
  context: MappingContext,
): RowMapper => {
  try {
    return compileMapping(mapping, {
      ...context,
      resource,
      owner: brand,
      columns,
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
  { batches }: MadeRows,
  namer: RowNamer,
  toRow: (cells: Parameters<RowMapper['map']>[0], line: number) => SourceRow | null,
): AsyncIterable<readonly NamedRow[]> {
  for await (const batch of batches) {
    signal?.throwIfAborted()
    const rows: NamedRow[] = []
    for (const { line, cells } of batch) {
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
