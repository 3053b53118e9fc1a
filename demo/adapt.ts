import { type JsonValue, type RecordAt, startOfDay } from '#contract'
import { isTimestamp, timezone } from './move.ts'
import type { DemoItem } from './season/record-buffer.ts'

/** The base currency of the demo's own brand. */
const currency = 'USD'

/**
 * Adapts records to a stored brand. Its record and base currency take the place of the demo's: the
 * demo's amounts in dollars become amounts in that currency and the other way round, so that every
 * rate still fits its record. Timestamps move as a whole, to the same hours in the brand's zone.
 */
export const createAdapter = (
  brand: RecordAt<'brand'>,
  day: string,
): ((item: DemoItem) => DemoItem) => {
  const base = brand.baseCurrencyCode
  const shift = startOfDay(brand.timezone, day) - startOfDay(timezone, day)
  const texts = new Map([
    [currency, base],
    [base, currency],
  ])
  const adaptText = (text: string): string =>
    isTimestamp(text) ? new Date(Date.parse(text) + shift).toISOString() : (texts.get(text) ?? text)
  const adapt = (value: JsonValue): JsonValue => {
    if (typeof value === 'string') return adaptText(value)
    if (value === null || typeof value !== 'object') return value
    if (Array.isArray(value)) return value.map(adapt)
    const entries = Object.entries(value as { readonly [name: string]: JsonValue })
    return Object.fromEntries(entries.map(([name, each]) => [name, adapt(each)]))
  }
  return ({ path, record }) => {
    if (path === 'brand') return { path, record: { ...brand } }
    const adapted = adapt(record) as DemoItem['record']
    const isOfBrand = path === 'brand-locations'
    return { path, record: isOfBrand ? { ...adapted, brandId: brand.id } : adapted }
  }
}
