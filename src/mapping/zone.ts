import { zoneOffsetAt } from '#contract'

/** The days whose offset is known; the clocks of a zone change on two days a year. */
const knownMax = 20_000
const dayMs = 86_400_000

/** Turns a local time, in milliseconds as if it were UTC, into an instant. */
export type LocalClock = (localMs: number) => number

/**
 * The clocks of a time zone. A time that clocks skip (the hour that is lost in spring) is moved by what
 * they skip: 02:30 becomes 03:30. A time that clocks show twice (the hour that is repeated in autumn) is
 * the first of the two.
 */
export const localClock = (timezone: string): LocalClock => {
  if (timezone === 'UTC') return (localMs) => localMs
  /** Offsets of whole days; null for a day on which they differ. */
  const days = new Map<number, number | null>()
  const offsetOfDay = (day: number): number | null => {
    const cached = days.get(day)
    if (cached !== undefined) return cached
    // No offset is longer than a day, so that the offsets around the day include those of its hours.
    const first = offsetMsAt(timezone, (day - 1) * dayMs)
    const last = offsetMsAt(timezone, (day + 2) * dayMs)
    const offset = first === last ? first : null
    if (days.size >= knownMax) days.clear()
    days.set(day, offset)
    return offset
  }
  return (localMs) => {
    const offset = offsetOfDay(Math.floor(localMs / dayMs))
    return localMs - (offset ?? offsetNear(timezone, localMs))
  }
}

/** The offset of a local time around which clocks may change. */
const offsetNear = (timezone: string, localMs: number): number => {
  const before = offsetMsAt(timezone, localMs - dayMs)
  const after = offsetMsAt(timezone, localMs + dayMs)
  // The earlier offset is right if the instant that it gives is before the change, and also for a time
  // that clocks skip, which neither offset gives.
  const isBefore = offsetMsAt(timezone, localMs - before) === before
  const isAfter = offsetMsAt(timezone, localMs - after) === after
  return isBefore || !isAfter ? before : after
}

const offsetMsAt = (timezone: string, instant: number): number =>
  zoneOffsetAt(timezone, Math.floor(instant / 1_000) * 1_000) * 1_000
