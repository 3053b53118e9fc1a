import type { Kind } from '#contract'
import { columnsIn, partsOf } from './expression-parts.ts'
import type { Expression, RowsFunction, ValueSource } from './mapping.ts'
import { kindName, kindNames, type Settings, type Target } from './parse-modifiers.ts'
import { type ProblemList, readText, unknownName } from './settings.ts'
import type { YamlNode } from './yaml-tree.ts'

/** The rows that `rows` can be about. */
export interface RowSets {
  /** The names of joined rows. */
  readonly joins: readonly string[]
  readonly isGrouped: boolean
}

interface RowsContext {
  readonly collection: string
  readonly problems: ProblemList
  /** Null inside of the value of a row. */
  readonly rowSets: RowSets | null
  /** Parses the value of a row. */
  readonly parse: (node: YamlNode, target: Target) => Expression | null
}

/** The kinds of fields that each function over rows makes values of. */
const kindsOfRows: Record<RowsFunction, readonly Kind[]> = {
  sum: ['integer', 'amount'],
  count: ['integer', 'amount'],
  min: ['integer', 'amount', 'date', 'timestamp'],
  max: ['integer', 'amount', 'date', 'timestamp'],
  first: ['text', 'integer', 'amount', 'flag', 'date', 'timestamp', 'any'],
}

/** Parses a value of several rows; null after a problem. */
export const parseRowsOf = (
  node: YamlNode,
  settings: Settings,
  target: Target,
  { problems, rowSets, collection, parse }: RowsContext,
): ValueSource | null => {
  const { name, field } = target
  const refuse = (line: number, message: string): null => {
    problems.add(line, message)
    return null
  }
  const text = readText(node, `rows of ${name}`, problems) ?? ''
  if (!Object.hasOwn(kindsOfRows, text)) {
    const unknown = unknownName(text, Object.keys(kindsOfRows), 'a function over rows')
    return refuse(node.line, `rows of ${name}: ${unknown}`)
  }
  const called = text as RowsFunction
  const kinds = kindsOfRows[called]
  if (!kinds.includes(field.kind)) {
    return refuse(
      node.line,
      `rows: ${called} makes ${kindNames(kinds)}, and ${name} is ${kindName(field.kind)}`,
    )
  }
  if (!rowSets) return refuse(node.line, `${name} has rows within rows, which is not possible`)
  const within = settings.get('in')
  const set = readText(within, `in of ${name}`, problems)
  if (within && set !== null && !rowSets.joins.includes(set)) {
    return refuse(within.line, unknownName(set, rowSets.joins, `a join of ${collection}`))
  }
  if (!within && !rowSets.isGrouped) {
    return refuse(
      node.line,
      `rows of ${name} has no in, and ${collection} has no group: add in: with the name of a join, or group: […]`,
    )
  }
  const of = settings.get('of')
  if (!of && called !== 'count') {
    return refuse(node.line, `rows: ${called} of ${name} has no of: add of: COLUMN`)
  }
  const kind = called === 'sum' ? 'amount' : called === 'count' ? 'any' : null
  const value = of ? parse(of, kind ? { name, field: { kind, nullable: true } } : target) : null
  if (of && !value) return null
  const isForeign = (column: string) => rowSets.joins.some((each) => column.startsWith(`${each}.`))
  const foreign = set !== null && value ? columnsIn([value]).find(isForeign) : undefined
  if (of && foreign !== undefined) {
    return refuse(
      of.line,
      `of ${name} is about the rows of ${set}, and ${foreign} is a column of other rows`,
    )
  }
  if (of && value && roundsToCurrency(value)) {
    return refuse(
      of.line,
      `of ${name} has round: currency, and the currency is that of the record: write round beside of, or a number of places`,
    )
  }
  return { kind: 'rows', function: called, in: set, of: value }
}

const roundsToCurrency = ({ source, round }: Expression): boolean =>
  (round !== undefined && 'currency' in round) || partsOf(source).some(roundsToCurrency)
