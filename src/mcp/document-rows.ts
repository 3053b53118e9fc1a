import { isJsonObject, type JsonValue } from '#contract'
import type { JsonRecord } from './reader.ts'

/** The rows of a section of a document, and their number. */
export const rowsOf = (
  { sections }: JsonRecord,
  name: string,
): { readonly total: number; readonly items: readonly JsonRecord[] } => {
  const section = isJsonObject(sections) ? sections[name] : null
  const items = isJsonObject(section) && Array.isArray(section['items']) ? section['items'] : []
  const total = isJsonObject(section) ? Number(section['totalItems']) : 0
  return { total, items: items.filter(isJsonObject) }
}

export const recordOf = ({ record }: JsonRecord): JsonRecord => (isJsonObject(record) ? record : {})

/** Only these fields, in order; null for missing ones. */
export const pick = (record: JsonRecord, ...names: readonly string[]): JsonRecord =>
  Object.fromEntries(names.map((name) => [name, record[name] ?? null]))

/** The name of an included record. */
export const nameIn = (record: JsonRecord, relation: string): JsonValue => {
  const target = record[relation]
  return isJsonObject(target) ? (target['name'] ?? null) : null
}
