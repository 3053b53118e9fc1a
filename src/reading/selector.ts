import {
  type Condition,
  currentDay,
  fieldAt,
  type Resource,
  resourceAt,
  type Today,
} from '#contract'
import { needsTimezone, type QueryParameters, resolveConditions } from '#request'
import type { Store } from '#store'

export interface SelectorParts {
  readonly store: Store
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** The parameters of a request, resolved for its day. */
export interface SelectedOn {
  readonly where: readonly Condition[]
  /** The day of the request; in the brand's time zone if anything depends on it. */
  readonly day: string
  /** The same day with a view; null without one. */
  readonly asOf: string | null
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
    const profile = needsTimezone(parameters) ? await store.profile(brand) : null
    const timezone = profile?.timezone ?? 'UTC'
    const today: Today = { timezone, day: parameters.asOf ?? currentDay(timezone, now()) }
    const where = resolveConditions(parameters, today, fieldOf)
    return { where, day: today.day, asOf: parameters.view && today.day }
  }
}
