/*
 * Calendar days in a brand's time zone. A record's date is a day in that zone (specification,
 * `timezone` of the brand), and a timestamp falls on the local day.
 */

const dayMs = 86_400_000

/** The local day of an instant: `2026-11-16`. */
export const dayIn = (timezone: string, instant: number): string => {
  const { year, month, day } = partsIn(timezone, instant)
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`
}

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
export const mondayOf = (day: string): string =>
  addDays(day, -((new Date(day).getUTCDay() + 6) % 7))

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

/** A time zone's UTC offset from an instant on. */
export interface ZoneOffset {
  /** Null for the first offset. */
  readonly from: number | null
  readonly seconds: number
}

/** Earlier instants use the first offset, later ones the last. */
const offsetYears = { first: 2015, last: 2040 }
/** Probe interval; offset changes of a zone are further apart. */
const probeMs = 14 * dayMs
/** Offsets change on a quarter of an hour. */
const quarterMs = 900_000
const offsets = new Map<string, readonly ZoneOffset[]>()

/** Every offset of a time zone, in chronological order. */
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

/** A time zone's offset from UTC at an instant, in seconds. */
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
