import {
  catalog,
  filteredField,
  type QueryParameterKind,
  queryParametersOf,
  type Resource,
} from '#contract'
import { cut, nearest, type ParameterProblem, rejectProblems } from '#request'
import { type FilterArguments, unknownNames } from './arguments.ts'
import { callOf, callText } from './tool.ts'

export const filtersArgument = {
  kind: 'filters',
  meaning:
    'values that records must have, by filter name, an array for one of several; also ranges, such as {"orderDate.gte": "2026-01-01", "status": ["sent", "confirmed"]}',
} as const

/** Filters as parameters of the query API. */
export type FilterValues = { readonly [name: string]: string | number }

/** The parameters of the query API that agents pass as filters. */
const selectingKinds: ReadonlySet<QueryParameterKind> = new Set([
  ...(['filter', 'range', 'in', 'null', 'prefix', 'updatedSince', 'viewParameter'] as const),
])

/** Validates filters. An array becomes the values of `in`, as the API takes them. */
export const readFilters = (resource: Resource, args: FilterArguments = {}): FilterValues => {
  if (!resource.endpoints.includes('list')) {
    rejectProblems([
      { parameter: 'group', issue: `${resource.path} cannot be listed. Call get_record instead` },
    ])
  }
  const validNames = queryParametersOf(resource)
    .filter(({ kind }) => selectingKinds.has(kind))
    .map(({ name }) => name)
  const unknown = Object.keys(args).filter((name) => !validNames.includes(name))
  const issues = unknownNames(unknown, validNames, () => ({
    unknown: `is not a filter of ${resource.path}`,
    all: `It has the filters ${validNames.join(', ') || 'none'}`,
  }))
  rejectProblems(issues.map((issue, index) => ({ parameter: cut(unknown[index] ?? ''), issue })))
  const problems: ParameterProblem[] = []
  const filters: { [name: string]: string | number } = {}
  for (const [name, value] of Object.entries(args)) {
    const severalName = name.endsWith('.in') ? name : `${name}.in`
    const parameter = Array.isArray(value) ? severalName : name
    const issue = Array.isArray(value) ? arrayIssue(validNames.includes(severalName), value) : ''
    if (issue !== '') problems.push({ parameter: name, issue })
    else if (parameter !== name && Object.hasOwn(args, parameter)) {
      problems.push({ parameter: name, issue: `is given twice: ${parameter} is the same` })
    }
    filters[parameter] = Array.isArray(value) ? value.join(',') : (value as string | number)
  }
  const { length } = JSON.stringify(filters)
  if (length > filtersMax) {
    const issue = `must have at most ${filtersMax.toLocaleString('en')} characters, and have ${length.toLocaleString('en')}`
    problems.push({ parameter: 'filters', issue })
  }
  rejectProblems(problems)
  return filters
}

/** A result repeats the filters in its calls, beside the records. */
const filtersMax = 8_000

const arrayIssue = (canHaveSeveral: boolean, values: readonly (string | number)[]): string => {
  if (!canHaveSeveral) return 'takes one value, not an array'
  if (values.length === 0) return 'must not be an empty array'
  return values.some((value) => String(value).includes(','))
    ? 'has a value with a comma, which can only be passed alone'
    : ''
}

/** Hints for filters that match nothing: known values, and how to find other spellings. */
export const hintsFor = (
  brand: string,
  resource: Resource,
  filters: FilterValues = {},
): readonly string[] => {
  const used = resource.filters.flatMap((filter) => {
    const value = filters[filter.name] ?? filters[`${filter.name}.in`]
    return value === undefined ? [] : [{ filter, values: String(value).split(',') }]
  })
  const hints = used.flatMap(({ filter, values }) => {
    const validValues = filteredField(catalog, resource, filter)?.values ?? []
    const unknown = values.find((value) => !validValues.includes(value))
    if (unknown === undefined || validValues.length === 0) return []
    const meant = nearest(unknown, validValues)
    const hint = `Known values of ${filter.name}: ${validValues.join(', ')}`
    return [meant ? `${hint}; did you mean ${meant}?` : `${hint}.`]
  })
  const text = used.find(({ filter }) => filter.kind === 'string')
  if (hints.length > 0 || text === undefined) return hints
  return [
    'Filters match exact values and are case-sensitive.',
    ...waysToFind(brand, resource, text),
  ]
}

const waysToFind = (
  brand: string,
  resource: Resource,
  { filter, values }: { readonly filter: Resource['filters'][number]; readonly values: string[] },
): readonly string[] => {
  const groups = [resource.path]
  const search = callText(callOf('search', { brand, query: cut(values[0] ?? ''), groups }))
  const prefix = `${filter.name}.startsWith`
  const ways = [
    ...(resource.searchable.includes(filter.name) ? [`${search} finds other spellings`] : []),
    ...(queryParametersOf(resource).some(({ name }) => name === prefix)
      ? [`the filter ${prefix} finds beginnings in any case`]
      : []),
  ]
  return ways.length > 0 ? [`${ways.join(', and ')}.`] : []
}
