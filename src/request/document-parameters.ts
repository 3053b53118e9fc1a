import { documentLimits, type Resource } from '#contract'
import { dayAt, namedOfRecord, wholeAt } from './named-parameters.ts'
import { rejectProblems } from './query-string.ts'

export interface DocumentParameters {
  /** The day to use as today; null for today itself. */
  readonly asOf: string | null
  /** Rows of a section. */
  readonly limit: number
}

const names = ['limit', 'asOf']

/** Parses the parameters of a record's document, with the id in its path. */
export const documentParameters = (resource: Resource) => {
  const parse = namedOfRecord(resource, names)
  return (queryText: string, id: string): DocumentParameters => {
    const named = parse(queryText, id)
    const asOf = dayAt(named, 'asOf')
    const limit = wholeAt(named, 'limit', documentLimits.rows) ?? documentLimits.rows.default
    rejectProblems(named.problems)
    return { asOf, limit }
  }
}
