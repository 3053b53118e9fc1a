import { ApiError, catalog, type Resource } from '#contract'
import { cut, idParameter, nearest, rejectProblems } from '#request'
import { unknownNames } from './arguments.ts'

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

/** The group at a path. Throws with suggestions if there is none. */
export const groupAt = (path: string): Resource => {
  const resource = catalog.byPath.get(path)
  if (resource) return resource
  const meant = closeTo(path)
  const hint =
    meant.length > 0 ? `Did you mean ${meant.join(', ')}?` : 'list_groups lists all groups.'
  throw new ApiError('not_found', `There is no group ${JSON.stringify(cut(path))}. ${hint}`, {
    details: { parameter: 'group', closeMatches: meant },
  })
}

const closeMax = 5

/** Paths with a similar spelling or a common word, the nearest first. */
const closeTo = (path: string): readonly string[] => {
  const paths = [...catalog.byPath.keys()]
  const wanted = plain(path)
  const near = nearest(path.toLowerCase().replaceAll(/[\s_]+/g, '-'), paths)
  const same = catalog.resources
    .filter(({ group, name }) => plain(group) === wanted || plain(name) === wanted)
    .map((each) => each.path)
  const alike =
    wanted.length < 3
      ? []
      : paths.filter((each) => plain(each).includes(wanted) || wanted.includes(plain(each)))
  return [...new Set([...(near ? [near] : []), ...same, ...alike])].slice(0, closeMax)
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^a-z0-9]/g, '')

/** Refuses an invalid id, and says how to find a record of the group. */
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
  if (problem) rejectProblems([{ ...problem, issue: problem.issue + howToFind(resource) }])
  return id ?? ''
}

/** People know a record by its number or name, which may be a filter. */
const howToFind = ({ path, title, filters }: Resource): string =>
  filters.some(({ name }) => name === title)
    ? `. To find a record by its ${title}, call list_records with {"group": "${path}", "filters": {"${title}": "…"}}`
    : ''

/** Refuses names that are not among the known ones. */
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
