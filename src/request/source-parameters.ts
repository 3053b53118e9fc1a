import { type Catalog, type GroupScope, requireGroups, sourcePageSize } from '#contract'
import { closeGroups } from './close-groups.ts'
import { cut, type ParameterProblem, parseQuery, rejectProblems } from './query-string.ts'
import { unknownParameter } from './unknown-parameter.ts'

/** The parsed parameters of a page of quarantined rows. */
export interface SourceRowsParameters {
  readonly limit: number
  /** Only rows of this group. */
  readonly group: string | undefined
  /** The id of the last row of the page before. */
  readonly cursor: string | undefined
}

/** Parses the parameters of the last units. */
export const sourceUnitsParameters = (queryText: string): { readonly limit: number } => {
  const { limit, problems } = parsePage(queryText, ['limit'])
  rejectProblems(problems)
  return { limit }
}

/** Parses the parameters of a page of quarantined rows. */
export const sourceRowsParameters =
  (served: Catalog) =>
  (queryText: string, scope: GroupScope): SourceRowsParameters => {
    const { values, limit, problems } = parsePage(queryText, ['limit', 'cursor', 'group'])
    const group = values.get('group')
    if (group !== undefined && !served.byPath.has(group)) {
      const meant = closeGroups(served, group)
      const advice = meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : ''
      const issue = `names ${JSON.stringify(cut(group))}, which is not a group${advice}`
      problems.push({ parameter: 'group', issue })
    }
    const cursor = values.get('cursor')
    if (cursor !== undefined && !rowId.test(cursor)) {
      problems.push({ parameter: 'cursor', issue: 'must be nextCursor of the page before' })
    }
    rejectProblems(problems)
    if (group !== undefined) requireGroups(scope, [group])
    return { limit, group, cursor }
  }

const rowId = /^[\w-]{1,64}$/

const parsePage = (queryText: string, names: readonly string[]) => {
  const { values, problems: malformed } = parseQuery(queryText)
  const problems: ParameterProblem[] = [...malformed]
  let unknownCount = 0
  for (const name of values.keys()) {
    if (names.includes(name)) continue
    problems.push({ parameter: cut(name), issue: unknownParameter(name, names, unknownCount++) })
  }
  const { minimum, maximum, default: usual } = sourcePageSize
  const text = values.get('limit')
  const limit = text === undefined ? usual : /^[1-9]\d?$/.test(text) ? Number(text) : 0
  if (limit < minimum || limit > maximum) {
    const issue = `must be a whole number from ${minimum} to ${maximum}`
    problems.push({ parameter: 'limit', issue })
  }
  return { values, limit, problems }
}
