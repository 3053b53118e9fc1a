import { basePath, currentDay, type GroupScope, queryBasePath, todayFigures } from '#contract'
import { notFound, todayOf, todayParameters } from '#request'
import {
  type DayChanged,
  type DayFigure,
  type DayFigures,
  type DaySeries,
  figuresJson,
  type TodayRequest,
} from '#store'
import type { SelectorParts } from './selector.ts'

/** A request for the figures of a day. */
export type TodayQuery = Omit<TodayRequest, 'isCancelled'>

/** Parses a request for the figures of the day from a brand and the parameters' text. */
export const openTodayQuery = async (
  { store, now }: SelectorParts,
  brand: string,
  queryText: string,
  scope: GroupScope,
): Promise<TodayQuery> => {
  const { asOf } = todayParameters(queryText)
  const profile = await store.profile(brand)
  if (!profile) throw notFound()
  const { timezone, baseCurrency } = profile
  const at = now()
  const today = todayOf(profile, asOf, at)
  return { brand, today, currentDay: currentDay(timezone, at), baseCurrency, scope }
}

/** The figures of a day as JSON, each with the path of its list if it is the total of one. */
export const todayJson = (
  { brand, today, currentDay: current, baseCurrency }: TodayQuery,
  result: DayFigures,
) => ({
  asOf: today.day,
  timezone: today.timezone,
  baseCurrency,
  figures: Object.fromEntries(
    result.figures.map((figure) => [figure.name, figureJson(brand, figure)]),
  ),
  series: Object.fromEntries(result.series.map((each) => [each.name, seriesJson(brand, each)])),
  changed: changedJson(brand, result.changed, today.day < current),
  records: result.freshness,
  totals: Object.fromEntries(result.totals),
})

const figureJson = (brand: string, { name, figures, weekAgo, first, days, list }: DayFigure) => ({
  ...countedJson(figures),
  weekAgo: countedJson(weekAgo),
  ...(days !== undefined && { days }),
  ...(first && {
    first: first.map((record) => ({
      ...record,
      url: `${basePath}/brands/${brand}/${todayFigures[name as keyof typeof todayFigures].group}/${record.id}`,
    })),
  }),
  ...listJson(brand, list),
})

const seriesJson = (brand: string, { parts }: DaySeries) =>
  parts.map(({ name, from, to, figures, list }) => ({
    name,
    ...(from !== null || to !== null ? { from, to } : {}),
    ...countedJson(figures),
    ...listJson(brand, list),
  }))

export const countedJson = (figures: DayFigure['figures']) =>
  figures.items === null ? figures : figuresJson(figures)

const listJson = (brand: string, list: DayFigure['list']) =>
  list ? { url: urlOf(brand, list.group, list.parameters) } : {}

/** Of a past day, no list has the records that had been changed by its end. */
const changedJson = (brand: string, { groups, ...changed }: DayChanged, hasEnded: boolean) => ({
  ...changed,
  groups: groups.map(({ group, field, items }) => ({
    group,
    items,
    ...(!hasEnded && { url: urlOf(brand, group, [[`${field}.gte`, changed.since]]) }),
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
