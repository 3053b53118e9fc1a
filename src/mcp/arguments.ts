import type { JsonValue, Schema } from '#contract'
import { cut, type ParameterProblem, refuseProblems, unknownIssue } from '#request'

/** One argument of a tool, as data: its schema and its check follow from it. */
export type Argument =
  | { readonly kind: 'text'; readonly values?: readonly string[] }
  | { readonly kind: 'whole'; readonly minimum: number; readonly maximum: number }
  | { readonly kind: 'texts' }
  | { readonly kind: 'filters' }

interface Described {
  readonly meaning: string
  readonly required?: true
  readonly default?: JsonValue
}

export type Arguments = { readonly [name: string]: Argument & Described }

/** The value of a filter as agents write it: numbers may come as numbers. */
export type FilterValues = { readonly [name: string]: string | number }

interface ValueByKind {
  text: string
  whole: number
  texts: readonly string[]
  filters: FilterValues
}

/** The arguments of a call, once they have been checked. */
export type Given<A extends Arguments> = {
  readonly [N in keyof A]: A[N] extends { readonly required: true }
    ? ValueByKind[A[N]['kind']]
    : ValueByKind[A[N]['kind']] | undefined
}

const schemas: { readonly [K in Argument['kind']]: (argument: Argument) => Schema } = {
  text: (argument) => ({
    type: 'string',
    ...('values' in argument && argument.values && { enum: argument.values }),
  }),
  whole: (argument) => ({
    type: 'integer',
    ...('minimum' in argument && { minimum: argument.minimum, maximum: argument.maximum }),
  }),
  texts: () => ({ type: 'array', items: { type: 'string' } }),
  filters: () => ({ type: 'object', additionalProperties: { type: ['string', 'integer'] } }),
}

/** The JSON Schema of a tool's arguments. */
export const argumentsSchema = (table: Arguments): Schema => ({
  type: 'object',
  properties: Object.fromEntries(
    Object.entries(table).map(([name, argument]) => [
      name,
      {
        ...schemas[argument.kind](argument),
        description: argument.meaning,
        ...(argument.default !== undefined && { default: argument.default }),
      },
    ]),
  ),
  required: Object.keys(table).filter((name) => table[name]?.required),
  additionalProperties: false,
})

/** What is wrong with a value, if anything. */
const checks: { readonly [K in Argument['kind']]: (value: unknown, argument: Argument) => string } =
  {
    text: (value, argument) => {
      if (typeof value !== 'string') return 'must be a string'
      if (value === '') return 'must not be empty'
      if (!value.isWellFormed()) return 'must not contain half a character (a lone surrogate)'
      const values = 'values' in argument ? argument.values : undefined
      return !values || values.includes(value) ? '' : `must be one of ${values.join(', ')}`
    },
    whole: (value, argument) => {
      const { minimum, maximum } = argument as Argument & { kind: 'whole' }
      const fits = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
      return fits ? '' : `must be a whole number from ${minimum} to ${maximum}`
    },
    texts: (value) =>
      Array.isArray(value) && value.every((each) => checks.text(each, { kind: 'text' }) === '')
        ? ''
        : 'must be an array of strings, such as ["supplierId"]',
    filters: (value) =>
      typeof value === 'object' &&
      value !== null &&
      !Array.isArray(value) &&
      Object.entries(value).every(
        ([name, each]) =>
          name.isWellFormed() &&
          (Number.isInteger(each) || (typeof each === 'string' && each.isWellFormed())),
      )
        ? ''
        : 'must be an object of filter names and their values, such as {"status": "sent"}',
  }

/** Checks the arguments of a call. Throws all that is wrong with them at once. */
export const readArguments = <A extends Arguments>(table: A, given: unknown): Given<A> => {
  const values = (given ?? {}) as { readonly [name: string]: unknown }
  const problems: ParameterProblem[] = []
  for (const [name, value] of Object.entries(values)) {
    const argument = Object.hasOwn(table, name) ? table[name] : undefined
    const issue = argument
      ? // Some agents send null for what they leave out.
        value === null && !argument.required
        ? ''
        : checks[argument.kind](value, argument)
      : `${unknownIssue(name, Object.keys(table))} It takes ${Object.keys(table).join(', ')}`
    if (issue) problems.push({ parameter: cut(name), issue })
  }
  for (const [name, { required, meaning }] of Object.entries(table)) {
    if (required && (values[name] === undefined || values[name] === null)) {
      problems.push({ parameter: name, issue: `is missing: ${meaning}` })
    }
  }
  const seen = new Set<string>()
  refuseProblems(
    problems.filter(({ parameter }) => !seen.has(parameter) && Boolean(seen.add(parameter))),
  )
  const read = Object.keys(table).map((name) => [name, values[name] ?? undefined])
  return Object.fromEntries(read) as Given<A>
}
