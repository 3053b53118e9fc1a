import { type Catalog, resourceAt } from '#contract'
import { type PreviewedSource, previewSource, type Report, type Source, SourceError } from '#ingest'
import { type CollectionMapping, columnsOf, contextNeeds, type MappingContext } from '#mapping'
import { requireReadingQueries } from './mapped-query.ts'
import {
  columnNames,
  compile,
  keyMapping,
  named,
  type ReadParts,
  readLookedUp,
  readQuery,
  type SpoolParts,
} from './query-rows.ts'
import { type Snapshot, type SourceDatabase, SourceDatabaseError } from './source-database.ts'
import { deletedQuery, firstRows, keysQuery, type QueryCursor, rowsQuery } from './source-query.ts'
import { openSpool, type Spool } from './spool.ts'
import type { SyncQuery } from './sync-state.ts'

export interface QueryPreviewOptions {
  readonly catalog: Catalog
  readonly database: SourceDatabase
  readonly queries: readonly SyncQuery[]
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  readonly report: Report
  /** Number of sample rows. */
  readonly samples: number
  /** What a mapping takes from stored records and from those of some sources. */
  readonly readContext: (
    mapping: CollectionMapping,
    sources: readonly Source[],
  ) => Promise<MappingContext>
  /** Maximum number of rows that are read of each query. */
  readonly rowsMax: number
  readonly startedAt: number
}

/** The first rows of a query, as an import takes them. */
export interface PreviewedQuery {
  readonly query: SyncQuery
  readonly source: Source
  readonly previewed: PreviewedSource
}

/**
 * Reads the first rows of all queries of a mapping, from one state of the database, and passes them
 * on. What is wrong with a query goes to the report; a database that cannot be reached is an error.
 */
export const withPreviewedQueries = async <T>(
  options: QueryPreviewOptions,
  work: (queries: readonly PreviewedQuery[]) => Promise<T>,
): Promise<T> => {
  const spool = openSpool()
  try {
    const read = await readAll(options, spool)
    for (const query of options.queries) {
      const own = read.find((each) => each.query === query)
      await probe(options, query, own ? { cursor: own.cursor } : null)
    }
    return await work(read)
  } finally {
    await spool.close()
  }
}

interface ReadQuery extends PreviewedQuery {
  readonly cursor: QueryCursor | null
}

/**
 * A query that fails ends the snapshot, and the others are to be seen: they are read again without
 * it.
 */
const readAll = async (
  options: QueryPreviewOptions,
  spool: Spool,
): Promise<readonly ReadQuery[]> => {
  const { database, owner, startedAt, catalog, rowsMax } = options
  const failed = new Set<SyncQuery>()
  for (;;) {
    let current: SyncQuery | null = null
    try {
      return await database.snapshot(async (snapshot) => {
        const { dialect } = database
        const reading = { catalog, snapshot, spool, dialect, brand: owner, startedAt, rowsMax }
        const stated = options.queries
          .filter((query) => !failed.has(query))
          .map((query) => ({ query, state: { cursor: null } }))
        // All rows are looked up in, also those beyond the limit, and once if they look each other up.
        const partsIn = (lookedUp: readonly string[]): SpoolParts => ({
          ...reading,
          contextOf: async (mapping) => {
            const needed = contextNeeds([mapping]).lookups
            const lookups = needed.filter(({ collection }) => !lookedUp.includes(collection))
            const inner = partsIn([...lookedUp, ...lookups.map(({ collection }) => collection)])
            return options.readContext(mapping, await readLookedUp(inner, lookups, stated))
          },
        })
        const parts = partsIn([])
        const all: ReadQuery[] = []
        for (const query of options.queries) {
          if (failed.has(query)) continue
          current = query
          requireReadingQueries([query], dialect)
          const { mapping, name } = query
          const resource = resourceAt(catalog, mapping.collection)
          const previewed = previewSource({ name, resource, mapping }, options.samples)
          // Removals would be compared with rows beyond the limit.
          const origin = { ...query.origin, deleted: null }
          const own = { ...query, origin }
          const { sources, cursor } = await readQuery(
            parts,
            own,
            { cursor: null },
            previewed.observer,
          )
          for (const source of sources) all.push({ query, source, previewed, cursor })
        }
        return all
      })
    } catch (error) {
      if (!current || !isFailure(error)) throw error
      failed.add(current)
      // The report names the query and its line itself.
      addFailure(options, current, isFailure(error.cause) ? error.cause : error)
    }
  }
}

