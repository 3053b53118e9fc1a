import { type Snapshot, SourceDatabaseError, type SourceTable } from './source-database.ts'
import type { SyncQuery } from './sync-state.ts'

/** Begins to read a query of a mapping. Its errors name the line of the mapping that has it. */
export const runMappedQuery = async (
  snapshot: Snapshot,
  sql: string,
  { name, mapping, origin }: SyncQuery,
): Promise<SourceTable> => {
  const placed = (error: unknown): unknown =>
    error instanceof SourceDatabaseError
      ? new SourceDatabaseError(
          `${mapping.file}:${origin.line} ${name}: ${error.message}`,
          error.isTransient,
          { cause: error },
        )
      : error
  try {
    const { columns, batches } = await snapshot.query(sql)
    const placedBatches = async function* () {
      try {
        yield* batches
      } catch (error) {
        throw placed(error)
      }
    }
    return { columns, batches: placedBatches() }
  } catch (error) {
    throw placed(error)
  }
}
