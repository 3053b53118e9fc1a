/** Numbers and dates in the viewer's locale. */

export const countText = (count: number): string => count.toLocaleString()

/** `1 order`, `2 orders` */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${countText(count)} ${count === 1 ? one : many}`

/**
 * A decimal string in the form of the viewer's language, digit for digit: it is never made a
 * floating point number, and keeps the places it was written with. What is not one stays as it is.
 */
export const amountText = (amount: string, locale?: string): string => {
  if (!decimal.test(amount)) return amount
  const places = amount.split('.')[1]?.length ?? 0
  if (places > placesMax) return amount
  return formatOf(places, locale).format(amount as Intl.StringNumericLiteral)
}

const decimal = /^-?\d+(\.\d+)?$/
/** The most decimals that Intl can format; longer fractions are shown unchanged. */
const placesMax = 100

const formats = new Map<string, Intl.NumberFormat>()

/** Creating a format is slow and a table needs few, so there is one for each number of decimals. */
const formatOf = (places: number, locale: string | undefined): Intl.NumberFormat => {
  const name = `${locale ?? ''} ${places}`
  const cached = formats.get(name)
  if (cached) return cached
  const format = new Intl.NumberFormat(locale, {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  })
  formats.set(name, format)
  return format
}

/** An amount with its currency. */
export const moneyText = (amount: string, currency: string | null): string =>
  currency ? `${amountText(amount)} ${currency}` : amountText(amount)

const dayForm = { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' } as const

/** To the minute, in UTC for every viewer, with the name of the time zone. */
export const momentFormat = (locale?: string): Intl.DateTimeFormat =>
  new Intl.DateTimeFormat(locale, {
    ...dayForm,
    hour: '2-digit',
    minute: '2-digit',
    timeZoneName: 'short',
  })

const dayOfViewer = new Intl.DateTimeFormat(undefined, dayForm)
const momentOfViewer = momentFormat()

/** The day of a date or of a timestamp in UTC. */
export const dayText = (value: string): string => timeText(value, dayOfViewer)

/** A timestamp with its time zone. */
export const momentText = (value: string, format = momentOfViewer): string =>
  timeText(value, format)

const timeText = (value: string, format: Intl.DateTimeFormat): string => {
  const at = Date.parse(value)
  return Number.isNaN(at) ? value : format.format(at)
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
