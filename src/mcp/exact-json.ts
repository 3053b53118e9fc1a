import type { JsonValue } from '#contract'

/**
 * Parses JSON without losing digits: a whole number that a double cannot hold, such as a sum above
 * 2^53, becomes a string of its digits. Programs that parse a result then get it exactly, too.
 */
export const parseExact = (text: string): JsonValue => parse(text, exactValue)

const exactValue = (_: string, value: JsonValue, { source }: Context): JsonValue =>
  Number.isInteger(value) && !Number.isSafeInteger(value) ? (source ?? value) : value

interface Context {
  /** The text of a primitive value. */
  readonly source?: string
}

const parse = JSON.parse as (text: string, reviver: typeof exactValue) => JsonValue
