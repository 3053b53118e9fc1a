import type { Resource } from '#contract'
import { cut, type ParameterProblem, parseQuery } from './query-string.ts'
import { isDate } from './query-values.ts'
import { pathIdParameter } from './record-id.ts'
import { unknownParameter } from './unknown-parameter.ts'

/** The parameters of a path that takes only some names, and the problems so far. */
export interface NamedParameters {
  readonly values: ReadonlyMap<string, string>
  readonly problems: ParameterProblem[]
}

/** Parses parameters of which only some names exist; the others are problems. */
export const parseNamed = (
  queryText: string,
  names: readonly string[],
  idProblem: ParameterProblem | null | undefined = null,
): NamedParameters => {
  const { values, problems } = parseQuery(queryText)
  const unknown = [...values.keys()].filter((name) => !names.includes(name))
  return {
    values,
    problems: [
      ...problems,
      ...(idProblem ? [idProblem] : []),
      ...unknown.map((name, index) => ({
        parameter: cut(name),
        issue: unknownParameter(name, names, index),
      })),
    ],
  }
}

/** `parseNamed` for a path with the id of a record, which may be a problem too. */
export const namedOfRecord = (resource: Resource, names: readonly string[]) => {
  const checkId = pathIdParameter(resource)
  return (queryText: string, id: string): NamedParameters =>
    parseNamed(queryText, names, checkId(id))
}

/** A whole number of a range; null if the request has none, or another value. */
export const wholeAt = (
  { values, problems }: NamedParameters,
  parameter: string,
  { minimum, maximum }: { readonly minimum: number; readonly maximum: number },
): number | null => {
  const text = values.get(parameter)
  if (text === undefined) return null
  const number = /^[1-9]\d{0,3}$/.test(text) ? Number(text) : 0
  if (number >= minimum && number <= maximum) return number
  problems.push({ parameter, issue: `must be a whole number from ${minimum} to ${maximum}` })
  return null
}

/** A day; null if the request has none. */
export const dayAt = ({ values, problems }: NamedParameters, parameter: string): string | null => {
  const day = values.get(parameter) ?? null
  if (day === null || isDate(day)) return day
  problems.push({ parameter, issue: 'must be a date such as 2026-03-01' })
  return null
}
