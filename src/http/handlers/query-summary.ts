import type { Resource } from '#contract'
import { createSummaryQueries, type QueryParts, summaryJson } from '#reading'
import { readSince } from '#store'
import { endStage } from '../context.ts'
import { furtherGroups } from '../further-groups.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface SummaryParts extends Pick<QueryParts, 'store' | 'now'> {
  readonly etags: Etags
}

/** The totals of a list. */
export const querySummaryHandler = (parts: SummaryParts, resource: Resource): KeyedHandler => {
  const { store, etags } = parts
  const open = createSummaryQueries(parts, resource)
  return async ({ ctx, match, grant, brand, isCancelled }) => {
    const query = await open(brand, match.query, grant.scope)
    endStage(ctx, 'read')

    const summary = await store.summary({ ...query.request, isCancelled })
    endStage(ctx, 'run')

    const tag = etags.of(brand, JSON.stringify(query.target), summary.version)
    const readState = !query.dependsOnToday && {
      readState: readSince(summary.readState, query.profileChange),
    }
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag, ...readState }
    }
    const body = Buffer.from(JSON.stringify(summaryJson(query, summary)))
    return { body: [body], tag, groups: furtherGroups(resource, query.request), ...readState }
  }
}
