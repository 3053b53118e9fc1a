import { addDays, mondayOf } from '../../../src/contract/index.ts'
import type { Filters } from '../api.ts'

/*
 * Days in the URL of a list that move with the calendar: `orderDate.gte=today-30`. A saved view of the
 * last 30 days is that of tomorrow, too. The server gets dates.
 */

const relative = /^(today|monday)([+-]\d{1,4})?$/

export const isRelativeDay = (value: string): boolean => relative.test(value)

/** The date that a value means on a day; other values stay as they are. */
export const resolveDay = (value: string, today: string): string => {
  const [, from, days = '0'] = relative.exec(value) ?? []
  if (from === undefined) return value
  return addDays(from === 'monday' ? mondayOf(today) : today, Number(days))
}

/** The parameters of a list as the server takes them. */
export const resolveDays = (parameters: Filters, today: string): Filters =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      /\.(gte|gt|lte|lt)$|^asOf$|^updatedSince$/.test(name) ? resolveDay(value, today) : value,
    ]),
  )

/** A range of days that people ask for by its name. */
export interface DayPreset {
  readonly name: string
  readonly from: string | null
  /** The last day of it. */
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

/** The day after, in the same form: the end of a range of times is the beginning of the next day. */
export const dayAfter = (value: string): string => shifted(value, 1)
export const dayBefore = (value: string): string => shifted(value, -1)

const shifted = (value: string, by: number): string => {
  const [, from, days = '0'] = relative.exec(value) ?? []
  if (from === undefined) return addDays(value, by)
  const sum = Number(days) + by
  return sum === 0 ? from : `${from}${sum > 0 ? '+' : ''}${sum}`
}
