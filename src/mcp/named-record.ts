import { ApiError, catalog, isJsonObject, patterns, resourceAt } from '#contract'
import { cut } from '#request'
import { titleOf } from './group.ts'
import type { JsonRecord, Reader } from './reader.ts'
import { callOf, callText } from './tool.ts'

export const supplierArgument = {
  kind: 'text',
  meaning: 'only those of this supplier: its name, code or id',
} as const

/** Maximum number of search results to match a name with. */
const resultsMax = 50
/** Maximum number of names to suggest in an error. */
const namesShown = 10
const idPattern = new RegExp(patterns.id)

/**
 * The records of a group that a text names: by id, by exact number, code or name, or the only one
 * whose number or name starts with the text. Otherwise throws with suggestions.
 */
export const findNamed = async (
  reader: Reader,
  group: 'orders' | 'suppliers',
  parameter: string,
  text: string,
): Promise<readonly JsonRecord[]> => {
  const resource = resourceAt(catalog, group)
  if (idPattern.test(text)) return [await reader.get(resource, text, [])]
  const response = await reader.search({ q: text, limit: resultsMax, groups: group })
  const items = Array.isArray(response['items']) ? response['items'].filter(isJsonObject) : []
  const exact = items.filter(({ match }) => match === 'exact')
  const matches = exact.length > 0 || items.length !== 1 ? exact : items
  if (matches.length > 0) {
    return matches.map(({ record }) => (isJsonObject(record) ? record : {}))
  }
  const close = items
    .slice(0, namesShown)
    .map(({ record }) => titleOf(resource, isJsonObject(record) ? record : {}))
  const hint =
    close.length > 0
      ? `Did you mean ${close.join(', ')}?`
      : `${callText(callOf('search', { brand: reader.brand, query: cut(text) }))} searches all groups.`
  throw new ApiError(
    'not_found',
    `No record of ${group} is called ${JSON.stringify(cut(text))}. ${hint}`,
    {
      details: { parameter, closeMatches: close },
    },
  )
}

/** The titles of up to 100 records, by id. */
export const titlesOf = async (
  reader: Reader,
  group: string,
  ids: readonly unknown[],
): Promise<ReadonlyMap<unknown, string>> => {
  const resource = resourceAt(catalog, group)
  const distinct = [...new Set(ids.filter((id) => typeof id === 'string'))].slice(0, idsMax)
  if (distinct.length === 0) return new Map()
  const { items } = await reader.query(resource, { ids: distinct.join(','), limit: idsMax })
  return new Map(items.map((record) => [record['id'], titleOf(resource, record)]))
}

export const idsMax = 100
