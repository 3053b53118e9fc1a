import { addDays, daysBetween, mondayOf } from '../../../src/contract/index.ts'

/** Weeks from Monday to Sunday, one after the other. */
export interface Weeks {
  /** The Monday of the first one. */
  readonly first: string
  readonly count: number
}

/** The weeks around today that are always shown, and those that are shown at most. */
const least = { before: 2, after: 8 }
const most = { before: 26, after: 52 }

/** The weeks of some days around today: days that are further away do not stretch the calendar. */
export const weeksAround = (today: string, days: Iterable<string>): Weeks => {
  const current = mondayOf(today)
  let [before, after] = [-least.before, least.after]
  for (const day of days) {
    const week = daysBetween(current, mondayOf(day)) / 7
    if (week < before) before = week
    if (week > after) after = week
  }
  const from = Math.max(before, -most.before)
  const to = Math.min(after, most.after)
  return { first: addDays(current, from * 7), count: to - from + 1 }
}

/** The Mondays. */
export const mondaysOf = ({ first, count }: Weeks): readonly string[] =>
  Array.from({ length: count }, (_, at) => addDays(first, at * 7))

/** The place of the beginning of a day in weeks from the left, at most at the edges. */
export const placeOf = ({ first, count }: Weeks, day: string): number =>
  Math.min(Math.max(daysBetween(first, day) / 7, 0), count)

/** The number of the week that has a day; null outside. */
export const weekAt = ({ first, count }: Weeks, day: string): number | null => {
  const week = Math.floor(daysBetween(first, day) / 7)
  return week < 0 || week >= count ? null : week
}

/** Whether a time of days is at least partly in the weeks. */
export const isWithin = ({ first, count }: Weeks, from: string, to: string): boolean =>
  to >= first && from < addDays(first, count * 7)
