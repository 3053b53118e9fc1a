import { basePath, type Resource, valueAt } from '#contract'
import { encodeValue, searchParameters } from '#request'
import type { SearchResult, Store } from '#store'
import { endStage } from '../context.ts'
import { type Etags, matchesAny, matchesEtag } from '../response.ts'
import type { KeyedHandler } from './handler.ts'

export interface SearchParts {
  readonly store: Store
  readonly etags: Etags
}

/** The records that a text is found in: by their numbers, codes and names, in all groups. */
export const querySearchHandler = ({ store, etags }: SearchParts): KeyedHandler => {
  const parse = searchParameters(store.catalog)
  return async ({ ctx, match, brand, reserve, isCancelled }) => {
    const { query, limit, groups } = parse(match.query)
    endStage(ctx, 'read')

    const paths = groups?.map(({ path }) => path) ?? null
    const target = JSON.stringify(['search', query, limit, paths])
    const tagAt = (version: string) => etags.of(brand, target, version)
    const { ifNoneMatch } = ctx.headers
    if (ifNoneMatch) {
      const { version, readState } = await store.search.state(brand)
      const tag = tagAt(version)
      if (matchesEtag(ifNoneMatch, tag) || matchesAny(ifNoneMatch)) {
        return { notModified: tag, readState }
      }
    }
    const request = { brand, query, limit, groups, reserve, isCancelled }
    const page = await store.search.find(request)
    endStage(ctx, 'run')

    const body = [
      Buffer.from(`{"query":${JSON.stringify(query)},"items":[`),
      ...page.results.flatMap((result, index) => writeResult(brand, result, index)),
      Buffer.from(`],"isComplete":${page.isComplete}}`),
    ]
    return { body, tag: tagAt(page.version), readState: page.readState }
  }
}

/** The JSON of a result, in pieces. The record is inserted as it is stored, byte for byte. */
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

/** Where the record is in the API: by its id, or in its list where it is identified by several fields. */
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
