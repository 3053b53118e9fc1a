import type { CollectionResult, Report } from '#ingest'
import type { CollectionCounts, UnitResult } from './batch.ts'

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
): UnitResult => ({
  collections: isWritten ? collections.map(countsOf) : [],
  problems: first.filter(({ severity }) => severity === 'error').slice(0, keptProblems),
  problemCount: errors,
})
