import type { JsonValue, Schema } from '#contract'
import { cut, type ParameterProblem, rejectProblems, unknownName } from '#request'

/** An argument of a tool. Its JSON Schema and its validation are derived from it. */
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

type FilterValue = string | number

/** Filter values from agents, which may send numbers as numbers, and several values in an array. */
export type FilterArguments = { readonly [name: string]: FilterValue | readonly FilterValue[] }

interface ValueByKind {
  text: string
  whole: number
  texts: readonly string[]
  filters: FilterArguments
}

/** The validated arguments of a call. */
export type ArgumentValues<A extends Arguments> = {
  readonly [N in keyof A]: A[N] extends { readonly required: true }
    ? ValueByKind[A[N]['kind']]
    : ValueByKind[A[N]['kind']] | undefined
}

/** The maximum number of names in one argument, and of arguments in one call. */
export const namesMax = 100
/** A problem for each name that is not valid. */
export const unknownNames = (
  names: readonly string[],
  validNames: readonly string[],
  issueOf: (name: string) => { readonly unknown: string; readonly all: string },
): readonly string[] => {
  const isKnown = new Set(validNames)
  return names
    .filter((name) => !isKnown.has(name))
    .slice(0, namesMax)
    .map((name, index) => unknownName(name, validNames, index, issueOf(name)))
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
  texts: () => ({ type: 'array', items: { type: 'string' }, maxItems: namesMax }),
  filters: () => ({
    type: 'object',
    additionalProperties: {
      type: ['string', 'integer', 'array'],
      items: { type: ['string', 'integer'] },
      maxItems: namesMax,
    },
    maxProperties: namesMax,
  }),
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

/** The problem with a value; empty if it is valid. */
const checks: { readonly [K in Argument['kind']]: (value: unknown, argument: Argument) => string } =
  {
    text: (value, argument) => {
      if (typeof value !== 'string') return 'must be a string'
      if (value === '') return 'must not be empty'
      if (!value.isWellFormed()) return 'must not contain a lone surrogate'
      const values = 'values' in argument ? argument.values : undefined
      return !values || values.includes(value) ? '' : `must be one of ${values.join(', ')}`
    },
    whole: (value, argument) => {
      const { minimum, maximum } = argument as Argument & { kind: 'whole' }
      const fits = Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum
      return fits ? '' : `must be a whole number from ${minimum} to ${maximum}`
    },
    texts: (value) => {
      if (Array.isArray(value) && value.length > namesMax) return tooMany
      return Array.isArray(value) &&
        value.every((each) => checks.text(each, { kind: 'text' }) === '')
        ? ''
        : 'must be an array of strings, such as ["supplierId"]'
    },
    filters: (value) => {
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
      const pairs = isObject ? Object.entries(value) : []
      if (pairs.length > namesMax) return tooMany
      return isObject && pairs.every(([name, each]) => name.isWellFormed() && isFilter(each))
        ? ''
        : 'must be an object of filter names and their values, such as {"status": "sent"} or {"status": ["sent", "confirmed"]}'
    },
  }

const isFilter = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length <= namesMax && value.every((each) => !Array.isArray(each) && isFilter(each))
    : Number.isInteger(value) || (typeof value === 'string' && value.isWellFormed())

const tooMany = `must have at most ${namesMax} names`

/** Validates the arguments of a call. Throws all problems at once. */
export const readArguments = <A extends Arguments>(table: A, args: unknown): ArgumentValues<A> => {
  const values = (args ?? {}) as { readonly [name: string]: unknown }
  const problems: ParameterProblem[] = []
  const names = Object.keys(values)
  const accepted = Object.keys(table)
  if (names.length > namesMax) {
    rejectProblems([
      { parameter: cut(names[0] ?? ''), issue: `is one of more than ${namesMax} arguments` },
    ])
  }
  for (const [name, argument] of Object.entries(table)) {
    const value = values[name]
    if (!Object.hasOwn(values, name)) continue
    // Some agents send null for an argument they omit.
    const isOmitted = value === null && !argument.required
    const issue = isOmitted ? '' : checks[argument.kind](value, argument)
    if (issue) problems.push({ parameter: name, issue })
  }
  const unknown = names.filter((name) => !Object.hasOwn(table, name))
  const issues = unknownNames(unknown, accepted, () => ({
    unknown: 'is not an argument of this tool',
    all: `It accepts ${accepted.join(', ')}`,
  }))
  for (const [index, issue] of issues.entries()) {
    problems.push({ parameter: cut(unknown[index] ?? ''), issue })
  }
  for (const [name, { required, meaning }] of Object.entries(table)) {
    if (required && (values[name] === undefined || values[name] === null)) {
      problems.push({ parameter: name, issue: `is missing: ${meaning}` })
    }
  }
  const reported = new Set<string>()
  rejectProblems(
    problems.filter(
      ({ parameter }) => !reported.has(parameter) && Boolean(reported.add(parameter)),
    ),
  )
  const read = Object.keys(table).map((name) => [name, values[name] ?? undefined])
  return Object.fromEntries(read) as ArgumentValues<A>
}
