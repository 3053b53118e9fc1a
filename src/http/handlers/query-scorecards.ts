import type { Resource } from '#contract'
import { createScorecardQueries, type QueryParts, scorecardsJson } from '#reading'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface ScorecardsParts extends QueryParts {
  readonly etags: Etags
}

/** The scorecards of a list. They depend on the day, so they are not cached. */
export const queryScorecardsHandler = (
  parts: ScorecardsParts,
  resource: Resource,
): KeyedHandler => {
  const { store, etags } = parts
  const open = createScorecardQueries(parts, resource)
  return async ({ ctx, match, grant, brand, isCancelled }) => {
    const query = await open(brand, match.query, grant.scope)
    endStage(ctx, 'read')

    const { request, walk } = query
    const { limit, after, today, baseCurrency, scope } = request
    const target = JSON.stringify([walk, limit, after, today, baseCurrency, scope?.id])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const tag = tagAt((await store.scorecards.state(request)).version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) return { notModified: tag }
    }
    const page = await store.scorecards.read({ ...request, isCancelled })
    endStage(ctx, 'run')

    return {
      body: [Buffer.from(JSON.stringify(scorecardsJson(parts, query, page)))],
      tag: tagAt(page.version),
      totalItems: page.total,
      records: page.items.length,
      groups: [allGroups],
    }
  }
}
