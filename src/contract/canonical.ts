import type { Field, Fields } from './fields.ts'
import type { Resource } from './resource.ts'
import { type ValueType, valueRules } from './value-rules.ts'

/**
 * A record with its values in the form in which they are stored, where another form means the same
 * beyond doubt: identifiers in lower case, timestamps in UTC with milliseconds. Values that are not
 * recognised stay as they are, for `checkRecord` to report. The original value is not changed.
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
    const canonical = canonicalByType[valueRules[field.kind].type](record[name], field)
    if (canonical !== record[name]) changes[name] = canonical
  }
  return { ...record, ...changes }
}

type Canonical = (value: unknown, field: Field) => unknown

const same: Canonical = (value) => value

const canonicalByType: Record<ValueType, Canonical> = {
  string: (value, { kind }) => {
    const { format } = valueRules[kind]
    return typeof value === 'string' ? (format?.normalize?.(value) ?? value) : value
  },
  integer: same,
  boolean: same,
  any: same,
  strings: same,
  object: (value, { fields = {} }) => canonicalFields(fields, value),
  objects: (value, { fields = {} }) =>
    Array.isArray(value) ? value.map((each: unknown) => canonicalFields(fields, each)) : value,
}
