import type { Resource } from '#contract'
import type { Cursors } from '#cursors'
import { encodeValue, type ListParameters, listParameters } from '#request'
import type { Key, Store } from '#store'
import { endStage } from '../context.ts'
import { furtherGroups } from '../further-groups.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface ListParts {
  readonly store: Store
  readonly cursors: Cursors
  readonly etags: Etags
}

export const itemsStart = Buffer.from('{"items":[')

/** A page of a collection. */
export const listHandler = (
  { store, cursors, etags }: ListParts,
  resource: Resource,
): KeyedHandler => {
  const parse = listParameters(resource)
  return async ({ ctx, match, grant, brand, reserve, isCancelled }) => {
    const parameters = parse(match.query, grant.scope)
    const { filters, limit, include } = parameters
    const walk = { brand, collection: resource.path, filters }
    const after = parameters.cursor === null ? null : cursors.open(walk, parameters.cursor)
    endStage(ctx, 'read')

    const target = targetOf(resource, parameters, after)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const state = await store.state({ resource, brand, filters: filters.keys(), include })
      const tag = etags.of(brand, target, state.version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState: state.readState }
      }
    }
    const list = { resource, brand, filters, limit, after, include, reserve, isCancelled }
    const { items, count, next, total, version, readState } = await store.list(list)
    endStage(ctx, 'run')

    const tag = etags.of(brand, target, version)
    const read = { records: count, groups: furtherGroups(resource, parameters) }
    if (next === null) {
      const body = [itemsStart, items, endOf('null', total)]
      return { body, tag, readState, totalItems: total, ...read }
    }
    const cursor = cursors.seal(walk, next)
    const body = [itemsStart, items, endOf(`"${cursor}"`, total)]
    const link = linkHeader(match.path, parameters, cursor)
    return { body, tag, readState, totalItems: total, link, ...read }
  }
}

/** What a response depends on besides the brand and its records, as the text of a JSON array. */
const targetOf = (
  { path }: Resource,
  { filters, limit, include }: ListParameters,
  after: Key | null,
): string => {
  const filterText = filters.size === 0 ? '[]' : JSON.stringify([...filters].sort())
  const includeText = include.length === 0 ? '[]' : JSON.stringify(include)
  return `["${path}",${filterText},${limit},${includeText},${JSON.stringify(after)}]`
}

/** The rest of a page, after its items. */
const endOf = (cursor: string, total: number): Buffer =>
  Buffer.from(`],"nextCursor":${cursor},"totalItems":${total}}`, 'latin1')

/**
 * The next page as an origin-relative URL (RFC 8288). It repeats the request's filters, limit and
 * include. Everything is percent-encoded, so that no value can end the header or the address.
 */
const linkHeader = (
  path: string,
  { filters, limit, include }: ListParameters,
  cursor: string,
): string => {
  let query = ''
  for (const [name, value] of filters) query += `${name}=${encodeValue(String(value))}&`
  query += `limit=${limit}&`
  if (include.length > 0) {
    query += `include=${encodeValue(include.map(({ name }) => name).join(','))}&`
  }
  // Cursors need no encoding.
  return `<${path}?${query}cursor=${cursor}>; rel="next"`
}
