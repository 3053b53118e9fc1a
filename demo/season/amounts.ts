import { formatUnits } from '#contract'

/**
 * Amounts are integers in their smallest unit and formatted here, so that no figure of a season is
 * ever a fraction: money in cents, unit prices in tenths of the currency, exchange rates in
 * thousandths, weights in grams, volumes in litres, lengths in millimetres. A price times a rate
 * then has four places and never needs rounding.
 */

/** Cents, as `12.50`. */
export const money = (cents: number): string => formatUnits(cents, 2)

/** Tenths of a currency, as `12.5000`. */
export const unitPrice = (tenths: number): string => price(tenths * 1000)

/** Ten-thousandths of a currency, as `12.5000`. */
export const price = (tenThousandths: number): string => formatUnits(tenThousandths, 4)

/** Thousandths, as `1.080000`. */
export const rate = (thousandths: number): string => fineRate(thousandths * 1000)

/** Millionths, as `0.792393`. */
export const fineRate = (millionths: number): string => formatUnits(millionths, 6)

/** Whole percent, as `30.00`. */
export const percent = (whole: number): string => formatUnits(whole * 100, 2)

/** Grams, as `0.900` kilograms. */
export const kilograms = (grams: number): string => formatUnits(grams, 3)

/** Litres, as `1.920` cubic metres. */
export const cubicMetres = (litres: number): string => formatUnits(litres, 3)

/** Litres, as `0.096000` cubic metres: the scale of a single carton. */
export const cartonVolume = (litres: number): string => formatUnits(litres * 1000, 6)

/** Millimetres, as `60.0` centimetres. */
export const centimetres = (millimetres: number): string => formatUnits(millimetres, 1)

/** The value of a quantity at a price in tenths, in cents. */
export const worth = (quantity: number, tenths: number): number => quantity * tenths * 10
