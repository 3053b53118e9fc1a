import { documentLimits, patterns, type Resource } from '#contract'
import { cut, parseQuery, rejectProblems } from './query-string.ts'
import { isDate } from './query-values.ts'
import { pathIdParameter } from './record-id.ts'
import { unknownParameter } from './unknown-parameter.ts'

export interface DocumentParameters {
  /** The day to use as today; null for today itself. */
  readonly asOf: string | null
  /** Rows of a section. */
  readonly limit: number
}

const names = ['limit', 'asOf']
const limitPattern = new RegExp(patterns.pageSize)

/** Parses the parameters of a record's document, with the id in its path. */
export const documentParameters = (resource: Resource) => {
  const checkId = pathIdParameter(resource)
  return (queryText: string, id: string): DocumentParameters => {
    const query = parseQuery(queryText)
    const idProblem = checkId(id)
    const problems = [...query.problems, ...(idProblem ? [idProblem] : [])]
    let unknownCount = 0
    for (const name of query.values.keys()) {
      if (names.includes(name)) continue
      const issue = unknownParameter(name, names, unknownCount++)
      problems.push({ parameter: cut(name), issue })
    }
    const asOf = query.values.get('asOf') ?? null
    if (asOf !== null && !isDate(asOf)) {
      problems.push({ parameter: 'asOf', issue: 'must be a date such as 2026-03-01' })
    }
    const { minimum, maximum, default: standard } = documentLimits.rows
    const limit = query.values.get('limit')
    if (limit !== undefined && !limitPattern.test(limit)) {
      const issue = `must be a whole number from ${minimum} to ${maximum}`
      problems.push({ parameter: 'limit', issue })
    }
    rejectProblems(problems)
    return { asOf, limit: limit === undefined ? standard : Number(limit) }
  }
}
