import { basePath, queryBasePath, type Today } from '#contract'
import { notFound, todayOf, todayParameters } from '#request'
import { type DayFigures, figuresJson, type TodayFigure, type TodaySeries } from '#store'
import type { SelectorParts } from './selector.ts'

/** A request for the figures of a day. */
export interface TodayQuery {
  readonly brand: string
  readonly today: Today
  readonly baseCurrency: string
}

/** Parses a request for the figures of the day from a brand and the parameters' text. */
export const openTodayQuery = async (
  { store, now }: SelectorParts,
  brand: string,
  queryText: string,
): Promise<TodayQuery> => {
  const { asOf } = todayParameters(queryText)
  const profile = await store.profile(brand)
  if (!profile) throw notFound()
  return { brand, today: todayOf(profile, asOf, now()), baseCurrency: profile.baseCurrency }
}

/** The figures of a day as JSON, each with the path of its list. */
export const todayJson = ({ brand, today, baseCurrency }: TodayQuery, result: DayFigures) => ({
  asOf: today.day,
  timezone: today.timezone,
  baseCurrency,
  figures: Object.fromEntries(
    result.figures.map((figure) => [figure.name, figureJson(brand, figure)]),
  ),
  series: Object.fromEntries(result.series.map((each) => [each.name, seriesJson(brand, each)])),
  changed: changedJson(brand, result.changed),
  records: result.freshness,
  totals: Object.fromEntries(result.totals),
})

const figureJson = (brand: string, { figures, weekAgo, first, days, list }: TodayFigure) => ({
  ...figuresJson(figures),
  weekAgo: weekAgo && figuresJson(weekAgo),
  ...(days !== undefined && { days }),
  ...(first && {
    first: first.map((record) => ({
      ...record,
      url: `${basePath}/brands/${brand}/${list.group}/${record.id}`,
    })),
  }),
  url: urlOf(brand, list.group, list.parameters),
})

const seriesJson = (brand: string, { parts }: TodaySeries) =>
  parts.map(({ name, from, to, figures, list }) => ({
    name,
    ...(from !== null || to !== null ? { from, to } : {}),
    ...figuresJson(figures),
    url: urlOf(brand, list.group, list.parameters),
  }))

const changedJson = (brand: string, { since, items, groups }: DayFigures['changed']) => ({
  since,
  items,
  groups: groups.map(({ group, field, items: changed }) => ({
    group,
    items: changed,
    url: urlOf(brand, group, [[`${field}.gte`, since]]),
  })),
})

const urlOf = (
  brand: string,
  group: string,
  parameters: readonly (readonly [string, string])[],
): string => {
  const query = new URLSearchParams(parameters.map(([name, value]) => [name, value]))
  return `${queryBasePath}/brands/${brand}/${group}?${query}`
}
