import { addDays, mondayOf } from '../../../src/contract/index.ts'
import type { Filters } from '../api.ts'

/* Relative days in the URL of a list, such as `orderDate.gte=today-30`. They keep a saved view of
   the last 30 days current. The server receives absolute dates. */

const relative = /^(today|monday)([+-]\d{1,4})?$/

export const isRelativeDay = (value: string): boolean => relative.test(value)

/** The date of a relative value on a given day. Other values stay unchanged. */
export const resolveDay = (value: string, today: string): string => {
  const [, from, days = '0'] = relative.exec(value) ?? []
  if (from === undefined) return value
  return addDays(from === 'monday' ? mondayOf(today) : today, Number(days))
}

/** The parameters with absolute dates, for the server. */
export const resolveDays = (parameters: Filters, today: string): Filters =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      /\.(gte|gt|lte|lt)$|^asOf$|^updatedSince$/.test(name) ? resolveDay(value, today) : value,
    ]),
  )

/** A named range of days. */
export interface DayPreset {
  readonly name: string
  readonly from: string | null
  /** The last day, inclusive. */
  readonly to: string | null
}

export const dayPresets = [
  { name: 'today', from: 'today', to: 'today' },
  { name: 'thisWeek', from: 'monday', to: 'monday+6' },
  { name: 'nextWeek', from: 'monday+7', to: 'monday+13' },
  { name: 'last7Days', from: 'today-6', to: 'today' },
  { name: 'last30Days', from: 'today-29', to: 'today' },
  { name: 'next30Days', from: 'today', to: 'today+29' },
  { name: 'past', from: null, to: 'today-1' },
] as const satisfies readonly DayPreset[]

export type DayPresetName = (typeof dayPresets)[number]['name']

/** The next day in the same form: a range of times ends at the start of the next day. */
export const dayAfter = (value: string): string => shifted(value, 1)
export const dayBefore = (value: string): string => shifted(value, -1)

const shifted = (value: string, by: number): string => {
  const [, from, days = '0'] = relative.exec(value) ?? []
  if (from === undefined) return addDays(value, by)
  const sum = Number(days) + by
  return sum === 0 ? from : `${from}${sum > 0 ? '+' : ''}${sum}`
}
