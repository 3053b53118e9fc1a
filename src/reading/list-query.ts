import { type GroupScope, keySeparator, type Resource } from '#contract'
import type { QueryCursors, QueryWalk } from '#cursors'
import { type QueryParameters, queryParameters } from '#request'
import { type Figures, figuresJson, type Key, type QueryPage, type QueryRequest } from '#store'
import { createSelector, type SelectedOn, type SelectorParts } from './selector.ts'

export interface QueryParts extends SelectorParts {
  readonly queryCursors: QueryCursors
}

/** A request for a page, with the day and the cursor resolved. */
export interface ListQuery {
  readonly parameters: QueryParameters
  readonly request: QueryRequest
  readonly walk: QueryWalk
  /** The day that a view uses as today; null without a view. */
  readonly asOf: string | null
  /** Whether the result changes tomorrow even if no record does. */
  readonly dependsOnToday: boolean
  readonly profileChange: SelectedOn['profileChange']
}

/** Parses requests for pages of a collection from a brand and the parameters' text. */
export const createListQueries = (parts: QueryParts, resource: Resource) => {
  const parse = queryParameters(resource)
  const select = createSelector(parts, resource)
  return async (brand: string, queryText: string, scope: GroupScope): Promise<ListQuery> => {
    const parameters = parse(queryText, scope)
    const { filters, ids, fields, limit, include, view, cursor } = parameters
    const selected = await select(brand, parameters)
    const { where, sort, asOf, today, baseCurrency, profileChange } = selected
    const conditions = JSON.stringify([[...filters].sort(), where, ids, view?.name, asOf])
    const walk = { brand, collection: resource.path, conditions, sort }
    const after = cursor === null ? null : parts.queryCursors.open(walk, cursor)
    return {
      parameters,
      request: {
        ...{ resource, brand, filters, where, ids, sort, fields, limit, after, include },
        totals:
          parameters.totals.length === 0
            ? null
            : {
                ...{ resource, brand, filters, where, ids, sum: parameters.totals },
                ...{ min: [], max: [], by: [], today, baseCurrency },
              },
      },
      walk,
      asOf,
      dependsOnToday: view !== null && parameters.asOf === null,
      profileChange,
    }
  }
}

/** The part of a page after its records. */
export interface PageEnd {
  readonly nextCursor: string | null
  readonly totalItems: number
  readonly missingIds?: readonly string[]
  readonly asOf?: string
  readonly totals?: { readonly [name: string]: unknown }
}

export const pageEnd = (
  { queryCursors }: QueryParts,
  { request, walk, asOf }: ListQuery,
  page: QueryPage,
): PageEnd => ({
  nextCursor: page.next && queryCursors.seal(walk, page.next),
  totalItems: page.total,
  ...(request.ids && { missingIds: page.missing.map(identityOf) }),
  ...(asOf && { asOf }),
  ...(page.totals && { totals: totalsJson(page.totals) }),
})

const totalsJson = (totals: Figures): { readonly [name: string]: unknown } => {
  const { items: _, ...sums } = figuresJson(totals)
  return sums
}

const identityOf = (key: Key): string => key.join(keySeparator)
