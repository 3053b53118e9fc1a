import { queryBasePath } from '#contract'
import { notFound, todayOf, todayParameters } from '#request'
import { type DayFigures, figuresJson, type Store, type TodayFigure } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { KeyedHandler } from './handler.ts'

export interface TodayParts {
  readonly store: Store
  readonly etags: Etags
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The figures of the day. They depend on the time, so that the response cache does not keep them. */
export const todayHandler =
  ({ store, etags, now }: TodayParts): KeyedHandler =>
  async ({ ctx, match, brand, isCancelled }) => {
    const { asOf } = todayParameters(match.query)
    const profile = await store.profile(brand)
    if (!profile) throw notFound()
    const today = todayOf(profile, asOf, now())
    endStage(ctx, 'read')

    const { baseCurrency } = profile
    const result = await store.today({ brand, today, baseCurrency, isCancelled })
    endStage(ctx, 'run')

    const tag = etags.of(brand, JSON.stringify(['today', today]), result.version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag }
    }
    const body = {
      asOf: today.day,
      timezone: today.timezone,
      baseCurrency,
      figures: Object.fromEntries(
        result.figures.map((figure) => [figure.name, figureJson(brand, figure)]),
      ),
      changed: changedJson(brand, result.changed),
    }
    return { body: [Buffer.from(JSON.stringify(body))], tag }
  }

const figureJson = (brand: string, figure: TodayFigure) => ({
  ...figuresJson(figure.figures),
  ...(figure.hasEarliest && { earliest: figure.earliest }),
  url: urlOf(brand, figure.list.group, figure.list.parameters),
})

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
