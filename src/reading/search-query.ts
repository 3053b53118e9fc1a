import { basePath, type Resource, valueAt } from '#contract'
import { encodeValue } from '#request'
import type { SearchResult, SearchResults } from '#store'

/** The results of a search, as JSON in pieces. */
export const searchJson = (
  brand: string,
  query: string,
  { results, isComplete }: SearchResults,
): readonly Uint8Array[] => [
  Buffer.from(`{"query":${JSON.stringify(query)},"items":[`),
  ...results.flatMap((result, index) => writeResult(brand, result, index)),
  Buffer.from(`],"isComplete":${isComplete}}`),
]

/** The JSON of a result, in pieces. Inserts the stored record byte for byte. */
const writeResult = (
  brand: string,
  { resource, identity, record, field, value, match, body }: SearchResult,
  index: number,
): readonly Uint8Array[] => {
  const title = resource.title === undefined ? null : valueAt(record, resource.title)
  const head = JSON.stringify({
    group: resource.path,
    ...(identity.length === 1
      ? { id: identity[0] }
      : { key: Object.fromEntries(resource.key.map((name, part) => [name, identity[part]])) }),
    title: title === null ? null : String(title),
    field,
    value,
    match: match.kind,
    url: urlOf(brand, resource, identity),
  })
  return [Buffer.from(`${index === 0 ? '' : ','}${head.slice(0, -1)},"record":`), body, resultEnd]
}

const resultEnd = Buffer.from('}')

/** The record's address: by its id, or in its list if several fields identify it. */
const urlOf = (
  brand: string,
  { path, key, endpoints, filters }: Resource,
  identity: readonly string[],
): string => {
  const list = `${basePath}/brands/${brand}/${path}`
  if (endpoints.includes('get')) return `${list}/${encodeURIComponent(identity[0] ?? '')}`
  const pairs = key.flatMap((name, part) =>
    filters.some((filter) => filter.field === name)
      ? [`${name}=${encodeValue(identity[part] ?? '')}`]
      : [],
  )
  return pairs.length === 0 ? list : `${list}?${pairs.join('&')}`
}
