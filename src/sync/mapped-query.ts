import { requireReading } from './reading-statement.ts'
import {
  type Snapshot,
  SourceDatabaseError,
  type SourceDialect,
  type SourceTable,
} from './source-database.ts'
import type { SyncQuery } from './sync-state.ts'

/** Refuses a mapping with a text that is not a query, before its database is connected to. */
export const requireReadingQueries = (
  queries: readonly SyncQuery[],
  { lexicon }: SourceDialect,
): void => {
  for (const query of queries) {
    const { sql, deleted, reconcile } = query.origin
    try {
      for (const text of [sql, deleted, reconcile?.sql]) if (text) requireReading(text, lexicon)
    } catch (error) {
      throw placed(error, query)
    }
  }
}

/** Begins to read a query of a mapping. Its errors name the line of the mapping that has it. */
export const runMappedQuery = async (
  snapshot: Snapshot,
  sql: string,
  query: SyncQuery,
): Promise<SourceTable> => {
  try {
    const { columns, batches } = await snapshot.query(sql)
    const placedBatches = async function* () {
      try {
        yield* batches
      } catch (error) {
        throw placed(error, query)
      }
    }
    return { columns, batches: placedBatches() }
  } catch (error) {
    throw placed(error, query)
  }
}

const placed = (error: unknown, { name, mapping, origin }: SyncQuery): unknown =>
  error instanceof SourceDatabaseError
    ? new SourceDatabaseError(
        `${mapping.file}:${origin.line} ${name}: ${error.message}`,
        error.isTransient,
        { cause: error },
      )
    : error
