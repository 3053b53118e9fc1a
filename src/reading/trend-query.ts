import { currentDay, type GroupScope } from '#contract'
import { notFound, trendParameters } from '#request'
import type { TrendDay, TrendRequest } from '#store'
import type { SelectorParts } from './selector.ts'
import { countedJson } from './today-query.ts'

/** A request for the figures of the last days. */
export type TrendQuery = Omit<TrendRequest, 'isCancelled'>

/** Parses a request for a trend from a brand and the parameters' text. */
export const openTrendQuery = async (
  { store, now }: SelectorParts,
  brand: string,
  queryText: string,
  scope: GroupScope,
): Promise<TrendQuery> => {
  const { days } = trendParameters(queryText)
  const profile = await store.profile(brand)
  if (!profile) throw notFound()
  const { timezone, baseCurrency } = profile
  return { brand, days, timezone, currentDay: currentDay(timezone, now()), baseCurrency, scope }
}

/** The figures of each day as JSON. */
export const trendJson = ({ timezone, baseCurrency }: TrendQuery, trend: readonly TrendDay[]) => ({
  timezone,
  baseCurrency,
  days: trend.map(({ day, figures }) => ({
    day,
    figures: Object.fromEntries(figures.map((each) => [each.name, countedJson(each.figures)])),
  })),
})
