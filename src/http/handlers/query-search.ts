import { searchJson } from '#reading'
import { searchParameters } from '#request'
import type { Store } from '#store'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface SearchParts {
  readonly store: Store
  readonly etags: Etags
}

/** The records that match a text by their numbers, codes and names, in all groups. */
export const querySearchHandler = ({ store, etags }: SearchParts): KeyedHandler => {
  const parse = searchParameters(store.catalog)
  return async ({ ctx, match, grant, brand, reserve, isCancelled }) => {
    const { query, limit, groups } = parse(match.query, grant.scope)
    endStage(ctx, 'read')

    const paths = groups?.map(({ path }) => path) ?? null
    const target = JSON.stringify(['search', query, limit, paths])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const { version, readState } = await store.search.state({ brand, groups })
      const tag = tagAt(version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState }
      }
    }
    const request = { brand, query, limit, groups, reserve, isCancelled }
    const page = await store.search.find(request)
    endStage(ctx, 'run')

    const body = searchJson(brand, query, page)
    return {
      body,
      tag: tagAt(page.version),
      readState: page.readState,
      records: page.results.length,
      groups: paths ?? [allGroups],
    }
  }
}
