import { openTrendQuery, trendJson } from '#reading'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { matchesAny, matchesEtag } from '../response.ts'
import type { TodayParts } from './query-today.ts'

/** The figures of the last days. They depend on the time, so they are not cached. */
export const trendHandler =
  (parts: TodayParts): KeyedHandler =>
  async ({ ctx, match, grant, brand, isCancelled }) => {
    const query = await openTrendQuery(parts, brand, match.query, grant.scope)
    endStage(ctx, 'read')

    const trend = await parts.store.trend({ ...query, isCancelled })
    endStage(ctx, 'run')

    const text = JSON.stringify(trendJson(query, trend))
    const tag = parts.etags.of(brand, 'trend', text)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    return { body: [Buffer.from(text)], tag, groups: [allGroups] }
  }
