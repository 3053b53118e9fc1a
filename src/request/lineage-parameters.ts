import { type Directions, lineageDirections, lineageLimits, type Resource } from '#contract'
import { namedOfRecord, wholeAt } from './named-parameters.ts'
import { rejectProblems } from './query-string.ts'

export interface LineageParameters {
  readonly directions: Directions
  /** Steps from the record; null for no limit. */
  readonly depth: number | null
  /** Maximum number of records, including the start. */
  readonly limit: number
  /** Identities of records that come first in a truncated list. */
  readonly first: ReadonlySet<string>
}

const names = ['direction', 'depth', 'limit', 'first']

/** Parses the parameters of a record's lineage, with the id in its path. */
export const lineageParameters = (resource: Resource) => {
  const parse = namedOfRecord(resource, names)
  return (queryText: string, id: string): LineageParameters => {
    const named = parse(queryText, id)
    const { values, problems } = named
    const direction = values.get('direction') ?? 'both'
    if (!lineageDirections.some((each) => each === direction)) {
      const issue = `must be one of ${lineageDirections.join(', ')}`
      problems.push({ parameter: 'direction', issue })
    }
    const first = values.get('first')?.split(',') ?? []
    if (first.length > lineageLimits.first) {
      const issue = `has ${first.length} identities; at most ${lineageLimits.first} are possible`
      problems.push({ parameter: 'first', issue })
    }
    const depth = wholeAt(named, 'depth', lineageLimits.depth)
    const limit = wholeAt(named, 'limit', lineageLimits.records) ?? lineageLimits.records.default
    rejectProblems(problems)
    const directions = { up: direction !== 'down', down: direction !== 'up' }
    return { directions, depth, limit, first: new Set(first) }
  }
}
