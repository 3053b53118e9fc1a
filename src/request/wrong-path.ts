import { ApiError, basePath, type Catalog, patterns, queryBasePath } from '#contract'
import { closeGroups, sameGroup } from './close-groups.ts'
import { listByTitle } from './record-id.ts'
import { nearest } from './suggestion.ts'

const nothing = 'There is nothing at this path.'
const allPaths = (base: string): string => `${base}/openapi.json lists all paths.`
const everything = allPaths(basePath)

/**
 * The 404 of a path without a route. Uses only the names of the groups, which are public: such
 * paths need no key.
 */
export const wrongPath =
  (catalog: Catalog) =>
  (path: string): ApiError => {
    const hint = hintFor(catalog, path.split('/').slice(1))
    return new ApiError('not_found', hint ? `${nothing} ${hint}` : nothing)
  }

const baseSegments = basePath.split('/').slice(1)

const querySegments = queryBasePath.split('/').slice(1)

const hintFor = (catalog: Catalog, segments: readonly string[]): string | undefined => {
  if (querySegments.every((segment, index) => segments[index] === segment)) {
    return inQueryApi(catalog, segments.slice(querySegments.length))
  }
  const isApi = baseSegments.every((segment, index) => segments[index] === segment)
  const [brands, , group, id] = segments.slice(baseSegments.length)
  if (isApi && brands === 'brands') {
    return group === undefined
      ? `/whoami lists the brands of your key. ${everything}`
      : inBrand(catalog, group, id)
  }
  const meant = meantPath(catalog, segments)
  if (meant !== undefined) return `Did you mean ${meant}? ${everything}`
  return segments[0] === 'api' ? everything : undefined
}

const inBrand = (catalog: Catalog, group: string, id: string | undefined): string => {
  if (group === '') return 'Leave out the slash at the end.'
  const resource = catalog.byPath.get(group)
  if (resource && !resource.endpoints.includes('get') && id !== undefined) {
    return `${group} has no records by id: a record is identified by ${resource.key.join(' and ')}. Use its list with filters.`
  }
  if (resource) return everything
  const meant = closeGroups(catalog, group)
  return meant.length > 0
    ? `Did you mean ${meant.join(', ')}? ${everything}`
    : `There is no such group. ${everything}`
}

/** Lists of the query API, and the paths below each list. */
const queryPaths = ['search', 'today']
const listPaths = ['summary', 'download']

const inQueryApi = (catalog: Catalog, segments: readonly string[]): string => {
  const all = allPaths(queryBasePath)
  const [brands, , group, part] = segments
  if (brands !== 'brands' || group === undefined) {
    return `Every path begins with ${queryBasePath}/brands/{brand}/. ${all}`
  }
  const resource = catalog.byPath.get(group)
  if (!resource?.endpoints.includes('list')) {
    const meant = closeGroups(catalog, group)[0] ?? nearest(group, queryPaths)
    return meant === undefined ? `There is no such group. ${all}` : `Did you mean ${meant}? ${all}`
  }
  if (!part) return all
  const meant = nearest(part, listPaths)
  if (meant !== undefined) return `Did you mean ${group}/${meant}? ${all}`
  const list = listByTitle(resource, part)
  const byTitle = list ? `To find a record by its ${list.filter.name}, use ${list.target}. ` : ''
  return `${byTitle}One record by its id is at ${basePath}/brands/{brand}/${group}/{id}. ${all}`
}

/** Segments that may precede the brand: `api`, the name of an API, its version and `brands`. */
const isPrefix = /^(api|rest|public|feed|brands?|v?\d+(\.\d+)*)$/i
const brandSlug = new RegExp(patterns.brand)
const plainId = /^[\w.~-]{1,100}$/

/**
 * The path that one with another prefix meant: `/api/public/v2/brands/aldermoor/orders`,
 * `/v1/aldermoor/orders`, `/orders`. Does not echo segments that cannot be a brand or an id.
 */
const meantPath = (catalog: Catalog, segments: readonly string[]): string | undefined => {
  const start = segments.findIndex((segment) => !isPrefix.test(segment))
  if (start === -1) return undefined
  const [first = '', second, third] = segments.slice(start)
  const isBrand = brandSlug.test(first)
  const brand = `${basePath}/brands/${isBrand ? first : '{brand}'}`
  const group = second === undefined ? undefined : sameGroup(catalog, second)
  if (group !== undefined) return `${brand}/${group}${plainSegment(third)}`
  const alone = sameGroup(catalog, first)
  if (alone !== undefined) return `${basePath}/brands/{brand}/${alone}${plainSegment(second)}`
  const isBrandAlone =
    isBrand && second === undefined && /^brands?$/i.test(segments[start - 1] ?? '')
  return isBrandAlone ? brand : undefined
}

const plainSegment = (segment: string | undefined): string =>
  segment !== undefined && plainId.test(segment) ? `/${segment}` : ''
