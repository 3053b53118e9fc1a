import type { Brand } from './brand.ts'
import type { Server, ServerResponse } from './product.ts'

/** The start of a page: the query that leads to it, without a limit. */
export interface Place {
  readonly query: string
  /** Its filter, such as `itemType=sample`, or an empty string. */
  readonly filter: string
  /** The identity of the record before it; null at the first record. */
  readonly after: string | null
  /** The number of records before it. */
  readonly position: number
}

interface WalkOptions {
  /** Filters, such as `itemType=sample`. */
  readonly filter?: string
  /** Where to start. The default is the first record. */
  readonly from?: Place
  /** The number of records between two places. */
  readonly stride: number
  readonly placesMax?: number
}

/** Pages that start at least this far from the end are full for every page size. */
const longestPage = 100

/** Walks through order items and returns the places at which full pages start. */
export const walk = async (
  server: Server,
  { items, headers }: Brand,
  { filter = '', from, stride, placesMax = Number.POSITIVE_INFINITY }: WalkOptions,
): Promise<readonly Place[]> => {
  const places: Place[] = []
  let query = from?.query ?? filter
  let after = from?.after ?? null
  for (let position = from?.position ?? 0; places.length < placesMax; position += stride) {
    const answer = await getCounted(server, pageAt(items, query, stride), headers)
    const page = JSON.parse(String(answer.body)) as Page
    if (position + longestPage <= page.totalItems) places.push({ query, filter, after, position })
    if (page.nextCursor === null) break
    query = `${filter && `${filter}&`}cursor=${page.nextCursor}`
    after = page.items.at(-1)?.id ?? after
  }
  return places
}

/** Maximum requests until a list is counted. */
const triesMax = 50

/** Gets a page of a list. Several requests may be needed until the list is counted. */
export const getCounted = async (
  server: Server,
  path: string,
  headers: Brand['headers'],
): Promise<ServerResponse> => {
  for (let tries = 1; ; tries += 1) {
    const answer = await server.get(path, headers)
    if (answer.status === 200) return answer
    if (answer.status !== 500 || tries === triesMax) {
      throw new Error(`${answer.status} ${answer.body}`)
    }
  }
}

export const pageAt = (items: string, query: string, limit: number): string =>
  `${items}?${query && `${query}&`}limit=${limit}`

interface Page {
  readonly items: readonly { readonly id: string }[]
  readonly nextCursor: string | null
  readonly totalItems: number
}
