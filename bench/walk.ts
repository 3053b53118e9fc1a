import type { Brand } from './brand.ts'
import type { Server, ServerResponse } from './product.ts'

/** A page to begin at: the query that leads to it, without a limit. */
export interface Place {
  readonly query: string
  /** Its filter, such as `itemType=sample`, or an empty text. */
  readonly filter: string
  /** The identity of the record before it; null at the first record. */
  readonly after: string | null
  /** How many records come before it. */
  readonly position: number
}

interface WalkOptions {
  /** Filters, such as `itemType=sample`. */
  readonly filter?: string
  /** Where to begin; at the first record by default. */
  readonly from?: Place
  /** How far it is from one place to the next. */
  readonly stride: number
  readonly placesMax?: number
}

/** Pages that begin at least this far from the end are full, whatever they are asked with. */
const longestPage = 100

/** Walks through order items and returns the places on the way that full pages begin at. */
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

/** Requests that a list may need until it is counted. */
const triesMax = 50

/** Gets a page of a list that may have to be counted first, which several requests do together. */
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

/** The path of a page. */
export const pageAt = (items: string, query: string, limit: number): string =>
  `${items}?${query && `${query}&`}limit=${limit}`

interface Page {
  readonly items: readonly { readonly id: string }[]
  readonly nextCursor: string | null
  readonly totalItems: number
}
