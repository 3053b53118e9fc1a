/** The locale of figures, and the time zone of times. */

let currentLocale: string | undefined
let currentZone = 'UTC'

/** Undefined stands for the browser's locale. */
export const setLocale = (locale: string | undefined): void => {
  currentLocale = locale
}

/** Sets the time zone of the current brand; UTC if this browser does not know the zone. */
export const setZone = (zone: string): void => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    currentZone = zone
  } catch {
    currentZone = 'UTC'
  }
}

export const zone = (): string => currentZone

const numberFormats = new Map<string, Intl.NumberFormat>()
const dateFormats = new Map<string, Intl.DateTimeFormat>()

/** Creating a format is slow, so there is one for each set of options. */
const cached = <T>(cache: Map<string, T>, options: object, create: () => T): T => {
  const name = `${currentLocale} ${JSON.stringify(options)}`
  const cachedFormat = cache.get(name)
  if (cachedFormat !== undefined) return cachedFormat
  const format = create()
  cache.set(name, format)
  return format
}

export const numberFormat = (options: Intl.NumberFormatOptions): Intl.NumberFormat =>
  cached(numberFormats, options, () => new Intl.NumberFormat(currentLocale, options))

export const dateFormat = (options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat =>
  cached(dateFormats, options, () => new Intl.DateTimeFormat(currentLocale, options))

/** `a, b or c` */
export const listText = (items: readonly string[]): string =>
  new Intl.ListFormat(currentLocale, { type: 'disjunction', style: 'short' }).format(items)

export const countText = (count: number): string => numberFormat({}).format(count)
