import { catalog, queryBasePath, queryParametersOf, type Resource, referencesOf } from '#contract'
import { lettersOf, nearest, unknownName } from './suggestion.ts'

/** Names of other APIs for this API's parameters. */
const otherNames: { readonly [letters: string]: string } = {
  pagesize: 'limit',
  perpage: 'limit',
  size: 'limit',
  count: 'limit',
  top: 'limit',
  max: 'limit',
  maxresults: 'limit',
  page: 'cursor',
  pagenumber: 'cursor',
  pagetoken: 'cursor',
  nextcursor: 'cursor',
  offset: 'cursor',
  skip: 'cursor',
  start: 'cursor',
  startingafter: 'cursor',
  after: 'cursor',
  expand: 'include',
  embed: 'include',
  with: 'include',
  populate: 'include',
  sortby: 'sort',
  order: 'sort',
  orderby: 'sort',
}

const whatTheyAre: { readonly [name: string]: string } = {
  limit: 'the number of records of a page is limit',
  cursor: 'the next page is at the nextCursor of this one: pass it as cursor',
  include: 'records that are referred to are added by include',
}

/**
 * The problem with a parameter that its path does not take: suggests what was probably meant, or
 * where to find it. The first of a request (`index` 0) also lists all parameters of the path.
 * Depends only on the contract, which is public.
 */
export const unknownParameter = (
  name: string,
  names: readonly string[],
  index: number,
  resource?: Resource,
): string => {
  if (names.length === 0) return 'is not a parameter here: this path takes none'
  const isList = names.includes('limit')
  return unknownName(name, names, index, {
    unknown: 'is not a parameter here',
    all: `This path takes ${names.join(', ')}`,
    hint: () =>
      inOtherNotation(name, names) ??
      otherName(name, names) ??
      (resource && isList ? (inQueryApi(resource, name) ?? elsewhere(resource, name)) : undefined),
  })
}

const inOtherNotation = (name: string, names: readonly string[]): string | undefined => {
  const meant = nearest(name, names)
  return meant && lettersOf(meant) === lettersOf(name) ? `did you mean ${meant}?` : undefined
}

const otherName = (name: string, names: readonly string[]): string | undefined => {
  const letters = lettersOf(name)
  const meant = Object.hasOwn(otherNames, letters) ? otherNames[letters] : undefined
  return meant && names.includes(meant) ? whatTheyAre[meant] : undefined
}

/** Explains what only the lists of the query API take, such as `sort`, and where they are. */
const inQueryApi = (resource: Resource, name: string): string | undefined => {
  const letters = lettersOf(name)
  const meant = Object.hasOwn(otherNames, letters) ? otherNames[letters] : name
  return queryParametersOf(resource).some((parameter) => parameter.name === meant)
    ? `the query API takes it: ${queryBasePath}/brands/{brand}/${resource.path}?${meant}=…`
    : undefined
}

const groupsMax = 3

/** Explains a field without a filter, or a filter of a connected group. */
const elsewhere = (resource: Resource, name: string): string | undefined => {
  if (Object.hasOwn(resource.fields, name)) {
    return `it is a field of ${resource.path}, but lists are not filtered by it`
  }
  const hasFilter = (path: string) =>
    catalog.byPath.get(path)?.filters.some((filter) => filter.name === name) ?? false
  const owner = referencesOf(resource).find(
    ({ to, field }) => hasFilter(to) && resource.filters.some((filter) => filter.field === field),
  )
  const via = owner && resource.filters.find(({ field }) => field === owner.field)
  if (owner && via) {
    return `it is a filter of ${owner.to}: list ${owner.to}?${name}=… and use ${via.name} here`
  }
  const users = catalog.resources.flatMap((other) => {
    const reference = referencesOf(other).find(({ to }) => to === resource.path)
    return reference && hasFilter(other.path) ? [`${other.path} (see its ${reference.field})`] : []
  })
  if (users.length === 0) return undefined
  return `it is a filter of groups that refer to ${resource.path}: ${users.slice(0, groupsMax).join(', ')}`
}
