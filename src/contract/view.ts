import { addDays, mondayOf, startOfDay } from './calendar.ts'
import { type Condition, type ConditionValue, mapValues } from './condition.ts'
import type { Field } from './fields.ts'

/**
 * A day of a view, counted from today: so many days later, or as many as a parameter says; or a day of
 * this week, from 1 for Monday to 7 for Sunday. For a timestamp it means the first instant of that day.
 */
export type ViewDay =
  | { readonly day: number }
  | { readonly day: string; readonly plus?: number }
  | { readonly weekday: number; readonly plus?: number }

export type ViewValue = ConditionValue | ViewDay

/** A whole number that a request can set. */
export interface ViewParameter {
  readonly name: string
  readonly summary: string
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}

/** A condition that people ask for by its name: `?view=late`. */
export interface View {
  readonly name: string
  readonly title: string
  /** Says exactly which records are in it. */
  readonly summary: string
  readonly where: Condition<ViewValue>
  readonly parameters: readonly ViewParameter[]
  /** The date that the view is about: of these fields the first that is not null. */
  readonly dates: readonly string[]
}

/** A view as a definition writes it. */
export interface ViewDefinition extends Omit<View, 'name' | 'parameters' | 'dates'> {
  readonly parameters?: readonly ViewParameter[]
  readonly dates?: readonly string[]
}

export interface Today {
  /** A date in the time zone: `2026-11-16`. */
  readonly day: string
  readonly timezone: string
}

/**
 * The condition of a view on a day, with dates and instants instead of days. `fieldOf` finds a field of
 * a collection; the collection is null for the view's own.
 */
export const resolveView = (
  { where, parameters }: Pick<View, 'where' | 'parameters'>,
  { day: today, timezone }: Today,
  values: ReadonlyMap<string, number>,
  fieldOf: (field: string, collection: string | null) => Field | undefined,
): Condition => {
  const parameterValue = (name: string): number => {
    const parameter = parameters.find((each) => each.name === name)
    return values.get(name) ?? parameter?.default ?? 0
  }
  const dayOf = (value: ViewDay): string => {
    if ('weekday' in value) return addDays(mondayOf(today), value.weekday - 1 + (value.plus ?? 0))
    return typeof value.day === 'number'
      ? addDays(today, value.day)
      : addDays(today, parameterValue(value.day) + ('plus' in value ? (value.plus ?? 0) : 0))
  }
  return mapValues(where, (value, field, collection) => {
    if (typeof value !== 'object') return value
    const day = dayOf(value)
    return fieldOf(field, collection)?.kind === 'timestamp'
      ? new Date(startOfDay(timezone, day)).toISOString()
      : day
  })
}
