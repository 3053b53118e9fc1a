import {
  currencyDigits,
  type Decimal,
  formatUnits,
  type JsonValue,
  multiplyDecimals,
  parseDecimal,
} from '#contract'
import { amountOf, calculate, roundDecimal } from './arithmetic.ts'
import type { Binding, Read } from './binding.ts'
import { type Cell, textOf } from './cell.ts'
import { unitNameOf } from './codes/unit-codes.ts'
import { integerOf } from './convert.ts'
import type { Expression, ValueSource } from './mapping.ts'
import { FormatError } from './number-format.ts'
import type { RowWork } from './row-work.ts'
import { units } from './units.ts'

/** Compiles an expression of the same row. */
export type CompilePart = (expression: Expression) => Read

/** What a number counts: about the characters of one. */
const numberCost = 50

/** Two or more numbers as one; null if one of them is empty. */
export const compileArithmetic = (
  { operation, of }: Extract<ValueSource, { readonly kind: 'arithmetic' }>,
  work: RowWork,
  compile: CompilePart,
): Read => {
  const parts = of.map(compile)
  return (cells) => {
    work.spend(parts.length * numberCost)
    const numbers = []
    for (const read of parts) {
      const value = read(cells)
      if (value === null) return null
      numbers.push(parseDecimal(String(value)))
    }
    return amountOf(calculate(operation, numbers))
  }
}

/** Whether numbers are changed after they are read: a plain column is converted in one step. */
export const changesNumbers = ({ source, unit, round }: Expression): boolean =>
  source.kind === 'arithmetic' || unit !== undefined || round !== undefined

/** Converts an amount by factor, unit and rounding to a value of the expression's kind. */
export const compileNumberChange = (
  expression: Expression,
  binding: Binding,
  compile: CompilePart,
): ((amount: Cell, cells: readonly Cell[]) => JsonValue) => {
  const { multiply } = expression.formats
  // The parts of `first` have factors of their own.
  const isFactored = multiply !== null && expression.source.kind !== 'first'
  const factor = isFactored ? parseDecimal(multiply) : null
  const unitFactor = expression.unit ? compileUnit(expression.unit, compile) : null
  const places = expression.round ? compilePlaces(expression.round, binding, compile) : null
  return (amount, cells) => {
    let number = parseDecimal(String(amount))
    if (factor !== null) number = multiplyDecimals(number, factor)
    if (unitFactor !== null) number = multiplyDecimals(number, unitFactor(cells))
    // Rounded money has all places of its currency: 525.00 is not a change of 525.
    const text = places === null ? amountOf(number) : roundedOf(number, places(cells))
    return expression.as === 'integer' ? integerOf(text) : text
  }
}

const roundedOf = (number: Decimal, places: number): string => {
  const { units: digits, scale } = roundDecimal(number, places)
  return formatUnits(digits, scale)
}

/** The factor of the unit that a row names. */
const compileUnit = (
  { from, to }: NonNullable<Expression['unit']>,
  compile: CompilePart,
): ((cells: readonly Cell[]) => Decimal) => {
  const read = compile(from)
  const factors = new Map<string, Decimal>()
  return (cells) => {
    const text = textOf(read(cells))
    if (text === null) throw new FormatError('has no unit in its row')
    const cached = factors.get(text)
    if (cached) return cached
    const name = unitNameOf(text)
    const unit = name === null ? undefined : units[name]
    const shown = JSON.stringify(text.slice(0, 40))
    if (!unit) {
      throw new FormatError(
        `has the unit ${shown}, which is not known: say what it means with values in from of unit`,
      )
    }
    if (unit.to !== to)
      throw new FormatError(`has the unit ${shown}, which is not converted to ${to}`)
    const factor = parseDecimal(unit.factor)
    if (factors.size < unitsKeptMax) factors.set(text, factor)
    return factor
  }
}

/** More spellings of units than a column has. */
const unitsKeptMax = 1_000

/** The places to round to, in each row. */
const compilePlaces = (
  round: NonNullable<Expression['round']>,
  binding: Binding,
  compile: CompilePart,
): ((cells: readonly Cell[]) => number) => {
  if ('places' in round) return () => round.places
  const field = binding.fields.find((each) => each.field === round.currency)
  const read = field ? compile(field.value) : () => null
  return (cells) => {
    const code = textOf(read(cells)) ?? binding.brand?.currency ?? null
    if (code === null) throw new FormatError('has no currency to round to: use a number of places')
    return currencyDigits(code)
  }
}
