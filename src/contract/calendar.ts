/*
 * Days in the time zone of a brand. A date of a record is a day there (specification, `timezone` of the
 * brand), and a timestamp falls on the day that people there see on their clocks.
 */

const dayMs = 86_400_000

/** The day of an instant in a time zone: `2026-11-16`. */
export const dayIn = (timezone: string, instant: number): string => {
  const { year, month, day } = partsIn(timezone, instant)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

/** The day so many days later, or earlier. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/**
 * Days from one day to another; negative where the other is earlier.
 * @public
 */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

/** The Monday of the week of a day. */
export const mondayOf = (day: string): string =>
  addDays(day, -((new Date(day).getUTCDay() + 6) % 7))

/**
 * The first instant of a day in a time zone. Where clocks are set forward at midnight, so that the day
 * has no 00:00, it is the instant of the change.
 */
export const startOfDay = (timezone: string, day: string): number => {
  // No zone is a whole day away from UTC.
  let before = Date.parse(day) - dayMs
  let from = Date.parse(day) + dayMs
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (dayIn(timezone, middle) < day) before = middle
    else from = middle
  }
  return from
}

/**
 * Whether a name is a time zone that this runtime has.
 * @public
 */
export const isTimezone = (name: string): boolean => {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

interface DateParts {
  readonly year: number
  readonly month: number
  readonly day: number
}

const partsIn = (timezone: string, instant: number): DateParts => {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) {
    parts[type] = Number(value)
  }
  const { year = 0, month = 1, day = 1 } = parts
  return { year, month, day }
}

const formats = new Map<string, Intl.DateTimeFormat>()
const formatsMax = 500

const formatOf = (timezone: string): Intl.DateTimeFormat => {
  const cached = formats.get(timezone)
  if (cached) return cached
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    calendar: 'gregory',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
  })
  if (formats.size >= formatsMax) formats.clear()
  formats.set(timezone, format)
  return format
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0')
