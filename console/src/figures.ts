/** Formats numbers, amounts and dates in the viewer's locale and the brand's time zone. */
import { countText, dateFormat, numberFormat, zone } from './locale.ts'
import { texts } from './texts/index.ts'

export { countText } from './locale.ts'

/**
 * Formats a decimal string digit by digit, without conversion to a floating-point number. Keeps its
 * decimal places. Returns other text unchanged.
 */
export const amountText = (amount: string): string => decimalText(amount, placesOf(amount), {})

/**
 * Formats an amount with its currency: `15.872,00 €`. Keeps its decimal places and shows at least
 * those of the currency.
 */
export const moneyText = (amount: string, currency: string | null): string => {
  if (currency === null) return amountText(amount)
  if (!/^[A-Z]{3}$/.test(currency)) return `${amountText(amount)} ${currency}`
  const style = { style: 'currency', currency } as const
  const usual = numberFormat(style).resolvedOptions().maximumFractionDigits ?? 0
  // A yen has no smaller unit, so zeros after the point are dropped.
  const isWhole = usual === 0 && /^-?\d+\.0+$/.test(amount)
  return decimalText(amount, isWhole ? 0 : Math.max(usual, placesOf(amount)), style)
}

/** A sum rounded to the decimals of its currency: converted amounts have more. */
export const roundedMoneyText = (amount: string, currency: string): string =>
  numberFormat({ style: 'currency', currency }).format(amount as Intl.StringNumericLiteral)

/** An approximate amount for an axis: `€20K`. */
export const compactMoneyText = (amount: number, currency: string): string =>
  numberFormat({
    style: 'currency',
    currency,
    notation: 'compact',
    maximumFractionDigits: 1,
  }).format(amount)

/** A percentage in the viewer's locale; the input is `5.25`. */
export const percentText = (amount: string): string =>
  decimalText(amount, placesOf(amount), { style: 'unit', unit: 'percent' })

/** A part of a whole in percent: `83 %`. Shows 100 % only for the whole. */
export const shareText = (part: number, whole: number): string => {
  const percent = (part / whole) * 100
  const isNearlyAll = part < whole && percent > 99
  const isNearlyNone = part > 0 && percent < 1
  const places = isNearlyAll || isNearlyNone ? 1 : 0
  const shown = isNearlyAll
    ? Math.min(percent, 99.9)
    : isNearlyNone
      ? Math.max(percent, 0.1)
      : percent
  return numberFormat({ style: 'percent', maximumFractionDigits: places }).format(shown / 100)
}

const decimal = /^-?\d+(\.\d+)?$/
/** The maximum decimals of Intl; longer fractions are shown unchanged. */
const placesMax = 100

const placesOf = (amount: string): number => amount.split('.')[1]?.length ?? 0

const decimalText = (amount: string, places: number, style: Intl.NumberFormatOptions): string => {
  if (!decimal.test(amount) || places > placesMax) return amount
  const options = { ...style, minimumFractionDigits: places, maximumFractionDigits: places }
  return numberFormat(options).format(amount as Intl.StringNumericLiteral)
}

const dayForm = { day: 'numeric', month: 'short', year: 'numeric' } as const

/**
 * A date is a day of the brand's calendar and has no time zone. A timestamp uses the brand's zone.
 */
const zoneOf = (value: string): string => (/^\d{4}-\d{2}-\d{2}$/.test(value) ? 'UTC' : zone())

/** The day of a date, or of a timestamp in the brand's time zone. */
export const dayText = (value: string): string =>
  timeText(value, { ...dayForm, timeZone: zoneOf(value) })

/** A timestamp to the minute in the brand's time zone, with the name of the zone. */
export const momentText = (value: string): string =>
  timeText(value, {
    ...dayForm,
    hour: '2-digit',
    minute: '2-digit',
    timeZone: zone(),
    timeZoneName: 'short',
  })

/** The time of day of a timestamp, in the brand's time zone: `06:12`. */
export const clockText = (value: string): string =>
  timeText(value, { hour: '2-digit', minute: '2-digit', timeZone: zone() })

const timeText = (value: string, options: Intl.DateTimeFormatOptions): string => {
  const at = Date.parse(value)
  return Number.isNaN(at) ? value : dateFormat(options).format(at)
}

/** A date with its weekday: `Monday, 16 November 2026`. */
export const weekdayText = (date: string): string =>
  timeText(date, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'UTC',
  })

/** A date without its year: `16 Nov`. */
export const shortDayText = (date: string): string =>
  timeText(date, { day: 'numeric', month: 'short', timeZone: 'UTC' })

/** Formats `2026-04` as a month. */
export const monthText = (month: string, long = true): string =>
  timeText(`${month}-01`, { month: 'short', timeZone: 'UTC', ...(long && { year: 'numeric' }) })

const dayMs = 86_400_000

/** The week that begins on a date: `2–8 Feb`. */
export const weekText = (firstDay: string): string => {
  const at = Date.parse(firstDay)
  if (Number.isNaN(at)) return firstDay
  const format = dateFormat({ day: 'numeric', month: 'short', timeZone: 'UTC' })
  return format.formatRange(at, at + 6 * dayMs)
}

/** Compares a date with today, given the days since: `8 days late`, `due today`, `due in 3 days`. */
export const daysText = (days: number): string => {
  const { late, today, ahead } = texts().figures
  if (days === 0) return today
  return days > 0 ? late(days) : ahead(-days)
}

/** A number with its sign: `−4`, `+2`. */
export const signedText = (pieces: number): string =>
  `${pieces < 0 ? '−' : '+'}${countText(Math.abs(pieces))}`
