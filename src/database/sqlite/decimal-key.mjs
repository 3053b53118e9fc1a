// @ts-check
// JavaScript, because the threads that read load no module with types.

/*
 * Decimal numbers as bytes whose order is that of the numbers, exact for any number of digits. 1.5 and
 * 1.50 have the same bytes.
 *
 * A positive number is 0.d1d2… × 10^e with d1 > 0: the byte 2, then e, then two digits in a byte, from
 * 1 to 100. Zero is the byte 1. A negative number is the byte 0, then the bytes of its opposite, each
 * subtracted from 255, then 255, so that -1.55 comes before -1.5.
 */

const [negative, zero, positive] = [0, 1, 2]
/** Exponents within these bounds take one byte. */
const [smallMin, smallMax, smallBias] = [-64, 63, 128]
const [below, above] = [0, 255]
const largeBias = 2 ** 31

/** @typedef {{ readonly isNegative: boolean, readonly exponent: number, readonly digits: string }} Parts */

/**
 * The bytes of an amount of the contract, such as `-12.50`.
 * @param {string} amount
 * @returns {Uint8Array}
 */
export const encodeDecimal = (amount) => {
  const { isNegative, exponent, digits } = partsOf(amount)
  if (digits === '') return Uint8Array.of(zero)
  const bytes = [...exponentBytes(exponent)]
  for (let at = 0; at < digits.length; at += 2) {
    bytes.push(Number(digits.slice(at, at + 2).padEnd(2, '0')) + 1)
  }
  return isNegative
    ? Uint8Array.from([negative, ...bytes.map((byte) => 255 - byte), 255])
    : Uint8Array.from([positive, ...bytes])
}

/**
 * The same as a function of SQL: null for null.
 * @param {unknown} amount
 * @returns {Uint8Array | null}
 */
export const decimalOf = (amount) => (typeof amount === 'string' ? encodeDecimal(amount) : null)

/**
 * The amount of such bytes, without zeros that mean nothing.
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export const decodeDecimal = (bytes) => {
  const [sign = zero] = bytes
  if (sign === zero) return '0'
  const isNegative = sign === negative
  const plain = isNegative ? bytes.subarray(1, -1).map((byte) => 255 - byte) : bytes.subarray(1)
  const [first = 0] = plain
  const isLarge = first === below || first === above
  const exponent = isLarge ? Buffer.from(plain).readUInt32BE(1) - largeBias : first - smallBias
  const pairs = plain.subarray(isLarge ? 5 : 1)
  const digits = Array.from(pairs, (pair) => String(pair - 1).padStart(2, '0'))
    .join('')
    .replace(/0$/, '')
  const whole = exponent > 0 ? digits.slice(0, exponent).padEnd(exponent, '0') : '0'
  const fraction = exponent > 0 ? digits.slice(exponent) : '0'.repeat(-exponent) + digits
  return `${isNegative ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/**
 * @param {string} amount
 * @returns {Parts}
 */
const partsOf = (amount) => {
  const isNegative = amount.startsWith('-')
  const [whole = '', fraction = ''] = (isNegative ? amount.slice(1) : amount).split('.')
  const all = whole + fraction
  const significant = all.replace(/^0+/, '')
  const exponent = whole.length - (all.length - significant.length)
  return { isNegative, exponent, digits: significant.replace(/0+$/, '') }
}

/**
 * @param {number} exponent
 * @returns {readonly number[]}
 */
const exponentBytes = (exponent) => {
  if (exponent >= smallMin && exponent <= smallMax) return [exponent + smallBias]
  const large = exponent + largeBias
  return [exponent < 0 ? below : above, ...[24, 16, 8, 0].map((bits) => (large >>> bits) & 255)]
}
