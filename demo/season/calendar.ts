import { writtenFor } from '../move.ts'

/** Days are integers counted from 1970-01-01, so that plans can add to them. */
export const dayOf = (text: string): number => Date.parse(`${text}T00:00:00.000Z`) / msPerDay

const msPerDay = 86_400_000

const firstDay = Date.parse('2023-01-01T00:00:00.000Z') / msPerDay
const dayCount = 6 * 366

const writtenDay = (day: number): string => new Date(day * msPerDay).toISOString().slice(0, 10)

/** Precomputed: millions of records share the same few hundred days. */
const writtenDays = Array.from({ length: dayCount }, (_, index) => writtenDay(firstDay + index))

/** The day for which the season is written, as in the story. */
export const today = dayOf(writtenFor)

export const date = (day: number): string => writtenDays[day - firstDay] ?? writtenDay(day)

/** Whether a day is before today. Events of today have not happened yet. */
export const isPast = (day: number): boolean => day < today

const clocks = Array.from(
  { length: 24 * 60 },
  (_, minute) => `T${two(Math.floor(minute / 60))}:${two(minute % 60)}:00.000Z`,
)

function two(value: number): string {
  return value < 10 ? `0${value}` : String(value)
}

/** A timestamp. The minute counts from midnight; the default is 9:00. */
export const moment = (day: number, minute = 9 * 60): string => date(day) + (clocks[minute] ?? '')

/** A timestamp on a past day; null for other days. */
export const momentIfPast = (day: number, minute?: number): string | null =>
  isPast(day) ? moment(day, minute) : null
