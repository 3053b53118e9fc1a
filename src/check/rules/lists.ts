import type { RecordAt } from '#contract'

/** Lists inside records, parsed from their JSON text. */
export const measurePoints = (json: string | null) =>
  readList(json) as unknown as RecordAt<'measurement-tables'>['points']

export const gradedValues = (json: string | null) =>
  readList(json) as unknown as RecordAt<'measurement-table-skus'>['measurements']

export const checklistItems = (json: string | null) =>
  readList(json) as unknown as RecordAt<'checklists'>['items']

/** The items of a JSON list. A value that is not a list is a single item; null is an empty list. */
export const readList = (json: string | null): readonly Item[] => {
  const value = readJson(json)
  if (value === null) return []
  return Array.isArray(value) ? value : [value as Item]
}

type Item = { readonly [name: string]: unknown }

/** A JSON value from a record. Strings are stored without quotes. */
export const readJson = (json: string | null): unknown => {
  try {
    return JSON.parse(json ?? 'null')
  } catch {
    return json
  }
}
