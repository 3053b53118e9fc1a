import { zoneOffsetAt } from '#contract'

/** Maximum number of days with a cached offset. A zone's offset changes on two days a year. */
const knownMax = 20_000
const dayMs = 86_400_000

/** Converts a local time, in milliseconds as if it were UTC, to an instant. */
export type LocalClock = (localMs: number) => number

/**
 * The clock of a time zone. A skipped time (in spring) moves forward by the gap: 02:30 becomes
 * 03:30. A repeated time (in autumn) is the first of the two.
 */
export const localClock = (timezone: string): LocalClock => {
  if (timezone === 'UTC') return (localMs) => localMs
  /** Offsets by day; null for a day on which the offset changes. */
  const days = new Map<number, number | null>()
  const offsetOfDay = (day: number): number | null => {
    const cached = days.get(day)
    if (cached !== undefined) return cached
    // No offset exceeds a day, so the offsets around the day include those of its hours.
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

/** The offset of a local time near a change. */
const offsetNear = (timezone: string, localMs: number): number => {
  const before = offsetMsAt(timezone, localMs - dayMs)
  const after = offsetMsAt(timezone, localMs + dayMs)
  // The earlier offset is right if it yields an instant before the change. It also applies to
  // skipped times, which neither offset yields.
  const isBefore = offsetMsAt(timezone, localMs - before) === before
  const isAfter = offsetMsAt(timezone, localMs - after) === after
  return isBefore || !isAfter ? before : after
}

const offsetMsAt = (timezone: string, instant: number): number =>
  zoneOffsetAt(timezone, Math.floor(instant / 1_000) * 1_000) * 1_000
