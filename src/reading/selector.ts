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

/** What the parameters of a request mean on its day. */
export interface SelectedOn {
  readonly where: readonly Condition[]
  /** The day of the request, in the time zone of the brand if anything depends on it. */
  readonly day: string
  /** The same with a view; null without one. */
  readonly asOf: string | null
}

/** Finds the fields of a resource's conditions: its own, and those of the collections they look into. */
export const fieldsOf =
  ({ catalog }: Store, resource: Resource) =>
  (field: string, collection: string | null) =>
    fieldAt((collection ? resourceAt(catalog, collection) : resource).fields, field)

/** Resolves the conditions of a request. The time zone is read only where something depends on it. */
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
