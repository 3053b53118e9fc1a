import type { Comparison, Condition } from '../condition.ts'
import type { ViewDay, ViewValue } from '../view.ts'

/** Short constructors for the conditions of views. */
export type ViewCondition = Condition<ViewValue>

export const all = <V extends ViewValue>(...of: readonly Condition<V>[]): Condition<V> => ({
  kind: 'all',
  of,
})

export const any = (...of: readonly ViewCondition[]): ViewCondition => ({ kind: 'any', of })

export const not = <V extends ViewValue>(of: Condition<V>): Condition<V> => ({ kind: 'not', of })

export const is = <V extends ViewValue>(field: string, is: Comparison, value: V): Condition<V> => ({
  kind: 'compare',
  field,
  is,
  value,
})

export const oneOf = (field: string, values: readonly ViewValue[]): ViewCondition => ({
  kind: 'in',
  field,
  values,
})

export const missing = (field: string): Condition<never> => ({ kind: 'null', field, isNull: true })

export const present = (field: string): ViewCondition => ({ kind: 'null', field, isNull: false })

export const compared = (field: string, is: Comparison, other: string): ViewCondition => ({
  kind: 'fields',
  field,
  is,
  other,
})

/** Some record of another collection refers to this one and fulfils the condition. */
export const some = (collection: string, match: string, where: ViewCondition): ViewCondition => ({
  kind: 'some',
  collection,
  match,
  where,
})

/** The record that a field of this one refers to fulfils the condition. */
export const referred = (
  local: string,
  collection: string,
  where: ViewCondition,
): ViewCondition => ({ kind: 'some', collection, match: 'id', local, where })

export const notDeleted = missing('deletedAt')

/** The first of the fields that is not null fulfils the condition. */
export const firstOf = (
  fields: readonly string[],
  condition: (field: string) => ViewCondition,
): ViewCondition =>
  any(
    ...fields.map((field, index) => all(...fields.slice(0, index).map(missing), condition(field))),
  )

const today: ViewDay = { day: 0 }
const nextMonday: ViewDay = { weekday: 8 }

export const beforeToday = (field: string): ViewCondition => is(field, 'lt', today)

/** From today to the Sunday of this week. */
export const restOfWeek = (field: string): ViewCondition =>
  all<ViewValue>(is(field, 'gte', today), is(field, 'lt', nextMonday))

/** From today to the day that is `parameter` days later, inclusive. */
export const withinDays = (field: string, parameter: string): ViewCondition =>
  all<ViewValue>(is(field, 'gte', today), is(field, 'lt', { day: parameter, plus: 1 }))
