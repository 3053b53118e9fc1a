/*
 * Calendar days in a brand's time zone. A record's date is a day in that zone (specification,
 * `timezone` of the brand), and a timestamp falls on the local day.
 */

const dayMs = 86_400_000

/** The local day of an instant: `2026-11-16`. */
export const dayIn = (timezone: string, instant: number): string =>
  new Date(instant + zoneOffsetAt(timezone, instant) * 1_000).toISOString().slice(0, 10)

/** `dayIn` for the current instant, cached until the day ends. */
export const currentDay = (timezone: string, now: number): string => {
  const cached = currentDays.get(timezone)
  if (cached && now >= cached.from && now < cached.to) return cached.day
  const day = dayIn(timezone, now)
  const [from, to] = [startOfDay(timezone, day), startOfDay(timezone, addDays(day, 1))]
  if (currentDays.size >= formatsMax) currentDays.clear()
  currentDays.set(timezone, { day, from, to })
  return day
}

const currentDays = new Map<
  string,
  { readonly day: string; readonly from: number; readonly to: number }
>()

/** Adds days to a day; a negative number subtracts them. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** The number of days between two days; negative if `to` is earlier. */
export const daysBetween = (from: string, to: string): number =>
  Math.round((Date.parse(to) - Date.parse(from)) / dayMs)

/** The Monday of the day's week. */
export const mondayOf = (day: string): string => addDays(day, -weekdayOf(day))

/** The ISO 8601 week of a day: `2026-W47`. A week belongs to the year of its Thursday. */
export const weekOf = (day: string): string => {
  const thursday = Date.parse(day) + (3 - weekdayOf(day)) * dayMs
  const year = new Date(thursday).getUTCFullYear()
  const days = (thursday - new Date(0).setUTCFullYear(year, 0, 1)) / dayMs
  return `${String(year).padStart(4, '0')}-W${String(Math.floor(days / 7) + 1).padStart(2, '0')}`
}

/** The number of days since Monday. */
const weekdayOf = (day: string): number => (new Date(day).getUTCDay() + 6) % 7

/**
 * The first instant of a day in a time zone. If clocks are set forward at midnight and the day has
 * no 00:00, this is the instant of the change.
 */
export const startOfDay = (timezone: string, day: string): number => {
  const name = `${timezone} ${day}`
  const cached = starts.get(name)
  if (cached !== undefined) return cached
  const start = findStart(timezone, day)
  if (starts.size >= startsMax) starts.clear()
  starts.set(name, start)
  return start
}

/** Cached: a search takes as long as reading a page, and most requests use the same few days. */
const starts = new Map<string, number>()
const startsMax = 2_000

const findStart = (timezone: string, day: string): number => {
  // Every zone is less than a day away from UTC.
  let before = Date.parse(day) - dayMs
  let from = Date.parse(day) + dayMs
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2)
    if (dayIn(timezone, middle) < day) before = middle
    else from = middle
  }
  return from
}

/** Whether this runtime knows the time zone. */
export const isTimezone = (name: string): boolean => {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/**
 * A time zone's offset from UTC at an instant, in seconds. The first and the last day of the
 * contract's years stand for "no date" and "for ever" in other systems, so no zone moves them into
 * years that do not exist.
 */
export const zoneOffsetAt = (timezone: string, instant: number): number => {
  if (instant < zonedInstants.from || instant >= zonedInstants.to) return 0
  const [, sign, ...parts] = offsetPattern.exec(formatOf(timezone).format(instant)) ?? []
  const [hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0))
  return (sign === '-' ? -1 : 1) * ((hours * 60 + minutes) * 60 + seconds)
}

/** The days that are in their time zone: all but the first and the last of the contract. */
export const zonedDays = { from: '0001-01-02', to: '9999-12-31' }
const zonedInstants = { from: Date.parse(zonedDays.from), to: Date.parse(zonedDays.to) }

/** `GMT`, `GMT+05:45`, or with the seconds of a local mean time, `GMT-04:56:02`. */
const offsetPattern = /GMT([+-])(\d\d):(\d\d)(?::(\d\d))?$/

const formats = new Map<string, Intl.DateTimeFormat>()
const formatsMax = 500

const formatOf = (timezone: string): Intl.DateTimeFormat => {
  const cached = formats.get(timezone)
  if (cached) return cached
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: timezone,
    year: '2-digit',
    timeZoneName: 'longOffset',
  })
  if (formats.size >= formatsMax) formats.clear()
  formats.set(timezone, format)
  return format
}
