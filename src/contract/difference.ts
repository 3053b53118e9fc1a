import { type Field, type Fields, isJsonObject, type JsonValue } from './fields.ts'
import { plainValue } from './same-record.ts'

/** A field in which two states of a record differ. */
export interface FieldChange {
  /** Its JSON pointer: `/relationship/status`. */
  readonly field: string
  readonly before: JsonValue
  readonly after: JsonValue
}

type JsonObject = { readonly [name: string]: JsonValue }

/**
 * The fields in which two texts of a record differ. Amounts are compared by value, as the store
 * does. A list, and a value without fields of its own, differs as a whole.
 */
export const fieldChanges = (
  fields: Fields,
  before: string,
  after: string,
): readonly FieldChange[] =>
  changesIn(fields, '', JSON.parse(before) as JsonObject, JSON.parse(after) as JsonObject)

const changesIn = (
  fields: Fields,
  parent: string,
  before: JsonObject,
  after: JsonObject,
): readonly FieldChange[] => {
  const names = new Set([...Object.keys(before), ...Object.keys(after)])
  return [...names].flatMap((name): readonly FieldChange[] => {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const [one, other] = [before[name] ?? null, after[name] ?? null]
    const pointer = `${parent}/${name}`
    if (field?.kind === 'object' && isJsonObject(one) && isJsonObject(other)) {
      return changesIn(field.fields ?? {}, pointer, one, other)
    }
    return isSame(field, one, other) ? [] : [{ field: pointer, before: one, after: other }]
  })
}

const isSame = (field: Field | undefined, one: JsonValue, other: JsonValue): boolean => {
  const [a, b] = field ? [plainValue(field, one), plainValue(field, other)] : [one, other]
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * The record with only the sent fields changed. Objects with fields of their own are merged, and
 * everything else is replaced: lists, free values, and null by or with anything.
 */
export const mergeRecord = (fields: Fields, record: unknown, sent: unknown): unknown => {
  if (!isJsonObject(record) || !isJsonObject(sent)) return sent
  const merged = new Map(Object.entries(record))
  for (const [name, value] of Object.entries(sent)) {
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    const before = field?.kind === 'object' ? merged.get(name) : undefined
    merged.set(name, mergeRecord(field?.fields ?? {}, before, value) as JsonValue)
  }
  return Object.fromEntries(merged)
}
