import { type Catalog, resourceAt } from '#contract'
import {
  type PreviewOptions,
  previewTable,
  SourceError,
  type SourcePreview,
  type TableRow,
} from '#ingest'
import { columnsOf } from '#mapping'
import { compile, keyMapping, type ReadParts } from './query-rows.ts'
import { type Snapshot, type SourceDatabase, SourceDatabaseError } from './source-database.ts'
import {
  createCursorReader,
  deletedQuery,
  firstRows,
  keysQuery,
  type QueryCursor,
  rowsQuery,
} from './source-query.ts'
import type { SyncQuery } from './sync-state.ts'

export interface QueryPreviewOptions extends PreviewOptions {
  readonly catalog: Catalog
  readonly database: SourceDatabase
  readonly queries: readonly SyncQuery[]
  /** Maximum number of rows that are read of each query. */
  readonly rowsMax: number
  readonly startedAt: number
}

/**
 * Runs all queries of a mapping, and maps and validates their first rows. What is wrong with a query or
 * a row goes to the report; a database that cannot be reached is an error.
 */
export const previewQueries = async (
  options: QueryPreviewOptions,
): Promise<readonly SourcePreview[]> => {
  const { catalog, database, queries, owner, report, startedAt } = options
  await database.snapshot(async () => undefined)
  const previews: SourcePreview[] = []
  for (const query of queries) {
    const { name, mapping, origin } = query
    // A query that fails ends its transaction, and the others are to be seen.
    const succeeds = async (work: (parts: ReadParts) => Promise<unknown>): Promise<boolean> => {
      try {
        await database.snapshot((snapshot) =>
          work({ catalog, snapshot, dialect: database.dialect, brand: owner, startedAt }),
        )
        return true
      } catch (error) {
        if (!(error instanceof SourceDatabaseError || error instanceof SourceError)) throw error
        report.add({
          ...{ file: name, line: 0, field: '', value: '', reason: oneLine(error.message) },
          ...{ severity: 'error', mappingFile: mapping.file, mappingLine: origin.line },
        })
        return false
      }
    }
    let cursor: QueryCursor | null = null
    const isRead = await succeeds(async (parts) => {
      const { preview, last } = await previewRows(parts, query, options)
      previews.push(preview)
      cursor = last
    })
    if (isRead && (await succeeds((parts) => runChanged(parts, query, cursor)))) {
      await succeeds((parts) => runDeleted(parts, query, cursor))
    }
    await succeeds((parts) => runKeys(parts, query))
  }
  return previews
}

const oneLine = (text: string): string =>
  text.replaceAll(/:\n\s*/g, ': ').replaceAll(/\n\s*/g, '; ')

const previewRows = async (
  { snapshot, dialect, startedAt }: ReadParts,
  { name, mapping, origin }: SyncQuery,
  options: QueryPreviewOptions,
): Promise<{ readonly preview: SourcePreview; readonly last: QueryCursor | null }> => {
  const sql = rowsQuery(origin, null, dialect)
  const table = await snapshot.query(firstRows(sql, options.rowsMax))
  const names = table.columns.map((column) => column.name)
  const columns = origin.cursor === null ? names : names.slice(0, -1)
  const kind = table.columns.find((column) => column.name === origin.cursor)?.kind ?? 'text'
  const cursor = createCursorReader(kind, startedAt)
  const rows = async function* (): AsyncIterable<readonly TableRow[]> {
    let line = 0
    for await (const batch of table.batches) {
      yield batch.map((cells) => {
        line += 1
        if (origin.cursor !== null) cursor.read(cells[columns.length] as string | null)
        return { line, cells }
      })
    }
  }
  const preview = await previewTable(
    {
      ...{ name, mapping, resource: resourceAt(options.catalog, mapping.collection) },
      importedAt: new Date(startedAt).toISOString(),
      isUnordered: true,
    },
    { columns, rows: rows() },
    options,
  )
  const unusedColumns = preview.unusedColumns.filter((column) => column !== origin.cursor)
  return { preview: { ...preview, unusedColumns }, last: cursor.last() }
}

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
  const table = await readOne(parts.snapshot, firstRows(sql, 1))
  named('the query of deleted rows', () => compile(parts, keys, resource, table))
}

const runKeys = async (parts: ReadParts, { mapping, origin }: SyncQuery): Promise<void> => {
  if (!origin.reconcile) return
  const resource = resourceAt(parts.catalog, mapping.collection)
  const keys = keyMapping(mapping, resource)
  const sql = keysQuery(origin, columnsOf(keys), parts.dialect)
  const table = await readOne(parts.snapshot, firstRows(sql, 1))
  named('the query of reconcile', () => compile(parts, keys, resource, table))
}

const readOne = async (snapshot: Snapshot, sql: string) => {
  const table = await snapshot.query(sql)
  for await (const _ of table.batches);
  return table
}

const named = (name: string, work: () => unknown): void => {
  try {
    work()
  } catch (error) {
    throw error instanceof SourceError ? new SourceError(`${name} ${error.message}`) : error
  }
}
