import type { JsonValue, Resource } from '#contract'
import type { Cursors } from '#cursors'
import { getParameters, idParameter, listParameters, notFound } from '#request'
import type { Store } from '#store'
import type { FilterValues } from './arguments.ts'

export type JsonRecord = { readonly [name: string]: JsonValue }

/** What is asked of a list, before it is checked. */
export interface ListQuestion {
  readonly filters?: FilterValues
  readonly limit?: number
  readonly cursor?: string
  readonly include?: readonly string[]
}

export interface ListPage {
  readonly items: readonly JsonRecord[]
  readonly nextCursor: string | null
  readonly totalItems: number
}

/**
 * Reads one brand's records, as the API's operations do and with their refusals. It has no way to
 * write.
 */
export interface Reader {
  readonly brand: string
  list(resource: Resource, question: ListQuestion): Promise<ListPage>
  /** The record; the brand's own has no id. Throws `not_found`. */
  get(resource: Resource, id: string, include: readonly string[]): Promise<JsonRecord>
}

/** A question in the words of the API's query. */
export const queryOf = ({ filters = {}, limit, cursor, include = [] }: ListQuestion): string => {
  const pairs = [
    ...Object.entries(filters),
    ...(limit === undefined ? [] : [['limit', limit] as const]),
    ...(include.length === 0 ? [] : [['include', include.join(',')] as const]),
    ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
  ]
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
}

export interface StoreReaderParts {
  readonly store: Store
  readonly cursors: Cursors
}

/** Reads from the store itself. */
export const storeReader = ({ store, cursors }: StoreReaderParts, brand: string): Reader => ({
  brand,
  list: async (resource, question) => {
    const { filters, limit, include, cursor } = listParameters(resource)(queryOf(question))
    const walk = { brand, collection: resource.path, filters }
    const after = cursor === null ? null : cursors.open(walk, cursor)
    const page = await store.list({ resource, brand, filters, limit, after, include })
    return {
      items: JSON.parse(`[${page.items}]`) as JsonRecord[],
      nextCursor: page.next && cursors.seal(walk, page.next),
      totalItems: page.total,
    }
  },
  get: async (resource, id, names) => {
    const query = queryOf({ include: names })
    if (resource.lookup) {
      const include = getParameters(resource)(query, undefined)
      const whole = { filters: new Map(), limit: 1, after: null, include }
      const { items } = await store.list({ resource, brand, ...whole })
      if (items.length === 0) throw notFound()
      return JSON.parse(Buffer.from(items).toString()) as JsonRecord
    }
    const include = getParameters(resource)(query, idParameter(resource)(id))
    const found = await store.get({ resource, brand, key: [id], include })
    if (!found) throw notFound()
    return JSON.parse(found.body) as JsonRecord
  },
})
