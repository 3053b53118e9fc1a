import type { Fields, Resource } from '#contract'

/** An incoming record that was validated against the contract. */
export type StoredRecord = { readonly [name: string]: unknown }

/**
 * The record's text as it will be sent: only its fields, in contract order (specification
 * §Resources and their fields).
 */
export const bodyOf = (resource: Resource, record: StoredRecord): string =>
  JSON.stringify(inOrder(resource.fields, record))

/** Returns the record itself if its fields are in order, as in an export; otherwise a copy. */
const inOrder = (fields: Fields, record: StoredRecord): StoredRecord => {
  const names = namesOf(fields)
  let position = 0
  let isInOrder = true
  for (const name in record) {
    if (names.all[position] !== name) isInOrder = false
    position += 1
  }
  if (isInOrder && position === names.all.length && names.holders.length === 0) return record
  const ordered: { [name: string]: unknown } = {}
  for (const name of names.all) ordered[name] = record[name]
  for (const name of names.holders) {
    const inner = fields[name]?.fields ?? {}
    const value = record[name]
    ordered[name] = Array.isArray(value)
      ? value.map((each: StoredRecord) => inOrder(inner, each))
      : value && inOrder(inner, value as StoredRecord)
  }
  return ordered
}

interface Names {
  readonly all: readonly string[]
  /** Fields that hold objects with nested fields. */
  readonly holders: readonly string[]
}

const namesByFields = new WeakMap<Fields, Names>()

const namesOf = (fields: Fields): Names => {
  const cached = namesByFields.get(fields)
  if (cached) return cached
  const all = Object.keys(fields)
  const names = { all, holders: all.filter((name) => fields[name]?.fields !== undefined) }
  namesByFields.set(fields, names)
  return names
}
