import { ApiError, basePath, type Catalog } from '#contract'
import { cut, nearest } from './query-string.ts'

const prefix = `${basePath}/brands/`
const nothing = 'There is nothing at this path.'
const everything = `${basePath}/openapi.json lists all paths.`

/**
 * The 404 of a path without a route. Only the names of the groups, which are public, are used for
 * it: such paths are requested without a key.
 */
export const wrongPath =
  ({ byPath }: Catalog) =>
  (path: string): ApiError => {
    if (!path.startsWith(basePath)) return new ApiError('not_found', nothing)
    const [, group, id] = path.startsWith(prefix) ? path.slice(prefix.length).split('/', 4) : []
    if (group === undefined) return new ApiError('not_found', `${nothing} ${everything}`)
    return new ApiError('not_found', `${nothing} ${hintFor(byPath, group, id)}`)
  }

const hintFor = (byPath: Catalog['byPath'], group: string, id: string | undefined): string => {
  if (group === '') return 'Leave out the slash at the end.'
  const resource = byPath.get(group)
  if (resource && !resource.endpoints.includes('get') && id !== undefined) {
    return `${group} has no records by id: a record is identified by ${resource.key.join(' and ')}. Use its list with filters.`
  }
  if (resource) return everything
  const meant = nearest(inKebabCase(group), [...byPath.keys()])
  return meant ? `Did you mean ${meant}?` : `There is no such group. ${everything}`
}

/** `orderItems` and `order_items` as paths are written. */
const inKebabCase = (name: string): string =>
  cut(name)
    .replaceAll(/([a-z])([A-Z])/g, '$1-$2')
    .replaceAll('_', '-')
    .toLowerCase()
