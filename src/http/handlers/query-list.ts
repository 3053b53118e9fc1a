import type { Resource } from '#contract'
import { createListQueries, type ListQuery, pageEnd, type QueryParts } from '#reading'
import { encodeValue } from '#request'
import { type ReadState, readSince } from '#store'
import { endStage } from '../context.ts'
import { furtherGroups } from '../further-groups.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import { itemsStart } from './list.ts'

export interface QueryListParts extends QueryParts {
  readonly etags: Etags
}

/** A page of a collection, as the query API selects and sorts it. */
export const queryListHandler = (parts: QueryListParts, resource: Resource): KeyedHandler => {
  const { store, etags } = parts
  const open = createListQueries(parts, resource)
  return async ({ ctx, match, grant, brand, reserve, isCancelled }) => {
    const query = await open(brand, match.query, grant.scope)
    endStage(ctx, 'read')

    const { request, walk, dependsOnToday, profileChange } = query
    const { fields, limit, include, after, totals } = request
    const added = totals ? [totals.sum, totals.baseCurrency] : []
    const target = JSON.stringify(['query', walk, fields, limit, include, after, ...added])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const cached = (readState: ReadState) =>
      dependsOnToday ? {} : { readState: readSince(readState, profileChange) }
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const { version, readState } = await store.queryState(request)
      const tag = tagAt(version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, ...cached(readState) }
      }
    }
    const page = await store.query({ ...request, reserve, isCancelled })
    endStage(ctx, 'run')

    const end = pageEnd(parts, query, page)
    const { nextCursor } = end
    return {
      body: [itemsStart, page.items, Buffer.from(`],${JSON.stringify(end).slice(1)}`)],
      tag: tagAt(page.version),
      totalItems: page.total,
      records: page.count,
      groups: furtherGroups(resource, request),
      ...cached(page.readState),
      ...(nextCursor && { link: linkHeader(match.path, query, nextCursor) }),
    }
  }
}

/**
 * The next page as an origin-relative URL (RFC 8288). It repeats the request's parameters and the
 * day of a view, so that a walk past midnight stays the same.
 */
const linkHeader = (path: string, { parameters, asOf }: ListQuery, cursor: string): string => {
  const { sent, limit } = parameters
  const pairs = new Map([
    ...sent,
    ['limit', String(limit)],
    ...(asOf ? [['asOf', asOf] as const] : []),
    ['cursor', cursor],
  ])
  const query = [...pairs].map(([name, value]) => `${name}=${encodeValue(value)}`).join('&')
  return `<${path}?${query}>; rel="next"`
}
