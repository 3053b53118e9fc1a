import {
  addDecimals,
  type Decimal,
  formatUnits,
  multiplyDecimals,
  negateDecimal,
  trimPlaces,
} from '#contract'
import { FormatError } from './number-format.ts'

/** The operations of expressions on two or more numbers, from left to right. */
export const operations = {
  sum: (a: Decimal, b: Decimal) => addDecimals(a, b),
  difference: (a: Decimal, b: Decimal) => addDecimals(a, negateDecimal(b)),
  product: (a: Decimal, b: Decimal) => multiplyDecimals(a, b),
  quotient: (a: Decimal, b: Decimal) => divideDecimals(a, b),
} as const satisfies { readonly [name: string]: (a: Decimal, b: Decimal) => Decimal }

export type Operation = keyof typeof operations

/** Decimal places of a quotient that has more of them. */
export const quotientPlaces = 20

/** Further places are cut off, so that a later rounding of halves is right. */
const divideDecimals = (a: Decimal, b: Decimal): Decimal => {
  if (b.units === 0n) throw new FormatError('is divided by zero')
  const places = BigInt(quotientPlaces + b.scale - a.scale)
  let units =
    places >= 0n ? (a.units * 10n ** places) / b.units : a.units / (b.units * 10n ** -places)
  let scale = quotientPlaces
  while (scale > 0 && units % 10n === 0n) {
    units /= 10n
    scale -= 1
  }
  return { units, scale }
}

/** The most digits of a result, and the most decimal places. Bounds the work of long products. */
const digitsMax = 100
const unitsEnd = 10n ** BigInt(digitsMax)

/** Applies an operation to two or more numbers. Throws a `FormatError`. */
export const calculate = (operation: Operation, numbers: readonly Decimal[]): Decimal =>
  numbers.reduce((total, each) => limited(operations[operation](total, each)))

const limited = (number: Decimal): Decimal => {
  const { units, scale } = number
  if (units < unitsEnd && units > -unitsEnd && scale <= digitsMax) return number
  throw new FormatError(`becomes a number with more than ${digitsMax} digits`)
}

/** Rounds to exactly this number of places. Halves are rounded away from zero. */
export const roundDecimal = ({ units, scale }: Decimal, places: number): Decimal => {
  if (scale <= places) return { units: units * 10n ** BigInt(places - scale), scale: places }
  const step = 10n ** BigInt(scale - places)
  const half = (units < 0n ? -step : step) / 2n
  return { units: (units + half) / step, scale: places }
}

/** An amount of the contract, without zeros at its end. */
export const amountOf = ({ units, scale }: Decimal): string => trimPlaces(formatUnits(units, scale))
