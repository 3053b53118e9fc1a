/** Check digits: each function returns the digit that belongs after the given characters. */

const zero = 0x30

/** GTIN, GLN and SSCC (GS1 General Specifications): weights 3 and 1 in turn, from the right. */
export const gs1CheckDigit = (digits: string): number => {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    const weight = (digits.length - index) % 2 === 1 ? 3 : 1
    sum += weight * (digits.charCodeAt(index) - zero)
  }
  return (10 - (sum % 10)) % 10
}

/** Container numbers (ISO 6346): powers of 2 as weights. Letters count from 10, without 11, 22, 33. */
export const containerCheckDigit = (characters: string): number => {
  let sum = 0
  for (let index = 0; index < characters.length; index += 1) {
    sum += letterValue(characters[index] as string) * 2 ** index
  }
  return (sum % 11) % 10
}

const letterValue = (character: string): number => {
  const value = Number.parseInt(character, 36)
  return value < 10 ? value : value + Math.floor((value - 1) / 10)
}

/** IMO ship numbers: weights from 7 down to 2; the last digit of the sum. */
export const imoCheckDigit = (digits: string): number => {
  let sum = 0
  for (let index = 0; index < digits.length; index += 1) {
    sum += (7 - index) * (digits.charCodeAt(index) - zero)
  }
  return sum % 10
}
