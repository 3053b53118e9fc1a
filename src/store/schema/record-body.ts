import type { Fields, Resource } from '#contract'

/** A record on its way in. It has been validated against the contract. */
export type StoredRecord = { readonly [name: string]: unknown }

/**
 * The record as it will be sent: its fields in the contract's order, and nothing else (specification
 * §Resources and their fields).
 */
export const bodyOf = (resource: Resource, record: StoredRecord): string =>
  JSON.stringify(inOrder(resource.fields, record))

/** The record itself where its fields are in order, as in an export; otherwise a copy. */
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
  /** Those that hold objects with fields of their own. */
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
