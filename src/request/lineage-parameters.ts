import { type Directions, lineageDirections, lineageLimits, type Resource } from '#contract'
import { cut, parseQuery, rejectProblems } from './query-string.ts'
import { pathIdParameter } from './record-id.ts'
import { unknownParameter } from './unknown-parameter.ts'

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
  const checkId = pathIdParameter(resource)
  return (queryText: string, id: string): LineageParameters => {
    const { values, problems: malformed } = parseQuery(queryText)
    const idProblem = checkId(id)
    const problems = [...malformed, ...(idProblem ? [idProblem] : [])]
    let unknownCount = 0
    for (const name of values.keys()) {
      if (names.includes(name)) continue
      const issue = unknownParameter(name, names, unknownCount++)
      problems.push({ parameter: cut(name), issue })
    }
    const wholeAt = (parameter: string, range: { minimum: number; maximum: number }) => {
      const text = values.get(parameter)
      if (text === undefined) return null
      const number = /^[1-9]\d{0,2}$/.test(text) ? Number(text) : 0
      if (number >= range.minimum && number <= range.maximum) return number
      const issue = `must be a whole number from ${range.minimum} to ${range.maximum}`
      problems.push({ parameter, issue })
      return null
    }
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
    const depth = wholeAt('depth', lineageLimits.depth)
    const limit = wholeAt('limit', lineageLimits.records) ?? lineageLimits.records.default
    rejectProblems(problems)
    const directions = { up: direction !== 'down', down: direction !== 'up' }
    return { directions, depth, limit, first: new Set(first) }
  }
}
