import { ApiError } from '#contract'

/** Reads one value; throws a `FieldProblem`. */
export type Field<T> = (value: unknown) => T

/** What is wrong with a value, as the end of a sentence: `must be …`. */
export class FieldProblem extends Error {}

type Values<Shape> = {
  readonly [Name in keyof Shape]: Shape[Name] extends Field<infer T> ? T : never
}

/**
 * Reads the fields of a body or a query. Refuses them with all problems at once, like the parameters
 * of the API: missing, invalid and unknown ones.
 */
export const readFields = <Shape extends { readonly [name: string]: Field<unknown> }>(
  input: { readonly [name: string]: unknown },
  shape: Shape,
): Values<Shape> => {
  const problems = Object.keys(input)
    .filter((name) => !Object.hasOwn(shape, name))
    .map((name) => ({ parameter: name.slice(0, 100), issue: 'is not known' }))
  const values = Object.entries(shape).map(([name, field]) => {
    try {
      return [name, field(Object.hasOwn(input, name) ? input[name] : undefined)] as const
    } catch (error) {
      if (!(error instanceof FieldProblem)) throw error
      problems.push({ parameter: name, issue: error.message })
      return [name, undefined] as const
    }
  })
  if (problems.length === 0) return Object.fromEntries(values) as Values<Shape>
  const [first] = problems
  throw new ApiError('invalid_parameter', `${first?.parameter} ${first?.issue}.`, {
    details: problems,
  })
}

const problem = (issue: string): FieldProblem => new FieldProblem(issue)

/** A text of 1 to `most` characters. */
export const text =
  (most: number): Field<string> =>
  (value) => {
    if (typeof value === 'string' && value.length > 0 && value.length <= most) return value
    throw problem(`must be a text of 1 to ${most} characters`)
  }

export const flag: Field<boolean> = (value) => {
  if (typeof value === 'boolean') return value
  throw problem('must be true or false')
}

export const choice =
  <const Choice extends string>(...choices: readonly Choice[]): Field<Choice> =>
  (value) => {
    const chosen = choices.find((each) => each === value)
    if (chosen !== undefined) return chosen
    throw problem(`must be one of ${choices.join(', ')}`)
  }

export const listOf =
  <T>(field: Field<T>, most: number): Field<readonly T[]> =>
  (value) => {
    if (Array.isArray(value) && value.length <= most) return value.map((each) => field(each))
    throw problem(`must be a list of at most ${most}`)
  }

/** Undefined if it is missing. */
export const optional =
  <T>(field: Field<T>): Field<T | undefined> =>
  (value) =>
    value === undefined ? undefined : field(value)

/** Null removes what was set. */
export const nullable =
  <T>(field: Field<T>): Field<T | null> =>
  (value) =>
    value === null ? null : field(value)
