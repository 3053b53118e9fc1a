// @ts-check
// JavaScript: the reader threads load no TypeScript module.
import { decodeDecimal, encodeDecimal } from './decimal-key.mjs'

/** @import { DatabaseSync } from 'node:sqlite' */
/** @import { ThreadData } from './reader-thread.ts' */

/*
 * Exact decimal sums for SQLite, which would add floating-point numbers. Sums the units of each scale:
 * as numbers while these are exact, then as `BigInt`.
 */

/** Numbers and products with this many digits are exact, and so is a sum of 4 of them. */
const exactDigits = 15
const exactMax = 4e15

/**
 * @typedef {object} Sum
 * @property {number} count Values that were added.
 * @property {number[]} small By scale.
 * @property {bigint[]} large By scale.
 */

/** @returns {Sum} */
const start = () => ({ count: 0, small: [], large: [] })

/**
 * @param {Sum} sum
 * @param {number} scale
 * @param {number} units
 */
const addSmall = (sum, scale, units) => {
  const next = (sum.small[scale] ?? 0) + units
  if (Math.abs(next) < exactMax) sum.small[scale] = next
  else {
    sum.large[scale] = (sum.large[scale] ?? 0n) + BigInt(next)
    sum.small[scale] = 0
  }
}

/** @param {string} text */
const scaleOf = (text) => {
  const point = text.indexOf('.')
  return point === -1 ? 0 : text.length - point - 1
}

/**
 * The digits of a number without its decimal point.
 * @param {string} text
 * @param {number} scale
 */
const unitsOf = (text, scale) =>
  scale === 0 ? text : text.slice(0, -scale - 1) + text.slice(-scale)

/**
 * @param {Sum} sum
 * @param {...(string | number | null)} factors
 */
const step = (sum, ...factors) => {
  let scale = 0
  let length = 0
  const units = []
  for (const factor of factors) {
    if (factor === null) return sum
    const text = String(factor)
    const own = scaleOf(text)
    const digits = unitsOf(text, own)
    scale += own
    length += digits.length
    units.push(digits)
  }
  sum.count += 1
  if (length <= exactDigits) {
    let product = 1
    for (const digits of units) product *= Number(digits)
    addSmall(sum, scale, product)
  } else {
    let product = 1n
    for (const digits of units) product *= BigInt(digits)
    sum.large[scale] = (sum.large[scale] ?? 0n) + product
  }
  return sum
}

/**
 * The exact product of decimals, encoded; null if one of them is null.
 * @param {...unknown} factors
 * @returns {Uint8Array | null}
 */
export const productOf = (...factors) => {
  let units = 1n
  let scale = 0
  for (const factor of factors) {
    if (factor === null) return null
    const text = String(factor)
    const own = scaleOf(text)
    units *= BigInt(unitsOf(text, own))
    scale += own
  }
  return encodeDecimal(format(units, scale))
}

/**
 * The sum at the largest scale; null if nothing was added.
 * @param {Sum} sum
 */
const result = ({ count, small, large }) => {
  if (count === 0) return null
  const places = Math.max(small.length, large.length) - 1
  let units = 0n
  for (let scale = 0; scale <= places; scale += 1) {
    const atScale = (large[scale] ?? 0n) + BigInt(small[scale] ?? 0)
    units = units * 10n + atScale
  }
  return format(units, places)
}

/**
 * @param {bigint} units
 * @param {number} scale
 */
const format = (units, scale) => {
  const sign = units < 0n ? '-' : ''
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0')
  const point = digits.length - scale
  return scale === 0 ? sign + digits : `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
}

/**
 * Adds the decimal functions to a connection.
 * @param {DatabaseSync} connection
 * @param {ThreadData['decimalFunctions']} names
 */
export const addDecimalFunctions = (connection, names) => {
  connection.aggregate(names.sum, {
    start,
    step: /** @type {(sum: any, ...values: any[]) => any} */ (step),
    result: /** @type {(sum: any) => string | null} */ (result),
    varargs: true,
    deterministic: true,
  })
  const unit = 2n ** BigInt(names.lowBits)
  connection.function(names.halves, { deterministic: true }, (high, low) =>
    high === null ? null : String(BigInt(Number(high)) * unit + BigInt(Number(low))),
  )
  connection.function(names.text, { deterministic: true }, (bytes) =>
    bytes === null ? null : decodeDecimal(/** @type {Uint8Array} */ (bytes)),
  )
}
