import {
  baseSuffix,
  type Condition,
  currentDay,
  fieldAt,
  type Resource,
  resourceAt,
  type Today,
  type View,
  viewDate,
} from '#contract'
import { needsTimezone, notFound, type QueryParameters, resolveConditions } from '#request'
import type { Sort, Store } from '#store'

export interface SelectorParts {
  readonly store: Store
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The parameters of a request, resolved for its day. */
export interface SelectedOn {
  readonly sort: Sort | null
  readonly where: readonly Condition[]
  /** The day of the request, in the brand's time zone if anything depends on it. */
  readonly today: Today
  /** The brand's base currency, if anything depends on it. */
  readonly baseCurrency: string
  /** The same day with a view; null without one. */
  readonly asOf: string | null
  /** The number of the last change before the brand's profile was read; null if it was not. */
  readonly profileChange: number | null
}

/**
 * Finds the fields of a resource's conditions: its own, and those of the collections they refer to.
 */
export const fieldsOf =
  ({ catalog }: Store, resource: Resource) =>
  (field: string, collection: string | null) =>
    fieldAt((collection ? resourceAt(catalog, collection) : resource).fields, field)

/** Resolves the conditions of a request. Reads the time zone only if something depends on it. */
export const createSelector = ({ store, now }: SelectorParts, resource: Resource) => {
  const fieldOf = fieldsOf(store, resource)
  return async (brand: string, parameters: QueryParameters): Promise<SelectedOn> => {
    const { view, sort } = parameters
    const amount = baseAmountOf(sort)
    const needsCurrency = amount !== null || parameters.totals.length > 0
    const needsProfile = needsTimezone(parameters) || needsCurrency
    const profile = needsProfile ? await store.profile(brand) : null
    if (needsCurrency && !profile) throw notFound()
    const timezone = profile?.timezone ?? 'UTC'
    const today: Today = { timezone, day: parameters.asOf ?? currentDay(timezone, now()) }
    const where = resolveConditions(parameters, today, fieldOf)
    const { baseCurrency = '' } = profile ?? {}
    return {
      where,
      sort: sort && { ...sort, ...computedBy(sort, amount, view, baseCurrency) },
      today,
      baseCurrency,
      asOf: view && today.day,
      profileChange: profile?.change ?? null,
    }
  }
}

/** The amount that a list is sorted by in the base currency; null for another order. */
const baseAmountOf = (sort: Sort | null): string | null =>
  sort?.field.endsWith(baseSuffix) ? sort.field.slice(0, -baseSuffix.length) : null

const computedBy = (
  { field }: Sort,
  amount: string | null,
  view: View | null,
  currency: string,
): Pick<Sort, 'by'> => {
  if (field === viewDate) return { by: { kind: 'firstDate', fields: view?.dates ?? [] } }
  return amount === null ? {} : { by: { kind: 'base', amount, currency } }
}
