import {
  ApiError,
  catalog,
  foldText,
  isJsonObject,
  patterns,
  type Resource,
  requireGroups,
  resourceAt,
  searchLimits,
} from '#contract'
import { cut, rejectProblems } from '#request'
import { titleOf } from './group.ts'
import type { JsonRecord, Reader } from './reader.ts'
import { callOf, callText } from './tool.ts'

export const supplierArgument = {
  kind: 'text',
  meaning: 'only those of this supplier: its name, code or id',
} as const

/** Maximum number of records to match a name with. */
const resultsMax = 50
/** Maximum number of names to suggest in an error, and to list in a summary. */
const namesShown = 10
const idPattern = new RegExp(patterns.id)
/** Search does not index numbers of one or two digits, and many numbers begin with them. */
const shortNumber = /^\p{N}{1,2}$/u

/** The order that a text names. Throws with the orders that it may mean if there are several. */
export const findOrder = async (reader: Reader, text: string): Promise<JsonRecord> => {
  const orders = await findNamed(reader, 'orders', 'order', text)
  const [order = {}, ...others] = orders
  if (others.length > 0) {
    const named = orders.slice(0, namesShown).map(({ orderNumber, id }) => `${orderNumber} (${id})`)
    const issue = `names several orders: ${named.join(', ')}. Use the number exactly as it is written, or the id`
    rejectProblems([{ parameter: 'order', issue }])
  }
  return order
}

/**
 * The records of a group that a text names: by id, by a number, code or name written exactly so, by
 * one that differs in case, accents or punctuation only, or the only one whose number or name
 * starts with the text. Otherwise throws with suggestions.
 */
export const findNamed = async (
  reader: Reader,
  group: 'orders' | 'suppliers',
  parameter: string,
  text: string,
): Promise<readonly JsonRecord[]> => {
  requireGroups(reader.scope, [group])
  const resource = resourceAt(catalog, group)
  if (idPattern.test(text)) return [await reader.get(resource, text, [])]
  const isLong = text.length > searchLimits.query.maxLength
  const spelled = isLong ? [] : await recordsWith(reader, resource, text)
  if (spelled.length > 0) return spelled
  const response = isLong ? {} : await reader.search({ q: text, limit: resultsMax, groups: group })
  const items = Array.isArray(response['items']) ? response['items'].filter(isJsonObject) : []
  const records = items.map(({ record }) => (isJsonObject(record) ? record : {}))
  const same = records.filter(
    (record, index) => items[index]?.['match'] === 'exact' || hasValue(resource, record, text),
  )
  if (same.length > 0) return present(same)
  const existing = present(records)
  if (existing.length === 1 && !shortNumber.test(text.trim())) return existing
  throw unknownName(reader, resource, parameter, text, existing)
}

/** The records with a number, code or name that is written exactly so. */
const recordsWith = async (
  reader: Reader,
  resource: Resource,
  text: string,
): Promise<readonly JsonRecord[]> => {
  const matches = new Map<unknown, JsonRecord>()
  for (const name of resource.searchable) {
    const { items } = await reader.list(resource, { filters: { [name]: text }, limit: resultsMax })
    for (const record of items) matches.set(record['id'], record)
  }
  return present([...matches.values()]).slice(0, resultsMax)
}

/** A number may belong to a deleted record and to its successor. */
const present = (records: readonly JsonRecord[]): readonly JsonRecord[] => {
  const existing = records.filter(({ deletedAt }) => !deletedAt)
  return existing.length > 0 ? existing : records
}

/** Whether a value that people know the record by differs at most in case and accents. */
const hasValue = ({ searchable }: Resource, record: JsonRecord, text: string): boolean =>
  searchable.some((name) => foldText(String(record[name] ?? '')) === foldText(text))

const unknownName = (
  reader: Reader,
  resource: Resource,
  parameter: string,
  text: string,
  records: readonly JsonRecord[],
): ApiError => {
  const titles = records.map((record) => titleOf(resource, record))
  const close = [...new Set(titles)].slice(0, namesShown)
  const hint =
    close.length > 0
      ? `Did you mean ${close.join(', ')}?`
      : `${callText(callOf('search', { brand: reader.brand, query: cut(text) }))} searches all groups.`
  return new ApiError(
    'not_found',
    `No record of ${resource.path} is called ${JSON.stringify(cut(text))}. ${hint}`,
    { details: { parameter, closeMatches: close } },
  )
}

/** The names of records as text: `Serra and Teixeira`. */
export const namesText = (group: string, records: readonly JsonRecord[]): string => {
  const names = new Set(records.map((record) => titleOf(resourceAt(catalog, group), record)))
  const shown = [...names].slice(0, namesShown)
  return names.size > shown.length ? `${shown.join(', ')} and others` : shown.join(' and ')
}

/** The titles of records, by id. Reads 100 at a time. */
export const titlesOf = async (
  reader: Reader,
  group: string,
  ids: readonly unknown[],
): Promise<ReadonlyMap<unknown, string>> => {
  const resource = resourceAt(catalog, group)
  const [key = 'id'] = resource.key
  const distinct = [...new Set(ids.filter((id) => typeof id === 'string'))]
  const titles = new Map<unknown, string>()
  if (!reader.scope.has(group)) return titles
  for (let from = 0; from < distinct.length; from += idsMax) {
    const some = distinct.slice(from, from + idsMax)
    const { items } = await reader.query(resource, { ids: some.join(','), limit: idsMax })
    for (const record of items) titles.set(record[key], titleOf(resource, record))
  }
  return titles
}

export const idsMax = 100
