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
  async ({ ctx, match, grant, brand, isCancelled }) => {
    const { scope } = grant
    const query = await openTodayQuery(parts, brand, match.query, scope)
    endStage(ctx, 'read')

    const result = await parts.store.today({ ...query, isCancelled })
    endStage(ctx, 'run')

    const text = JSON.stringify(todayJson(query, result))
    const name = JSON.stringify(['today', query.today, query.currentDay, scope.id])
    // The version changes with groups that a limited key may not read.
    const tag = parts.etags.of(brand, name, scope.isWhole ? result.version : text)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    return { body: [Buffer.from(text)], tag, groups: [allGroups] }
  }
