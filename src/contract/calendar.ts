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

/** The same for an instant that is now: it is worked out once for a day. */
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

/** The day so many days later, or earlier. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * dayMs).toISOString().slice(0, 10)

/** Days from one day to another; negative where the other is earlier. */
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
  const name = `${timezone} ${day}`
  const cached = starts.get(name)
  if (cached !== undefined) return cached
  const start = findStart(timezone, day)
  if (starts.size >= startsMax) starts.clear()
  starts.set(name, start)
  return start
}

/** Finding one takes as long as reading a page, and most requests are about the same few days. */
const starts = new Map<string, number>()
const startsMax = 2_000

const findStart = (timezone: string, day: string): number => {
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

/** Whether a name is a time zone that this runtime has. */
export const isTimezone = (name: string): boolean => {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

/** The clocks of a time zone are so many seconds ahead of UTC, from an instant on. */
export interface ZoneOffset {
  /** Null for the first. */
  readonly from: number | null
  readonly seconds: number
}

/** Before and after these years, the offset of the first and the last instant applies. */
const offsetYears = { first: 2015, last: 2040 }
/** Two changes of a zone's clocks are further apart. */
const probeMs = 14 * dayMs
/** Clocks change at a quarter of an hour. */
const quarterMs = 900_000
const offsets = new Map<string, readonly ZoneOffset[]>()

/** Every offset of a time zone, in the order of time. */
export const zoneOffsets = (timezone: string): readonly ZoneOffset[] => {
  const cached = offsets.get(timezone)
  if (cached) return cached
  let at = Date.UTC(offsetYears.first, 0, 1)
  let seconds = zoneOffsetAt(timezone, at)
  const all: ZoneOffset[] = [{ from: null, seconds }]
  for (const end = Date.UTC(offsetYears.last, 0, 1); at < end; at += probeMs) {
    const next = zoneOffsetAt(timezone, at + probeMs)
    if (next === seconds) continue
    all.push({ from: changeBetween(timezone, at, at + probeMs), seconds: next })
    seconds = next
  }
  if (offsets.size >= formatsMax) offsets.clear()
  offsets.set(timezone, all)
  return all
}

const changeBetween = (timezone: string, from: number, to: number): number => {
  const seconds = zoneOffsetAt(timezone, from)
  let [before, after] = [from / quarterMs, to / quarterMs]
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2)
    if (zoneOffsetAt(timezone, middle * quarterMs) === seconds) before = middle
    else after = middle
  }
  return after * quarterMs
}

/** How many seconds the clocks of a time zone are ahead of UTC at an instant. */
export const zoneOffsetAt = (timezone: string, instant: number): number => {
  const { year, month, day, hour, minute, second } = partsIn(timezone, instant)
  return (Date.UTC(year, month - 1, day, hour, minute, second) - instant) / 1_000
}

interface DateParts {
  readonly year: number
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
}

const partsIn = (timezone: string, instant: number): DateParts => {
  const parts: Record<string, number> = {}
  for (const { type, value } of formatOf(timezone).formatToParts(instant)) {
    parts[type] = Number(value)
  }
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return { year, month, day, hour, minute, second }
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
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  })
  if (formats.size >= formatsMax) formats.clear()
  formats.set(timezone, format)
  return format
}

const pad = (value: number, length: number): string => String(value).padStart(length, '0')
