import { isDay } from './check.ts'
import type { Field, Fields, Kind } from './fields.ts'
import { patterns } from './limits.ts'
import type { Resource } from './resource.ts'

/**
 * A record with its values in the form in which they are stored, where another form means the same
 * beyond doubt: identifiers in lower case, timestamps in UTC with milliseconds. Values that are not
 * recognised stay as they are, for `checkRecord` to name. The given value is not changed.
 */
export const canonicalRecord = (resource: Pick<Resource, 'fields'>, value: unknown): unknown =>
  canonicalFields(resource.fields, value)

const canonicalFields = (fields: Fields, value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const record = value as { readonly [name: string]: unknown }
  const changes: { [name: string]: unknown } = {}
  for (const name in fields) {
    if (!Object.hasOwn(record, name)) continue
    const field = fields[name] as Field
    const canonical = canonicalByKind[field.kind](record[name], field)
    if (canonical !== record[name]) changes[name] = canonical
  }
  return { ...record, ...changes }
}

type Canonical = (value: unknown, field: Field) => unknown

const same: Canonical = (value) => value

const anyCase = new RegExp(patterns.id, 'i')

const lowerCase: Canonical = (value) =>
  typeof value === 'string' && anyCase.test(value) ? value.toLowerCase() : value

const canonicalByKind: Record<Kind, Canonical> = {
  id: lowerCase,
  ref: lowerCase,
  person: lowerCase,
  text: same,
  integer: same,
  flag: same,
  amount: same,
  date: same,
  timestamp: (value) => (typeof value === 'string' ? canonicalTimestamp(value) : value),
  any: same,
  texts: same,
  object: (value, { fields = {} }) => canonicalFields(fields, value),
  objects: (value, { fields = {} }) =>
    Array.isArray(value) ? value.map((each: unknown) => canonicalFields(fields, each)) : value,
}

/**
 * ISO 8601 with a zone: seconds and their fraction may be left out, a space may stand for the T, and
 * the offset may be written as +01:00, +0100 or +01.
 */
const isoTimestamp =
  /^(?<date>\d{4}-\d\d-\d\d)[Tt ](?<hour>\d\d):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,](?<fraction>\d{1,9}))?)?(?:[Zz]|(?<sign>[+-])(?<offsetHour>\d\d)(?::?(?<offsetMinute>\d\d))?)$/

/** The same moment as `2026-03-01T09:30:00.000Z`; digits beyond milliseconds are cut off. */
const canonicalTimestamp = (text: string): string => {
  const { groups } = isoTimestamp.exec(text) ?? {}
  if (!groups) return text
  const { date = '', hour, minute, second = '00', fraction = '' } = groups
  const { sign = '+', offsetHour = '00', offsetMinute = '00' } = groups
  const [year, month, day] = date.split('-').map(Number) as [number, number, number]
  const isMoment =
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    isDay(year, month, day) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(offsetHour) < 24 &&
    Number(offsetMinute) < 60
  if (!isMoment) return text
  const local = `${date}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}`
  const utc = new Date(`${local}${sign}${offsetHour}:${offsetMinute}`).toISOString()
  // An offset can lead out of the years that have four digits.
  return utc.length === local.length + 1 ? utc : text
}
