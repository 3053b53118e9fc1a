import { OperatorError } from './error.ts'

const seconds: { readonly [unit: string]: number } = {
  s: 1,
  m: 60,
  h: 3_600,
  d: 86_400,
  w: 604_800,
}

/** A duration such as 90d, 12h, 30m or 45s, in seconds. */
export const readDuration = (text: string): number => {
  const [, count, unit] = /^(\d{1,6})([smhdw])$/.exec(text) ?? []
  if (!count || !unit) {
    throw new OperatorError(
      'invalid',
      `"${text}" is not a duration. Use a number and a unit, for example 90d, 12h or 30m.`,
    )
  }
  return Number(count) * (seconds[unit] ?? 0)
}

/** Converts an ISO time, or a duration from now, to a timestamp. */
export const readMoment = (text: string, now: number): string => {
  const at = readTime(text, (seconds) => now + seconds * 1_000)
  if (at <= now) {
    throw new OperatorError('invalid', `"${text}" is in the past. Use a time in the future.`)
  }
  return new Date(at).toISOString()
}

/** Converts an ISO time, or a duration ago, to a timestamp. */
export const readPast = (text: string, now: number): string =>
  new Date(readTime(text, (seconds) => now - seconds * 1_000)).toISOString()

const readTime = (text: string, timeOf: (seconds: number) => number): number => {
  const isIso = /^\d{4}-\d{2}-\d{2}(T[\d:.]+(Z|[+-]\d{2}:\d{2}))?$/.test(text)
  const at = isIso ? Date.parse(text) : timeOf(readDuration(text))
  // Date.parse reads 30 February as 2 March.
  const day = text.slice(0, 10)
  const isDay = !isIso || asDay(Date.parse(`${day}T00:00:00Z`)) === day
  if (Number.isNaN(at) || !isDay)
    throw new OperatorError(
      'invalid',
      `"${text}" is not a time. Use ISO 8601 with a time zone, for example 2027-01-31T00:00:00Z, or a duration such as 90d.`,
    )
  return at
}

const asDay = (at: number): string =>
  Number.isNaN(at) ? '' : new Date(at).toISOString().slice(0, 10)
