/** Numbers with check digits. GS1 reserves the prefix 952 for examples. */

/** The GS1 check digit: weights 3 and 1 from the right. */
const gs1Digit = (digits: string): number => {
  let sum = 0
  for (let index = digits.length - 1, weight = 3; index >= 0; index -= 1, weight = 4 - weight) {
    sum += (digits.charCodeAt(index) - 48) * weight
  }
  return (10 - (sum % 10)) % 10
}

const checked = (digits: string): string => digits + gs1Digit(digits)

/** Thirteen digits. The story uses those that continue with 0. */
export const gtin = (serial: number): string => checked(`9521${pad(serial, 8)}`)

export const gln = (serial: number): string => checked(`9523${pad(serial, 8)}`)

/** Eighteen digits, starting with the extension digit. */
export const sscc = (serial: number): string => checked(`1952${1_000_000_000_000 + serial}`)

/** ISO 6346: owner and category, six digits, and a check digit over all ten characters. */
export const container = (owner: string, serial: number): string => {
  const code = owner + pad(serial % 1_000_000, 6)
  let sum = 0
  for (let index = 0; index < code.length; index += 1) {
    sum += letterOrDigit(code.charCodeAt(index)) * 2 ** index
  }
  return code + ((sum % 11) % 10)
}

/** Letters count from 10 and skip the multiples of 11. */
const letterOrDigit = (character: number): number => {
  if (character < 65) return character - 48
  const place = character - 65
  return 10 + place + (place > 0 ? 1 : 0) + (place > 10 ? 1 : 0) + (place > 20 ? 1 : 0)
}

/** Seven digits, the last of which is a check digit. */
export const imo = (serial: number): string => {
  const digits = pad(serial, 6)
  let sum = 0
  for (let index = 0; index < 6; index += 1) sum += Number(digits[index]) * (7 - index)
  return digits + (sum % 10)
}

/** A number with leading zeros. */
export const pad = (value: number, length: number): string => String(value).padStart(length, '0')
