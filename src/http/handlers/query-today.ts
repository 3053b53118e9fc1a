import { openTodayQuery, type QueryParts, todayJson } from '#reading'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'

export interface TodayParts extends Pick<QueryParts, 'store' | 'now'> {
  readonly etags: Etags
}

/** The figures of the day. They depend on the time, so they are not cached. */
export const todayHandler =
  (parts: TodayParts): KeyedHandler =>
  async ({ ctx, match, brand, isCancelled }) => {
    const query = await openTodayQuery(parts, brand, match.query)
    endStage(ctx, 'read')

    const result = await parts.store.today({ ...query, isCancelled })
    endStage(ctx, 'run')

    const name = JSON.stringify(['today', query.today, query.currentDay])
    const tag = parts.etags.of(brand, name, result.version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    const body = Buffer.from(JSON.stringify(todayJson(query, result)))
    return { body: [body], tag, groups: [allGroups] }
  }
