import { SourceError } from '#ingest'
import { columnsOf, joinOf } from '#mapping'
import { runMappedQuery } from './mapped-query.ts'
import { columnChange, describeColumns, type QueryColumns, queryColumns } from './source-columns.ts'
import { type SourceDatabase, SourceDatabaseError } from './source-database.ts'
import { firstRows, rowsQuery } from './source-query.ts'
import type { QueryState, SyncQuery } from './sync-state.ts'

/** A query with its state before the round. */
export interface StatedQuery {
  readonly query: SyncQuery
  readonly state: QueryState
}

/**
 * Why queries that were read before fail now: a table or a column that was renamed, removed or given
 * another type. The engine's own message would not say that it was there. Any other error is
 * returned as it is.
 */
export const explainFailure = async (
  database: SourceDatabase,
  stated: readonly StatedQuery[],
  error: unknown,
): Promise<unknown> => {
  if (!(error instanceof SourceDatabaseError) || error.isTransient) return error
  for (const { query, state } of stated) {
    if (!state.columns) continue
    const reason = await changeOf(database, query, state.columns)
    if (reason !== null) return new SourceError(`${query.name} ${reason}`, { cause: error })
  }
  return error
}

/** What has changed about a query, from its columns; null if nothing has, or if that is not known. */
const changeOf = async (
  database: SourceDatabase,
  query: SyncQuery,
  before: QueryColumns,
): Promise<string | null> => {
  const sql = firstRows(rowsQuery(query.origin, null, database.dialect), 0)
  try {
    // In its own transaction: the one of the round has failed.
    return await database.snapshot(async (snapshot) => {
      const { columns, batches } = await runMappedQuery({ snapshot }, sql, query)
      for await (const _ of batches);
      // Joined rows have queries of their own, which are not read here.
      const joined = Object.entries(before).filter(([name]) => joinOf(query.mapping, name))
      const now = { ...queryColumns(query, columns), ...Object.fromEntries(joined) }
      return columnChange(query, before, now)
    })
  } catch (error) {
    if (!missingCodes.test(codeOf(error))) return null
    const { mapping, origin } = query
    const used = describeColumns(before, columnsOf(mapping))
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error
    return `cannot be read any more, but was read in the last round that succeeded, with ${used}. ${(cause as Error).message}. Nothing was written. Correct the query (${mapping.file}:${origin.line}); all rows are then read again.`
  }
}

/** Codes of PostgreSQL and MySQL for a column, a table or a schema that does not exist. */
const missingCodes = /^(42703|42P01|3F000|ER_BAD_FIELD_ERROR|ER_NO_SUCH_TABLE|ER_BAD_DB_ERROR)$/

/** The code of the driver's error, which is the last cause. */
const codeOf = (error: unknown): string => {
  if (!(error instanceof Error)) return ''
  return error.cause === undefined ? String('code' in error && error.code) : codeOf(error.cause)
}
