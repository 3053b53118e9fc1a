import { formatCount } from '#contract'
import { openValuesOf } from './expression-parts.ts'
import type { Mapping } from './mapping.ts'
import { MappingError } from './mapping-error.ts'
import { printExpression } from './print-expression.ts'

/** A value of a mapping that is not decided yet, for people and programs. */
export interface ListedOpenValue {
  readonly collection: string
  readonly field: string
  readonly line: number
  /** The candidates as they would be written, best first. */
  readonly candidates: readonly string[]
}

/** The values of a mapping that are not decided yet, in the order of the file. */
export const listOpenValues = (mapping: Mapping): readonly ListedOpenValue[] =>
  openValuesOf(mapping).map((each) => ({
    ...each,
    candidates: each.candidates.map(printExpression),
  }))

/** `orders.incotermCode is open: { value: FOB } or TERMS`. */
export const describeOpenValue = ({ collection, field, candidates }: ListedOpenValue): string =>
  `${collection}.${field} is open: ${candidates.length > 0 ? candidates.join(' or ') : 'there is no candidate'}`

/** Refuses a mapping with values that are not decided, and names their lines. */
export const requireDecided = (mapping: Mapping, advice = ''): void => {
  const open = listOpenValues(mapping)
  if (open.length === 0) return
  const count = formatCount(open.length, 'open value')
  throw new MappingError(mapping.file, [
    { line: 0, message: `has ${count}: decide ${open.length > 1 ? 'them' : 'it'}${advice}` },
    ...open.map((each) => ({ line: each.line, message: describeOpenValue(each) })),
  ])
}
