import { keySeparator, type Resource } from '#contract'
import type { QueryCursors } from '#cursors'
import { encodeValue, type QueryParameters, queryParameters } from '#request'
import type { Key, Store } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { KeyedHandler } from './handler.ts'
import { itemsStart } from './list.ts'
import { createSelector } from './selector.ts'

export interface QueryListParts {
  readonly store: Store
  readonly queryCursors: QueryCursors
  readonly etags: Etags
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** A page of a collection, as the query API selects and sorts it. */
export const queryListHandler = (parts: QueryListParts, resource: Resource): KeyedHandler => {
  const { store, queryCursors, etags } = parts
  const parse = queryParameters(resource)
  const select = createSelector(parts, resource)
  return async ({ ctx, match, brand, reserve, isCancelled }) => {
    const parameters = parse(match.query)
    const { filters, ids, sort, fields, limit, include, view, cursor } = parameters
    const { where, asOf } = await select(brand, parameters)
    const conditions = JSON.stringify([[...filters].sort(), where, ids, view?.name, asOf])
    const walk = { brand, collection: resource.path, conditions, sort }
    const after = cursor === null ? null : queryCursors.open(walk, cursor)
    endStage(ctx, 'read')

    const request = { resource, brand, filters, where, ids, sort, fields, limit, after, include }
    const target = JSON.stringify(['query', walk, fields, limit, include, after])
    const tagAt = (version: string) => etags.of(brand, target, version)
    // A response about today is another one tomorrow, although nothing has changed.
    const dependsOnToday = view !== null && parameters.asOf === null
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const { version, readState } = await store.queryState(request)
      const tag = tagAt(version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, ...(!dependsOnToday && { readState }) }
      }
    }
    const page = await store.query({ ...request, reserve, isCancelled })
    endStage(ctx, 'run')

    const nextCursor = page.next && queryCursors.seal(walk, page.next)
    const end = {
      nextCursor,
      totalItems: page.total,
      ...(ids && { missingIds: page.missing.map(identityOf) }),
      ...(asOf && { asOf }),
    }
    return {
      body: [itemsStart, page.items, Buffer.from(`],${JSON.stringify(end).slice(1)}`)],
      tag: tagAt(page.version),
      ...(!dependsOnToday && { readState: page.readState }),
      ...(nextCursor && { link: linkHeader(match.path, parameters, asOf, nextCursor) }),
    }
  }
}

const identityOf = (key: Key): string => key.join(keySeparator)

/**
 * The next page as an origin-relative URL (RFC 8288). It repeats the parameters that were sent, and the
 * day of a view, so that a walk that lasts past midnight stays the same.
 */
const linkHeader = (
  path: string,
  { sent, limit }: QueryParameters,
  asOf: string | null,
  cursor: string,
): string => {
  const pairs = new Map([
    ...sent,
    ['limit', String(limit)],
    ...(asOf ? [['asOf', asOf] as const] : []),
    ['cursor', cursor],
  ])
  const query = [...pairs].map(([name, value]) => `${name}=${encodeValue(value)}`).join('&')
  return `<${path}?${query}>; rel="next"`
}
