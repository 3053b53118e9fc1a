import type { Resource } from '#contract'
import type { Cursors } from '#cursors'
import { encodeValue, type ListParameters, listParameters } from '#request'
import type { Store } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { KeyedHandler } from './handler.ts'

export interface ListParts {
  readonly store: Store
  readonly cursors: Cursors
  readonly etags: Etags
}

const itemsStart = Buffer.from('{"items":[')

/** A page of a collection. */
export const listHandler = (
  { store, cursors, etags }: ListParts,
  resource: Resource,
): KeyedHandler => {
  const parse = listParameters(resource)
  return async ({ ctx, match, brand, reserve, isCancelled }) => {
    const parameters = parse(match.query)
    const { filters, limit, include } = parameters
    const walk = { brand, collection: resource.path, filters }
    const after = parameters.cursor === null ? null : cursors.open(walk, parameters.cursor)
    endStage(ctx, 'read')

    const target = JSON.stringify([resource.path, [...filters].sort(), limit, include, after])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const state = await store.state({ resource, brand, filters: filters.keys(), include })
      const tag = tagAt(state.version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState: state.readState }
      }
    }
    const list = { resource, brand, filters, limit, after, include }
    const page = await store.list({ ...list, reserve, isCancelled })
    endStage(ctx, 'run')

    const nextCursor = page.next && cursors.seal(walk, page.next)
    const cursorText = nextCursor === null ? 'null' : `"${nextCursor}"`
    const end = `],"nextCursor":${cursorText},"totalItems":${page.total}}`
    return {
      body: [itemsStart, page.items, Buffer.from(end, 'latin1')],
      tag: tagAt(page.version),
      readState: page.readState,
      ...(nextCursor && { link: linkHeader(match.path, parameters, nextCursor) }),
    }
  }
}

/**
 * The next page as an origin-relative URL (RFC 8288). It repeats the request's filters, limit and
 * include; everything is percent-encoded, so that no value can end the header or the address.
 */
const linkHeader = (
  path: string,
  { filters, limit, include }: ListParameters,
  cursor: string,
): string => {
  const pairs = [
    ...[...filters].map(([name, value]) => [name, String(value)] as const),
    ['limit', String(limit)] as const,
    ...(include.length > 0
      ? [['include', include.map(({ name }) => name).join(',')] as const]
      : []),
    ['cursor', cursor] as const,
  ]
  const query = pairs.map(([name, value]) => `${name}=${encodeValue(value)}`).join('&')
  return `<${path}?${query}>; rel="next"`
}
