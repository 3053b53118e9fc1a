import type { Resource } from '#contract'
import type { Cursors } from '#cursors'
import { listParameters } from '#request'
import type { Store } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../etag.ts'
import { linkHeader } from '../link-header.ts'
import type { KeyedHandler } from './handler.ts'

export interface ListParts {
  readonly store: Store
  readonly cursors: Cursors
  readonly etags: Etags
}

/** A page of a collection. */
export const listHandler = (
  { store, cursors, etags }: ListParts,
  resource: Resource,
): KeyedHandler => {
  const parse = listParameters(resource)
  return async ({ ctx, match, brand, reserve }) => {
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
    const page = await store.list({ resource, brand, filters, limit, after, include, reserve })
    endStage(ctx, 'run')

    const nextCursor = page.next && cursors.seal(walk, page.next)
    return {
      body: `{"items":[${page.items}],"nextCursor":${nextCursor === null ? 'null' : `"${nextCursor}"`},"totalItems":${page.total}}`,
      tag: tagAt(page.version),
      readState: page.readState,
      ...(nextCursor && { link: linkHeader(match.path, parameters, nextCursor) }),
    }
  }
}
