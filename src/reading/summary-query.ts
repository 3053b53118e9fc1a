import { type GroupScope, type Resource, summaryParametersOf } from '#contract'
import { notFound, queryParameters, resolveConditions, todayOf } from '#request'
import { figuresJson, groupJson, type Summary, type SummaryRequest } from '#store'
import { fieldsOf, type SelectedOn, type SelectorParts } from './selector.ts'

/** A request for a summary, with the day resolved. */
export interface SummaryQuery {
  readonly request: SummaryRequest
  /** Everything that the result depends on besides the records. */
  readonly target: readonly unknown[]
  readonly usesToday: boolean
  /** Whether the result changes tomorrow even if no record does. */
  readonly dependsOnToday: boolean
  readonly profileChange: SelectedOn['profileChange']
}

/** Parses requests for summaries of a collection from a brand and the parameters' text. */
export const createSummaryQueries = ({ store, now }: SelectorParts, resource: Resource) => {
  const parse = queryParameters(resource, summaryParametersOf(resource))
  const fieldOf = fieldsOf(store, resource)
  return async (brand: string, queryText: string, scope: GroupScope): Promise<SummaryQuery> => {
    const parameters = parse(queryText, scope)
    const { filters, sum, min, max, by, order, top, view } = parameters
    const profile = await store.profile(brand)
    if (!profile) throw notFound()
    const today = todayOf(profile, parameters.asOf, now())
    const where = resolveConditions(parameters, today, fieldOf)
    const { baseCurrency } = profile
    const fields = { sum, min, max, by, order, top, today, baseCurrency }
    const usesToday = view !== null || by.some(({ dates }) => dates === 'ageing')
    return {
      request: { resource, brand, filters, where, ids: null, ...fields },
      target: ['summary', resource.path, [...filters].sort(), where, view?.name, fields],
      usesToday,
      dependsOnToday: usesToday && parameters.asOf === null,
      profileChange: profile.change,
    }
  }
}

export const summaryJson = ({ request, usesToday }: SummaryQuery, summary: Summary) => {
  const { items, ...total } = figuresJson(summary.total)
  const { by, top, today } = request
  return {
    totalItems: items,
    ...(usesToday && { asOf: today.day }),
    total,
    ...(top && { totalGroups: summary.groupCount }),
    ...(by.length > 0 && { groups: summary.groups.map((group) => groupJson(group, by)) }),
  }
}
