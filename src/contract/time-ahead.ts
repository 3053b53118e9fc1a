import { zoneOffsetAt } from './calendar.ts'

/*
 * Times of changes that lie in the future. If local times are read in a wrong time zone, the newest
 * ones are ahead of the import by the difference of the two zones.
 */

/** Clocks of two machines differ by less. */
export const clockDifferenceMs = 120_000

/** A wrong time zone moves times by no more. */
export const zoneShiftMaxMs = 14 * 3_600_000

const minuteMs = 60_000

/** The newest change is usually no older than this when it is imported. */
const newestAgeMinutes = 10

/**
 * The difference of time zones, in minutes, that explains why the newest time is ahead of its
 * import; null if none does. Zones differ by whole or half hours.
 */
export const probableShift = (aheadMs: number): number | null => {
  const shift = Math.ceil((aheadMs - clockDifferenceMs) / minuteMs / 30) * 30
  const isNear = shift * minuteMs - aheadMs <= newestAgeMinutes * minuteMs
  return isNear && shift >= 30 && shift * minuteMs <= zoneShiftMaxMs ? shift : null
}

/** Time zones that most senders are in, one for each offset. */
const usualZones = [
  'America/Los_Angeles',
  'America/Denver',
  'America/Chicago',
  'America/New_York',
  'America/Sao_Paulo',
  'Europe/London',
  'Europe/Berlin',
  'Europe/Istanbul',
  'Asia/Dubai',
  'Asia/Karachi',
  'Asia/Kolkata',
  'Asia/Dhaka',
  'Asia/Ho_Chi_Minh',
  'Asia/Shanghai',
  'Asia/Tokyo',
  'Australia/Sydney',
  'Pacific/Auckland',
]

/** An offset from UTC and a usual zone that has it: `UTC+08:00 (Asia/Shanghai)`. */
export const describeZone = (offsetMinutes: number, instant: number): string => {
  if (offsetMinutes === 0) return 'UTC'
  const [hours, minutes] = [Math.floor(Math.abs(offsetMinutes) / 60), Math.abs(offsetMinutes) % 60]
  const digits = [hours, minutes].map((each) => String(each).padStart(2, '0')).join(':')
  const zone = usualZones.find((name) => zoneOffsetAt(name, instant) === offsetMinutes * 60)
  return `UTC${offsetMinutes < 0 ? '-' : '+'}${digits}${zone ? ` (${zone})` : ''}`
}

/** A shift as a number of hours: `8`, `5.5`. */
export const shiftHours = (minutes: number): string => String(minutes / 60)
