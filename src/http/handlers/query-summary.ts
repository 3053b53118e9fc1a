import { fieldAt, type Resource, resourceAt, summaryParametersOf } from '#contract'
import { notFound, queryParameters, resolveConditions, todayOf } from '#request'
import { figuresJson, groupJson, type Store } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { KeyedHandler } from './handler.ts'

export interface SummaryParts {
  readonly store: Store
  readonly etags: Etags
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** What the records of a list add up to. */
export const querySummaryHandler = (
  { store, etags, now }: SummaryParts,
  resource: Resource,
): KeyedHandler => {
  const parse = queryParameters(resource, summaryParametersOf(resource))
  const fieldOf = (field: string, collection: string | null) =>
    fieldAt((collection ? resourceAt(store.catalog, collection) : resource).fields, field)
  return async ({ ctx, match, brand, isCancelled }) => {
    const parameters = parse(match.query)
    const { filters, sum, min, max, by, view } = parameters
    const profile = await store.profile(brand)
    if (!profile) throw notFound()
    const today = todayOf(profile, parameters.asOf, now())
    const where = resolveConditions(parameters, today, fieldOf)
    endStage(ctx, 'read')

    const { baseCurrency } = profile
    const fields = { sum, min, max, by, earliest: [], today, baseCurrency }
    const summary = await store.summary({
      ...{ resource, brand, filters, where, ids: null },
      ...fields,
      isCancelled,
    })
    endStage(ctx, 'run')

    const usesToday = view !== null || by.some(({ dates }) => dates === 'ageing')
    const target = ['summary', resource.path, [...filters].sort(), where, view?.name, fields]
    const tag = etags.of(brand, JSON.stringify(target), summary.version)
    // A response about today is another one tomorrow, although nothing has changed.
    const readState = (!usesToday || parameters.asOf !== null) && { readState: summary.readState }
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch && (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch))) {
      return { notModified: tag, ...readState }
    }
    const { items, ...total } = figuresJson(summary.total)
    const body = {
      totalItems: items,
      ...(usesToday && { asOf: today.day }),
      total,
      ...(by.length > 0 && { groups: summary.groups.map((group) => groupJson(group, by)) }),
    }
    return { body: [Buffer.from(JSON.stringify(body))], tag, ...readState }
  }
}
