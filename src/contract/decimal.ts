/** An exact decimal number: `units` × 10^-scale. `12.50` is 1250 units at scale 2. */
export interface Decimal {
  readonly units: bigint
  readonly scale: number
}

/** Parses an amount of the contract, such as `-12.50`. */
export const parseDecimal = (amount: string): Decimal => {
  const [integer = '0', fraction = ''] = amount.split('.')
  return { units: BigInt(integer + fraction), scale: fraction.length }
}

export const addDecimals = (...terms: readonly Decimal[]): Decimal => {
  const scale = Math.max(0, ...terms.map((term) => term.scale))
  return { scale, units: terms.reduce((total, term) => total + unitsAtScale(term, scale), 0n) }
}

export const multiplyDecimals = (...factors: readonly Decimal[]): Decimal => ({
  units: factors.reduce((product, factor) => product * factor.units, 1n),
  scale: factors.reduce((scale, factor) => scale + factor.scale, 0),
})

export const negateDecimal = ({ units, scale }: Decimal): Decimal => ({ units: -units, scale })

/** -1, 0 or 1: `a` is less than, equal to or greater than `b`. */
export const compareDecimals = (a: Decimal, b: Decimal): -1 | 0 | 1 =>
  signOf(addDecimals(a, negateDecimal(b)))

/**
 * Whether two numbers can round to the same value at `places` places, whatever the rule for halves.
 */
export const roundToSame = (a: Decimal, b: Decimal, places: number): boolean => {
  const { units, scale } = addDecimals(a, negateDecimal(b), { units: 0n, scale: places })
  const distance = units < 0n ? -units : units
  return distance * 2n <= 10n ** BigInt(scale - places)
}

/** -1, 0 or 1: negative, zero or positive. */
export const signOf = ({ units }: Decimal): -1 | 0 | 1 => (units < 0n ? -1 : units > 0n ? 1 : 0)

/**
 * Writes all places of the scale: 1250 at scale 2 is `12.50`. A `number` must be a safe integer.
 */
export const formatUnits = (units: bigint | number, scale: number): string => {
  const digits = String(units < 0 ? -units : units).padStart(scale + 1, '0')
  const sign = units < 0 ? '-' : ''
  if (scale === 0) return sign + digits
  const point = digits.length - scale
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/** Trims trailing zeros, but never leaves a single place: `640`, `24.80`, `0.096`. */
export const formatDecimal = ({ units, scale }: Decimal): string => {
  const [integer = '', fraction = ''] = formatUnits(units, scale).split('.')
  const places = fraction.slice(0, zerosFrom(fraction))
  return places === '' ? integer : `${integer}.${places.padEnd(2, '0')}`
}

/** The one spelling of an amount's value, without zeros at its ends: `-0.50` is `-0.5`. */
export const plainDecimal = (amount: string): string => {
  const { units, scale } = parseDecimal(amount)
  return trimPlaces(formatUnits(units, scale))
}

/** Without zeros at the end of its decimal places: `12.50` is `12.5`, and `12.00` is `12`. */
export const trimPlaces = (amount: string): string => {
  if (!amount.includes('.')) return amount
  const end = zerosFrom(amount)
  return amount.slice(0, amount[end - 1] === '.' ? end - 1 : end)
}

/** Where the zeros at the end of a text begin. A pattern would search from every zero. */
const zerosFrom = (text: string): number => {
  let end = text.length
  while (text[end - 1] === '0') end -= 1
  return end
}

/** The exact sum of amounts, at the largest scale among them. */
export const sumAmounts = (amounts: readonly string[]): string => {
  const { units, scale } = addDecimals(...amounts.map(parseDecimal))
  return formatUnits(units, scale)
}

const unitsAtScale = ({ units, scale }: Decimal, wanted: number): bigint =>
  units * 10n ** BigInt(wanted - scale)
