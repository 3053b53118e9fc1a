import { type Field, type Fields, isJsonObject } from './fields.ts'
import type { Resource } from './resource.ts'
import { type ValueType, valueRules } from './value-rules.ts'

/**
 * Converts values to their stored form if the conversion is unambiguous: identifiers to lower case,
 * timestamps to UTC with milliseconds. Leaves unrecognised values unchanged, for `checkRecord` to
 * report. Does not modify its argument.
 */
export const canonicalRecord = (resource: Pick<Resource, 'fields'>, value: unknown): unknown =>
  canonicalFields(resource.fields, value)

const canonicalFields = (fields: Fields, value: unknown): unknown => {
  if (!isJsonObject(value)) return value
  const changes: { [name: string]: unknown } = {}
  for (const name in fields) {
    if (!Object.hasOwn(value, name)) continue
    const field = fields[name] as Field
    const canonical = canonicalByType[valueRules[field.kind].type](value[name], field)
    if (canonical !== value[name]) changes[name] = canonical
  }
  return { ...value, ...changes }
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
