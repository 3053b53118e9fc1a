import { type CpuLimit, cpuLimitMs, createCpuMeter } from '#ingest'
import type { Cell } from '#mapping'
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
    requireTexts([sql, deleted, reconcile?.sql], query, lexicon)
    for (const { from } of query.mapping.join ?? []) {
      if (from.sql) requireTexts([from.sql.sql], { ...query, origin: from.sql }, lexicon)
    }
  }
}

const requireTexts = (
  texts: readonly (string | null | undefined)[],
  query: SyncQuery,
  lexicon: SourceDialect['lexicon'],
): void => {
  try {
    for (const text of texts) if (text) requireReading(text, lexicon)
  } catch (error) {
    throw placed(error, query)
  }
}

export interface QueryParts {
  readonly snapshot: Snapshot
  /** For the rows of each query; the common limit by default. */
  readonly cpuMs?: CpuLimit | undefined
}

/**
 * Begins to read a query of a mapping. Its errors name the line of the mapping that has it. Throws
 * `SourceError` once the caller has used too much CPU time for its rows.
 */
export const runMappedQuery = async (
  { snapshot, cpuMs = cpuLimitMs }: QueryParts,
  sql: string,
  query: SyncQuery,
): Promise<SourceTable> => {
  try {
    const { columns, batches } = await snapshot.query(sql)
    const placedBatches = async function* () {
      const meter = createCpuMeter(cpuMs, null)
      try {
        for await (const batch of batches) {
          for (const cells of batch) for (const cell of cells) meter.read(lengthOf(cell))
          const endWork = meter.begin()
          yield batch
          endWork()
          meter.check()
        }
      } catch (error) {
        throw placed(error, query)
      }
    }
    return { columns, batches: placedBatches() }
  } catch (error) {
    throw placed(error, query)
  }
}

/** About as many bytes as the source has sent for it. */
const lengthOf = (cell: Cell): number => {
  if (typeof cell === 'string') return cell.length
  return typeof cell === 'object' ? JSON.stringify(cell).length : 8
}

const placed = (error: unknown, { name, mapping, origin }: SyncQuery): unknown =>
  error instanceof SourceDatabaseError
    ? new SourceDatabaseError(
        `${mapping.file}:${origin.line} ${name}: ${error.message}`,
        error.isTransient,
        { cause: error },
      )
    : error
