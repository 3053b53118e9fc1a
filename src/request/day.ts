import { currentDay, type Today, trendDays } from '#contract'
import type { BrandProfile } from '#store'
import { cut, parseQuery, rejectProblems } from './query-string.ts'
import { isDate } from './query-values.ts'
import { unknownParameter } from './unknown-parameter.ts'

/** For operations without parameters. */
export const rejectParameters = (queryText: string): void => {
  const query = parseQuery(queryText)
  const unknown = [...query.values.keys()].map((name, index) => ({
    parameter: cut(name),
    issue: unknownParameter(name, [], index),
  }))
  rejectProblems([...query.problems, ...unknown])
}

/** The day of a request: the one it names, or today in the brand's time zone. */
export const todayOf = (profile: BrandProfile, asOf: string | null, now: number): Today => {
  const { timezone } = profile
  return { timezone, day: asOf ?? currentDay(timezone, now) }
}

/** Parses the parameters of the day's figures: a day other than today. */
export const todayParameters = (queryText: string): { readonly asOf: string | null } => {
  const { values, problems } = parseNamed(queryText, ['asOf'])
  const asOf = values.get('asOf') ?? null
  if (asOf !== null && !isDate(asOf)) {
    problems.push({ parameter: 'asOf', issue: 'must be a date such as 2026-03-01' })
  }
  rejectProblems(problems)
  return { asOf }
}

/** Parses the parameters of a trend: the number of its days. */
export const trendParameters = (queryText: string): { readonly days: number } => {
  const { values, problems } = parseNamed(queryText, ['days'])
  const { minimum, maximum, default: standard } = trendDays
  const text = values.get('days')
  const days = text === undefined ? standard : wholeNumber(text)
  if (days < minimum || days > maximum) {
    const issue = `must be a whole number from ${minimum} to ${maximum}`
    problems.push({ parameter: 'days', issue })
  }
  rejectProblems(problems)
  return { days }
}

/** -1 if it is not the text of a whole number. */
const wholeNumber = (text: string): number => (/^[1-9]\d{0,3}$/.test(text) ? Number(text) : -1)

/** Parses parameters of which only some names exist; the others are problems. */
const parseNamed = (queryText: string, names: readonly string[]) => {
  const query = parseQuery(queryText)
  const problems = [...query.problems]
  let unknownCount = 0
  for (const name of query.values.keys()) {
    if (names.includes(name)) continue
    const issue = unknownParameter(name, names, unknownCount++)
    problems.push({ parameter: cut(name), issue })
  }
  return { values: query.values, problems }
}
