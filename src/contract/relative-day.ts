import { addDays, mondayOf } from './calendar.ts'

/* Relative days in the URL of a list of the console, such as `orderDate.gte=today-30`. They keep a
   view of the last 30 days current. The API receives absolute dates. */

const relative = /^(today|monday)([+-]\d{1,4})?$/

export const isRelativeDay = (value: string): boolean => relative.test(value)

/** The date of a relative value on a given day. Other values stay unchanged. */
export const resolveDay = (value: string, today: string): string => {
  const { from, days } = relativeDay(value) ?? {}
  if (from === undefined || days === undefined) return value
  return addDays(from === 'monday' ? mondayOf(today) : today, days)
}

/** The day that a relative value counts from, and how many days; null for other values. */
export const relativeDay = (
  value: string,
): { readonly from: string; readonly days: number } | null => {
  const [, from, days = '0'] = relative.exec(value) ?? []
  return from === undefined ? null : { from, days: Number(days) }
}

type Parameters = { readonly [name: string]: string }

/** The parameters with absolute dates, for the server. */
export const resolveDays = (parameters: Parameters, today: string): { [name: string]: string } =>
  Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      /\.(gte|gt|lte|lt)$|^asOf$|^updatedSince$/.test(name) ? resolveDay(value, today) : value,
    ]),
  )
