import { calendarJson, openCalendarQuery } from '#reading'
import { allGroups } from '#usage'
import { endStage } from '../context.ts'
import type { KeyedHandler } from '../handler.ts'
import { matchesAny, matchesEtag } from '../response.ts'
import type { TodayParts } from './query-today.ts'

/** The calendar of open orders. It depends on the time, so its response is not cached. */
export const calendarHandler =
  (parts: TodayParts): KeyedHandler =>
  async ({ ctx, match, grant, brand, isCancelled }) => {
    const { scope } = grant
    const query = await openCalendarQuery(parts, brand, match.query, scope)
    endStage(ctx, 'read')

    const calendar = await parts.store.calendar({ ...query, isCancelled })
    const target = JSON.stringify(['calendar', query.today, scope.id])
    const tag = parts.etags.of(brand, target, calendar.version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    const body = await calendarJson(query, calendar)
    endStage(ctx, 'run')
    return { body, tag, records: calendar.orders.length, groups: [allGroups] }
  }
