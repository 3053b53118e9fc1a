import { addDays, mondayOf, startOfDay } from './calendar.ts'
import { type Condition, type ConditionValue, mapValues } from './condition.ts'
import type { Field } from './fields.ts'

/**
 * A day relative to today: a fixed or parameterised number of days later; or a day of this week,
 * from 1 for Monday to 7 for Sunday. For a timestamp it means the first instant of that day.
 */
export type ViewDay =
  | { readonly day: number }
  | { readonly day: string; readonly plus?: number }
  | { readonly weekday: number; readonly plus?: number }

export type ViewValue = ConditionValue | ViewDay

/** An integer parameter of a request. */
export interface ViewParameter {
  readonly name: string
  readonly summary: string
  readonly minimum: number
  readonly maximum: number
  readonly default: number
}

/** A named condition: `?view=late`. */
export interface View {
  readonly name: string
  readonly title: string
  /** States exactly which records it contains. */
  readonly summary: string
  readonly where: Condition<ViewValue>
  readonly parameters: readonly ViewParameter[]
  /** The date that the view is about: the first of these fields that is not null. */
  readonly dates: readonly string[]
  /**
   * The order that suits people, as a value of `sort`: the longest overdue first, or the latest
   * event first. Null without `dates`.
   */
  readonly sort: 'viewDate' | '-viewDate' | null
}

/** A view as definitions write it. */
export interface ViewDefinition extends Omit<View, 'name' | 'parameters' | 'dates' | 'sort'> {
  readonly parameters?: readonly ViewParameter[]
  readonly dates?: readonly string[]
  /** Set if the date is of an event that has occurred, not of work that is due. */
  readonly newestFirst?: true
}

export const viewOf = (name: string, { newestFirst, ...definition }: ViewDefinition): View => {
  const { dates = [] } = definition
  const sort = newestFirst ? '-viewDate' : 'viewDate'
  return { parameters: [], dates, ...definition, name, sort: dates.length > 0 ? sort : null }
}

export interface Today {
  /** A local date: `2026-11-16`. */
  readonly day: string
  readonly timezone: string
}

/**
 * The condition of a view on a given day, with relative days replaced by dates and instants.
 * `fieldOf` finds a field of a collection; the collection is null for the view's collection.
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
