import { currentDay, type Today, trendDays } from '#contract'
import type { BrandProfile } from '#store'
import { dayAt, parseNamed, wholeAt } from './named-parameters.ts'
import { rejectProblems } from './query-string.ts'

/** For operations without parameters. */
export const rejectParameters = (queryText: string): void =>
  rejectProblems(parseNamed(queryText, []).problems)

/** The day of a request: the one it names, or today in the brand's time zone. */
export const todayOf = (profile: BrandProfile, asOf: string | null, now: number): Today => {
  const { timezone } = profile
  return { timezone, day: asOf ?? currentDay(timezone, now) }
}

/** Parses the parameters of the day's figures: a day other than today. */
export const todayParameters = (queryText: string): { readonly asOf: string | null } => {
  const named = parseNamed(queryText, ['asOf'])
  const asOf = dayAt(named, 'asOf')
  rejectProblems(named.problems)
  return { asOf }
}

/** Parses the parameters of a trend: the number of its days. */
export const trendParameters = (queryText: string): { readonly days: number } => {
  const named = parseNamed(queryText, ['days'])
  const days = wholeAt(named, 'days', trendDays) ?? trendDays.default
  rejectProblems(named.problems)
  return { days }
}
