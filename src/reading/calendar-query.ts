import type { GroupScope } from '#contract'
import { notFound, todayOf, todayParameters } from '#request'
import type { CalendarRequest, OrderCalendar } from '#store'
import type { SelectorParts } from './selector.ts'
import { nextTurn } from './turn.ts'

/** A request for the calendar of open orders. */
export type CalendarQuery = Omit<CalendarRequest, 'isCancelled'>

/** Parses a request for a calendar from a brand and the parameters' text. */
export const openCalendarQuery = async (
  { store, now }: SelectorParts,
  brand: string,
  queryText: string,
  scope: GroupScope,
): Promise<CalendarQuery> => {
  const { asOf } = todayParameters(queryText)
  const profile = await store.profile(brand)
  if (!profile) throw notFound()
  return { brand, today: todayOf(profile, asOf, now()), scope }
}

/** Entries that are encoded without a pause: about a millisecond. */
const entriesAtOnce = 500

/** The calendar as JSON, in parts, since its thousands of orders take a while to encode. */
export const calendarJson = async (
  { today }: CalendarQuery,
  calendar: OrderCalendar,
): Promise<readonly Buffer[]> => {
  const { totals, orders, shipments, suppliers, collections, launchWindows } = calendar
  const head = {
    asOf: today.day,
    timezone: today.timezone,
    ...totals,
    isCut: orders.length < totals.open.items,
  }
  const lists = {
    orders,
    shipments,
    suppliers: [...suppliers].map(([id, name]) => ({ id, name })),
    collections,
    launchWindows,
  }
  const parts = [Buffer.from(JSON.stringify(head).slice(0, -1))]
  for (const [name, entries] of Object.entries<readonly object[]>(lists)) {
    parts.push(Buffer.from(`,"${name}":[`))
    for (let at = 0; at < entries.length; at += entriesAtOnce) {
      const text = JSON.stringify(entries.slice(at, at + entriesAtOnce)).slice(1, -1)
      parts.push(Buffer.from(at === 0 ? text : `,${text}`))
      await nextTurn()
    }
    parts.push(Buffer.from(']'))
  }
  return [...parts, Buffer.from('}')]
}
