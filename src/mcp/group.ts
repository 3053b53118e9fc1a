import { ApiError, catalog, type Resource } from '#contract'
import { closeGroups, cut, idParameter, listByTitle, rejectProblems } from '#request'
import { unknownNames } from './arguments.ts'
import { callOf, callText } from './tool.ts'

export const groupArgument = {
  kind: 'text',
  required: true,
  meaning: 'path of the group, such as orders or order-items; list_groups lists them all',
} as const

export const brandArgument = {
  kind: 'text',
  meaning: 'slug of the brand; required if you can read more than one',
} as const

export const idArgument = {
  kind: 'text',
  meaning: "the record's id, as in the record itself or in a reference to it",
} as const

/** The group at a path. Throws with suggestions if it does not exist. */
export const groupAt = (path: string): Resource => {
  const resource = catalog.byPath.get(path)
  if (resource) return resource
  const meant = closeGroups(catalog, path)
  const hint =
    meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : 'list_groups lists all groups.'
  throw new ApiError('not_found', `There is no group ${JSON.stringify(cut(path))}. ${hint}`, {
    details: { parameter: 'group', closeMatches: meant },
  })
}

/** Rejects an invalid id with advice on how to find a record of the group. */
export const checkId = (resource: Resource, id: string | undefined): string => {
  const { path, key, lookup, endpoints } = resource
  if (lookup) return ''
  if (!endpoints.includes('get')) {
    const sole = `${path} has no record by id: a record is identified by ${key.join(' and ')}`
    rejectProblems([
      { parameter: 'group', issue: `${sole}. Call list_records with filters instead` },
    ])
  }
  const problem =
    id === undefined ? { parameter: 'id', issue: 'is missing' } : idParameter(resource)(id)
  if (problem) {
    const hint = problem.issue.endsWith('?') ? '' : howToFind(resource, id)
    rejectProblems([{ ...problem, issue: problem.issue + hint }])
  }
  return id ?? ''
}

/** People know a record by its number or name, which may be a filter. */
const howToFind = (resource: Resource, text = '…'): string => {
  const list = listByTitle(resource, text)
  if (!list) return ''
  const { filter, value } = list
  const call = callOf('list_records', { group: resource.path, filters: { [filter.name]: value } })
  return `. To find a record by its ${filter.name}, call ${callText(call)}`
}

/** Rejects unknown names. */
export const checkNames = (
  parameter: string,
  names: readonly string[],
  validNames: readonly string[],
  what: string,
): void => {
  const issues = unknownNames(names, validNames, (name) => ({
    unknown: `names ${JSON.stringify(cut(name))}, which is not a ${what}`,
    all: validNames.length > 0 ? `It has ${validNames.join(', ')}` : 'It has none',
  }))
  rejectProblems(issues.map((issue) => ({ parameter, issue })))
}

/** The name of a record: its title, or its identity. */
export const titleOf = (
  { title, key, name }: Resource,
  record: { readonly [field: string]: unknown },
): string => {
  const own = title === undefined ? null : record[title]
  if (own !== null && own !== undefined && own !== '') return String(own).slice(0, titleMax)
  return `${name} ${key.map((field) => String(record[field] ?? '').slice(0, 8)).join(' ')}`
}

const titleMax = 120
