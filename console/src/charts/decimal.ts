/** The exact sum of decimal strings, with as many places as the longest of them. */
export const sumOf = (amounts: readonly string[]): string => {
  const places = Math.max(0, ...amounts.map(placesOf))
  const sum = amounts.reduce((total, each) => total + scaled(each, places), 0n)
  return written(sum, places)
}

/** Below, at or above zero. */
export const signOf = (amount: string): number =>
  /[1-9]/.test(amount) ? (amount.startsWith('-') ? -1 : 1) : 0

const placesOf = (amount: string): number => amount.split('.')[1]?.length ?? 0

const scaled = (amount: string, places: number): bigint => {
  const [whole = '0', fraction = ''] = amount.replace('-', '').split('.')
  const value = BigInt(whole + fraction.padEnd(places, '0'))
  return amount.startsWith('-') ? -value : value
}

const written = (value: bigint, places: number): string => {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0')
  const whole = digits.slice(0, digits.length - places)
  const fraction = places > 0 ? `.${digits.slice(-places)}` : ''
  return `${value < 0n ? '-' : ''}${whole}${fraction}`
}
