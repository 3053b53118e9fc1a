/** Figures as a person reads them, in the viewer's own form. */

export const countText = (count: number): string => count.toLocaleString()

/** `1 order`, `2 orders` */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

/** A decimal string with its currency, digit for digit. */
export const moneyText = (amount: string, currency: string | null): string => {
  const places = amount.split('.')[1]?.length ?? 0
  const format = new Intl.NumberFormat(undefined, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  const figure = format.format(amount as Intl.StringNumericLiteral)
  return currency ? `${figure} ${currency}` : figure
}

/** A day, whether it is given as a date or as a moment in UTC. */
export const dayText = (value: string): string => {
  const at = new Date(value)
  if (Number.isNaN(at.getTime())) return value
  return at.toLocaleDateString(undefined, {
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    timeZone: 'UTC',
  })
}

/** `2026-04` as the name of a month. */
export const monthText = (month: string, long = true): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString(undefined, {
    month: 'short',
    timeZone: 'UTC',
    ...(long && { year: 'numeric' }),
  })

/** `partially_paid` as words. */
export const words = (code: string): string => {
  const text = code.replaceAll('_', ' ')
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** With its sign: `−4`, `+2`. */
export const signedText = (pieces: number): string =>
  `${pieces < 0 ? '−' : '+'}${countText(Math.abs(pieces))}`
