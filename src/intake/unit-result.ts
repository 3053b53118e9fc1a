import type { CollectionResult, KeptChange, Report } from '#ingest'
import type { CollectionCounts, UnitResult } from './batch.ts'

/** What a unit did, with its first changes. */
export interface KeptResult extends UnitResult {
  readonly changes?: readonly KeptChange[]
}

export const countsOf = (result: CollectionResult): CollectionCounts => {
  const { collection, read, added, changed, unchanged, removed, ...rest } = result
  const { parked, unparked, quarantined } = rest
  return { collection, read, added, changed, unchanged, removed, parked, unparked, quarantined }
}

/** People see the first problem; the reports have all. */
export const keptProblems = 3

/** The result of a unit that is not a batch. One that is refused has changed nothing. */
export const unitResult = (
  collections: readonly CollectionResult[],
  { errors, first }: Pick<Report, 'errors' | 'first'>,
  isWritten: boolean,
  changes: readonly KeptChange[] = [],
): KeptResult => ({
  collections: isWritten ? collections.map(countsOf) : [],
  problems: first.filter(({ severity }) => severity === 'error').slice(0, keptProblems),
  problemCount: errors,
  ...(isWritten && changes.length > 0 && { changes }),
})
