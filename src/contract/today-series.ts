import { addDays, mondayOf, weekOf } from './calendar.ts'
import { ageingGroups } from './summary.ts'

/** The division of a view's records into parts. */
export type SeriesBy =
  /** By the values of a field, in this order. */
  | { readonly kind: 'values'; readonly field: string; readonly values: readonly string[] }
  /** By the age of a date, in the `ageing` groups of summaries. */
  | { readonly kind: 'ageing'; readonly field: string }
  /** By weeks from Monday to Sunday: some before this one, and some from this one on. */
  | {
      readonly kind: 'weeks'
      readonly field: string
      readonly before: number
      readonly from: number
    }

/** A figure in parts, for a chart. Each part is the total of a list of the query API. */
export interface SeriesDefinition {
  readonly group: string
  readonly view: string
  readonly summary: string
  readonly by: SeriesBy
  readonly sum: readonly string[]
}

const arrivalWeeks = { kind: 'weeks', before: 4, from: 8 } as const

export const todaySeries = {
  ordersByStage: {
    group: 'orders',
    view: 'open',
    summary: 'Open orders by their status.',
    by: {
      kind: 'values',
      field: 'status',
      values: ['sent', 'confirmed', 'in_production', 'partially_shipped', 'shipped'],
    },
    sum: ['totalQuantity', 'totalAmount'],
  },
  shipmentsArrived: {
    group: 'shipments',
    view: 'hasArrived',
    summary: 'Shipments that have arrived, by the week of their arrival.',
    by: { ...arrivalWeeks, field: 'actualArrivalAt' },
    sum: ['totalQuantity'],
  },
  shipmentsExpected: {
    group: 'shipments',
    view: 'toArrive',
    summary: 'Shipments that have not arrived, by the week of their estimated arrival.',
    by: { ...arrivalWeeks, field: 'estimatedArrivalAt' },
    sum: ['totalQuantity'],
  },
  invoicesByAge: {
    group: 'invoices',
    view: 'unpaid',
    summary: 'Unpaid invoices by how long ago they were due.',
    by: { kind: 'ageing', field: 'dueDate' },
    sum: ['balanceAmount'],
  },
} as const satisfies { readonly [name: string]: SeriesDefinition }

/** A part of a series. */
export interface SeriesPart {
  /** A value, an ageing group, a week such as `2026-W47`; `earlier`, `later` or `none`. */
  readonly name: string
  /** The first day; null if unbounded. */
  readonly from: string | null
  /** The last day; null if unbounded. */
  readonly to: string | null
  /** The filters of the query API that select it. */
  readonly parameters: readonly (readonly [name: string, value: string])[]
}

/** The parts of a series on a day, in order. */
export const seriesParts = (by: SeriesBy, today: string): readonly SeriesPart[] => {
  if (by.kind === 'values') {
    return by.values.map((value) => ({
      name: value,
      from: null,
      to: null,
      parameters: [[by.field, value]],
    }))
  }
  const ranges = by.kind === 'ageing' ? ageingRanges(today) : weekRanges(by, today)
  const none: SeriesPart = {
    name: 'none',
    from: null,
    to: null,
    parameters: [[`${by.field}.isNull`, 'true']],
  }
  return [
    ...ranges.map(
      ({ name, from, to }): SeriesPart => ({
        name,
        from,
        to,
        parameters: [
          ...(from === null ? [] : [[`${by.field}.gte`, from] as const]),
          // The day after the last, so that times on the last day are included.
          ...(to === null ? [] : [[`${by.field}.lt`, addDays(to, 1)] as const]),
        ],
      }),
    ),
    none,
  ]
}

interface DayRange {
  readonly name: string
  readonly from: string | null
  readonly to: string | null
}

/** From not yet due to long overdue. */
const ageingRanges = (today: string): readonly DayRange[] =>
  ageingGroups.map(({ name, daysMin }, at) => {
    const next = ageingGroups[at + 1]?.daysMin ?? null
    return {
      name,
      from: next === null ? null : addDays(today, 1 - next),
      to: daysMin === null ? null : addDays(today, -daysMin),
    }
  })

const weekRanges = (
  { before, from: weeks }: { readonly before: number; readonly from: number },
  today: string,
): readonly DayRange[] => {
  const first = addDays(mondayOf(today), -7 * before)
  const mondays = Array.from({ length: before + weeks }, (_, at) => addDays(first, 7 * at))
  const last = mondays.at(-1) ?? first
  return [
    { name: 'earlier', from: null, to: addDays(first, -1) },
    ...mondays.map((monday) => ({ name: weekOf(monday), from: monday, to: addDays(monday, 6) })),
    { name: 'later', from: addDays(last, 7), to: null },
  ]
}
