import {
  type Catalog,
  type GroupScope,
  type Resource,
  requireGroups,
  searchLimitPattern,
  searchLimits,
} from '#contract'
import { closeGroups } from './close-groups.ts'
import { cut, type ParameterProblem, parseQuery, rejectProblems } from './query-string.ts'
import { unknownParameter } from './unknown-parameter.ts'

/** The parsed parameters of a search. */
export interface SearchParameters {
  readonly query: string
  readonly limit: number
  /** The searched groups, in catalog order; null for all. A limited key searches those it may read. */
  readonly groups: readonly Resource[] | null
}

const names = ['q', 'limit', 'groups']
const lists = ['groups']
const limitText = new RegExp(searchLimitPattern)

/** Parses the parameters of a search. */
export const searchParameters = (served: Catalog) => {
  const searchable = served.resources.filter((resource) => resource.searchable.length > 0)
  return (queryText: string, scope: GroupScope): SearchParameters => {
    const { values, problems: malformed } = parseQuery(queryText, lists)
    const problems: ParameterProblem[] = [...malformed]
    const broken = new Set(problems.map(({ parameter }) => parameter))
    const report = (parameter: string, issue: string | undefined) => {
      if (issue !== undefined && !broken.has(parameter)) problems.push({ parameter, issue })
    }
    const query = values.get('q')
    report('q', queryIssue(query))
    const limit = values.get('limit')
    const { minimum, maximum, default: usual } = searchLimits.limit
    if (limit !== undefined && !limitText.test(limit)) {
      report('limit', `must be a whole number from ${minimum} to ${maximum}`)
    }
    const groups = values.get('groups')?.split(',')
    for (const group of new Set(groups)) report('groups', groupIssue(served, searchable, group))
    let unknownCount = 0
    for (const name of values.keys()) {
      if (!names.includes(name)) report(cut(name), unknownParameter(name, names, unknownCount++))
    }
    rejectProblems(problems)
    requireGroups(scope, groups ?? [])
    const isSearched = ({ path }: Resource) => (groups ? groups.includes(path) : scope.has(path))
    return {
      query: query ?? '',
      limit: limit === undefined ? usual : Number(limit),
      groups: groups || !scope.isWhole ? searchable.filter(isSearched) : null,
    }
  }
}

const letterOrDigit = /[\p{L}\p{N}]/u

const queryIssue = (text: string | undefined): string | undefined => {
  const { minLength, maxLength } = searchLimits.query
  if (text === undefined) {
    return 'is missing: it is what to search for, for example q=PO-5512 or q=oxford shirt'
  }
  if (text.length < minLength) return 'must not be empty'
  // Counts characters as people do, not UTF-16 units.
  if (text.length > maxLength * 2 || [...text].length > maxLength) {
    return `must have at most ${maxLength} characters`
  }
  return letterOrDigit.test(text) ? undefined : 'must have a letter or a digit'
}

const groupIssue = (
  served: Catalog,
  searchable: readonly Resource[],
  group: string,
): string | undefined => {
  if (searchable.some(({ path }) => path === group)) return undefined
  const quoted = JSON.stringify(cut(group))
  if (served.byPath.has(group)) {
    return `names ${quoted}, whose records have no numbers, codes or names of their own to search for`
  }
  const meant = closeGroups(served, group)
  const advice = meant.length > 0 ? `; did you mean ${meant.join(', ')}?` : ''
  return `names ${quoted}, which is not a group${advice}`
}
