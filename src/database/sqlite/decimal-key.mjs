// @ts-check
// JavaScript: the reader threads load no TypeScript module.

/*
 * Encodes decimal numbers as bytes that sort like the numbers, exact for any number of digits. 1.5
 * and 1.50 have the same bytes.
 *
 * A positive number is 0.d1d2… × 10^e with d1 > 0: the byte 2, then e, then two digits per byte, from
 * 1 to 100. Zero is the byte 1. A negative number is the byte 0, then the bytes of its opposite, each
 * subtracted from 255, then 255, so that -1.55 sorts before -1.5.
 */

const [negative, zero, positive] = [0, 1, 2]
/** Exponents within these bounds take one byte. */
const [smallMin, smallMax, smallBias] = [-64, 63, 128]
const [below, above] = [0, 255]
const largeBias = 2 ** 31
const [minus, dot, digit0] = [0x2d, 0x2e, 0x30]

/**
 * Encodes an amount of the contract, such as `-12.50`.
 * @param {string} amount
 * @returns {Uint8Array}
 */
export const encodeDecimal = (amount) =>
  encodeDecimalSlice(Buffer.from(amount, 'latin1'), 0, amount.length)

/**
 * Encodes an amount that is a slice of a buffer.
 * @param {Uint8Array} bytes
 * @param {number} from
 * @param {number} to
 * @returns {Uint8Array}
 */
export const encodeDecimalSlice = (bytes, from, to) => {
  const isNegative = bytes[from] === minus
  let first = isNegative ? from + 1 : from
  let point = first
  while (point < to && bytes[point] !== dot) point += 1
  let end = to
  while (first < end && (bytes[first] === digit0 || bytes[first] === dot)) first += 1
  while (end > first && (bytes[end - 1] === digit0 || bytes[end - 1] === dot)) end -= 1
  if (first === end) return Uint8Array.of(zero)
  const exponent = first < point ? point - first : point + 1 - first
  const digits = first < point && point < end ? end - first - 1 : end - first
  const ofExponent = exponentBytes(exponent)
  const before = 1 + ofExponent.length
  const pairs = (digits + 1) >> 1
  const encoded = new Uint8Array(before + pairs + (isNegative ? 1 : 0))
  encoded[0] = positive
  encoded.set(ofExponent, 1)
  for (let at = first, index = 0; at < end; at += 1) {
    if (at === point) continue
    const digit = /** @type {number} */ (bytes[at]) - digit0
    const pair = before + (index >> 1)
    if (index % 2 === 0) encoded[pair] = digit * 10 + 1
    else encoded[pair] = /** @type {number} */ (encoded[pair]) + digit
    index += 1
  }
  if (isNegative) {
    encoded[0] = negative
    for (let at = 1; at < encoded.length; at += 1) {
      encoded[at] = 255 - /** @type {number} */ (encoded[at])
    }
  }
  return encoded
}

/**
 * `encodeDecimal` as an SQL function: null for null.
 * @param {unknown} amount
 * @returns {Uint8Array | null}
 */
export const decimalOf = (amount) => (typeof amount === 'string' ? encodeDecimal(amount) : null)

/**
 * Decodes the bytes of an amount, without trailing zeros.
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
 * @param {number} exponent
 * @returns {readonly number[]}
 */
const exponentBytes = (exponent) => {
  if (exponent >= smallMin && exponent <= smallMax) return [exponent + smallBias]
  const large = exponent + largeBias
  return [exponent < 0 ? below : above, ...[24, 16, 8, 0].map((bits) => (large >>> bits) & 255)]
}