/** Runs the other queries that a synchronisation will run. Rows are null if they cannot be read. */
const probe = async (
  options: QueryPreviewOptions,
  query: SyncQuery,
  rows: { readonly cursor: QueryCursor | null } | null,
): Promise<void> => {
  const { catalog, database, owner, startedAt } = options
  const succeeds = async (work: (parts: ReadParts) => Promise<unknown>): Promise<boolean> => {
    try {
      await database.snapshot((snapshot) =>
        work({
          ...{ catalog, snapshot, dialect: database.dialect, brand: owner, startedAt },
          contextOf: (mapping) => options.readContext(mapping, []),
        }),
      )
      return true
    } catch (error) {
      if (!isFailure(error)) throw error
      addFailure(options, query, error)
      return false
    }
  }
  if (rows && (await succeeds((parts) => runChanged(parts, query, rows.cursor)))) {
    await succeeds((parts) => runDeleted(parts, query, rows.cursor))
  }
  await succeeds((parts) => runKeys(parts, query))
}

const isFailure = (error: unknown): error is SourceError | SourceDatabaseError =>
  error instanceof SourceError || error instanceof SourceDatabaseError

const addFailure = (
  { report }: QueryPreviewOptions,
  { name, mapping, origin }: SyncQuery,
  { message }: Error,
): void =>
  report.add({
    ...{ file: name, line: 0, field: '', value: '', reason: oneLine(message) },
    ...{ severity: 'error', mappingFile: mapping.file, mappingLine: origin.line },
  })

const oneLine = (text: string): string =>
  text.replaceAll(/:\n\s*/g, ': ').replaceAll(/\n\s*/g, '; ')

/** The query as it is when rows have been read before. */
const runChanged = async (
  { snapshot, dialect }: ReadParts,
  { origin }: SyncQuery,
  cursor: QueryCursor | null,
): Promise<void> => {
  if (cursor) await readOne(snapshot, firstRows(rowsQuery(origin, cursor, dialect), 1))
}

const runDeleted = async (
  parts: ReadParts,
  { mapping, origin }: SyncQuery,
  cursor: QueryCursor | null,
): Promise<void> => {
  const resource = resourceAt(parts.catalog, mapping.collection)
  const keys = keyMapping(mapping, resource)
  const sql = deletedQuery(origin, columnsOf(keys), cursor, parts.dialect)
  if (sql === null) return
  const context = await parts.contextOf(keys)
  const table = await readOne(parts.snapshot, firstRows(sql, 1))
  await named('the query of deleted rows', async () =>
    compile(parts, keys, resource, columnNames(table), context),
  )
}

const runKeys = async (parts: ReadParts, { mapping, origin }: SyncQuery): Promise<void> => {
  if (!origin.reconcile) return
  const resource = resourceAt(parts.catalog, mapping.collection)
  const keys = keyMapping(mapping, resource)
  const sql = keysQuery(origin, columnsOf(keys), parts.dialect)
  const context = await parts.contextOf(keys)
  const table = await readOne(parts.snapshot, firstRows(sql, 1))
  await named('the query of reconcile', async () =>
    compile(parts, keys, resource, columnNames(table), context),
  )
}

const readOne = async (snapshot: Snapshot, sql: string) => {
  const table = await snapshot.query(sql)
  for await (const _ of table.batches);
  return table
}
