/** A decimal number, exact: `units` of 10^-scale. For what SQL has no exact arithmetic for. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** Reads an amount of the contract, such as `-12.50`. */
export const decimal = (text: string): Decimal => {
  const [integer = '0', fraction = ''] = text.split('.')
  return { units: BigInt(integer + fraction), scale: fraction.length }
}

export const add = (...terms: readonly Decimal[]): Decimal => {
  const scale = Math.max(0, ...terms.map((each) => each.scale))
  return { scale, units: terms.reduce((total, each) => total + unitsAt(each, scale), 0n) }
}

export const multiply = (...factors: readonly Decimal[]): Decimal => ({
  units: factors.reduce((product, each) => product * each.units, 1n),
  scale: factors.reduce((scale, each) => scale + each.scale, 0),
})

export const negative = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale })

/** Less than 0, 0, or more, as the first is less than, equal to or more than the second. */
export const compare = (a: Decimal, b: Decimal): number => {
  const { units } = add(a, negative(b))
  return units < 0n ? -1 : units > 0n ? 1 : 0
}

/** Whether two numbers are the same once rounded to so many places, whichever way a half goes. */
export const agree = (a: Decimal, b: Decimal, places: number): boolean => {
  const { units, scale } = add(a, negative(b), { units: 0n, scale: places })
  const distance = units < 0n ? -units : units
  return distance * 2n <= 10n ** BigInt(scale - places)
}

/** Without idle zeros, but never with a single place: `640`, `24.80`, `0.096`. */
export const decimalText = ({ units, scale }: Decimal): string => {
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, '0')
  const integer = digits.slice(0, digits.length - scale)
  const places = digits.slice(digits.length - scale).replace(/0+$/, '')
  const fraction = places === '' ? '' : `.${places.padEnd(2, '0')}`
  return `${units < 0n ? '-' : ''}${integer}${fraction}`
}

const unitsAt = ({ units, scale }: Decimal, wanted: number): bigint =>
  units * 10n ** BigInt(wanted - scale)
