import { currentDay, type Today } from '#contract'
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
  const query = parseQuery(queryText)
  const problems = [...query.problems]
  let unknownCount = 0
  for (const name of query.values.keys()) {
    if (name === 'asOf') continue
    const issue = unknownParameter(name, ['asOf'], unknownCount++)
    problems.push({ parameter: cut(name), issue })
  }
  const asOf = query.values.get('asOf') ?? null
  if (asOf !== null && !isDate(asOf)) {
    problems.push({ parameter: 'asOf', issue: 'must be a date such as 2026-03-01' })
  }
  rejectProblems(problems)
  return { asOf }
}
