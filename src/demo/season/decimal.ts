/**
 * Amounts are counted as whole numbers of their smallest unit and written out here, so that no
 * figure of a season ever passes through a fraction: money in cents, unit prices in tenths of the
 * currency, exchange rates in thousandths, weights in grams, volumes in litres, lengths in
 * millimetres. A price times a rate then has four places and never needs rounding.
 */
const padded = (digits: number): readonly string[] =>
  Array.from({ length: 10 ** digits }, (_, value) => `.${String(value).padStart(digits, '0')}`)

const hundredths = padded(2)
const thousandths = padded(3)
const tenThousandths = padded(4)

const written = (value: number, unit: number, fractions: readonly string[], after = ''): string => {
  const size = Math.abs(value)
  const whole = Math.floor(size / unit)
  return (value < 0 ? '-' : '') + whole + fractions[size - whole * unit] + after
}

/** Cents, as `12.50`. */
export const money = (cents: number): string => written(cents, 100, hundredths)

/** Tenths of a currency, as `12.5000`. */
export const unitPrice = (tenths: number): string => price(tenths * 1000)

/** Ten-thousandths of a currency, as `12.5000`. */
export const price = (tenThousandth: number): string =>
  written(tenThousandth, 10_000, tenThousandths)

/** Thousandths, as `1.080000`. */
export const rate = (thousandth: number): string => written(thousandth, 1000, thousandths, '000')

/** Millionths, as `0.792393`. */
export const fineRate = (millionths: number): string =>
  `${Math.floor(millionths / 1_000_000)}.${String(millionths % 1_000_000).padStart(6, '0')}`

/** Whole percent, as `30.00`. */
export const percent = (whole: number): string => `${whole}.00`

/** Grams, as `0.900` kilograms. */
export const kilograms = (grams: number): string => written(grams, 1000, thousandths)

/** Litres, as `1.920` cubic metres. */
export const cubicMetres = (litres: number): string => written(litres, 1000, thousandths)

/** Litres, as `0.096000` cubic metres: the scale of a single carton. */
export const cartonVolume = (litres: number): string => written(litres, 1000, thousandths, '000')

/** Millimetres, as `60.0` centimetres. */
export const centimetres = (millimetres: number): string =>
  `${Math.floor(millimetres / 10)}.${millimetres % 10}`

/** The value of a quantity at a price in tenths, in cents. */
export const worth = (quantity: number, tenths: number): number => quantity * tenths * 10
