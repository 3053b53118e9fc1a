import { type GroupScope, type Resource, scorecardParametersOf } from '#contract'
import type { QueryWalk } from '#cursors'
import { notFound, queryParameters, resolveConditions, todayOf } from '#request'
import type { ScorecardsPage, ScorecardsRequest } from '#store'
import type { QueryParts } from './list-query.ts'
import { fieldsOf } from './selector.ts'

/** A request for scorecards, with the day and the cursor resolved. */
export interface ScorecardsQuery {
  readonly request: ScorecardsRequest
  readonly walk: QueryWalk
}

/** Parses requests for the scorecards of a group from a brand and the parameters' text. */
export const createScorecardQueries = (parts: QueryParts, resource: Resource) => {
  const { store, now, queryCursors } = parts
  const parse = queryParameters(resource, scorecardParametersOf(resource))
  const fieldOf = fieldsOf(store, resource)
  return async (brand: string, queryText: string, scope: GroupScope): Promise<ScorecardsQuery> => {
    const parameters = parse(queryText, scope)
    const { filters, ids, sort, limit, cursor } = parameters
    const profile = await store.profile(brand)
    if (!profile) throw notFound()
    const today = todayOf(profile, parameters.asOf, now())
    const where = resolveConditions(parameters, today, fieldOf)
    const collection = `${resource.path}/scorecards`
    const conditions = JSON.stringify([[...filters].sort(), where, ids, today.day])
    const walk = { brand, collection, conditions, sort }
    const after = cursor === null ? null : queryCursors.open(walk, cursor)
    const { baseCurrency } = profile
    const selection = { resource, brand, filters, where, ids }
    return { request: { ...selection, sort, limit, after, today, baseCurrency, scope }, walk }
  }
}

export const scorecardsJson = (
  { queryCursors }: Pick<QueryParts, 'queryCursors'>,
  { request: { today, baseCurrency }, walk }: ScorecardsQuery,
  { items, total, next }: ScorecardsPage,
) => ({
  asOf: today.day,
  timezone: today.timezone,
  baseCurrency,
  items,
  nextCursor: next && queryCursors.seal(walk, next),
  totalItems: total,
})
