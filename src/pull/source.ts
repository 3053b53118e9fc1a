import { parseJson, responseError, SelvedgeError, shortUrl, type Transport } from '#client'
import { isJsonObject, type Resource } from '#contract'
import type { BrandAddress } from './address.ts'
import { PullError } from './pull-error.ts'
import type { CopiedRecord } from './row-mapping.ts'

/** A page of a list. The brand counts as a list of one. */
export interface Page {
  readonly items: readonly CopiedRecord[]
  readonly nextCursor: string | null
  readonly total: number
  readonly etag: string | null
}

/** A page of the change feed. */
export interface FeedPage {
  readonly items: readonly FeedItem[]
  readonly nextCursor: string
  readonly hasMore: boolean
}

export type FeedItem =
  | { readonly collection: string; readonly operation: 'put'; readonly record: CopiedRecord }
  | { readonly collection: string; readonly operation: 'remove'; readonly id: unknown }

/** One brand on a server. Every method throws `PullError`. */
export interface Source {
  /** Throws if the server does not have the brand. */
  requireBrand(): Promise<void>
  /** The groups that the key is limited to; null if it is not. */
  groups(): Promise<ReadonlySet<string> | null>
  /** A page of a collection; null if it is unchanged since the ETag. */
  page(resource: Resource, cursor: string | null, etag?: string | null): Promise<Page | null>
  /** The exact total of a collection. */
  total(resource: Resource): Promise<number>
  /** Null if there is no feed; `invalid-cursor` if the feed no longer accepts the cursor. */
  changes(cursor: string | null): Promise<FeedPage | 'invalid-cursor' | null>
}

const pageSize = 100
/** Page sizes of the feed: large, with a fallback if long records exceed the response limit. */
const feedPageSizes = [1_000, pageSize] as const
/** The server's cursors are shorter than 200 characters. */
const cursorMax = 4_096
/** A larger total is not plausible. */
const totalMax = 1_000_000_000
/** Pages of a list to read before comparing them with their records, and the least share then. */
const [uncheckedPages, fillMin] = [100, 0.05]
/** Few tries at first, so that a wrong address is reported soon. */
const firstTries = 2

export const createSource = (
  transport: Transport,
  { brandUrl, feedUrl, origin }: BrandAddress,
  brand: string,
): Source => {
  let feedSize: (typeof feedPageSizes)[number] = feedPageSizes[0]
  /** Reduced page sizes of lists with records so long that the server rejects a full page. */
  const smallerSizes = new Map<string, number>()
  const listUrl = (resource: Resource, parameters: { readonly [name: string]: string }) =>
    `${brandUrl}/${resource.path}?${new URLSearchParams(parameters)}`

  /** Pages of a list since its first one, and the records that they have and could have. */
  const fills = new Map<string, { pages: number; records: number; capacity: number }>()
  const requireFilled = (resource: Resource, isFirst: boolean, { items, nextCursor }: Page) => {
    const { path } = resource
    const before = isFirst ? undefined : fills.get(path)
    const { pages, records, capacity } = before ?? { pages: 0, records: 0, capacity: 0 }
    const fill = {
      pages: pages + 1,
      records: records + items.length,
      capacity: capacity + (smallerSizes.get(path) ?? pageSize),
    }
    fills.set(path, fill)
    const isThin = fill.pages > uncheckedPages && fill.records < fill.capacity * fillMin
    if (nextCursor === null || !isThin) return
    throw new PullError(
      `The list of ${path} has ${fill.records} records on ${fill.pages} pages, and more. The copy was not changed.`,
    )
  }

  /** Reads a page of a list, halving the page size while the page is too large. */
  const readList = async (
    resource: Resource,
    cursor: string | null,
    etag: string | null,
  ): Promise<readonly [url: string, body: Body | null]> => {
    for (;;) {
      const size = smallerSizes.get(resource.path) ?? pageSize
      const url = listUrl(resource, { limit: String(size), ...(cursor !== null && { cursor }) })
      const reply = await request(transport, url, etag)
      if (!(reply instanceof SelvedgeError)) return [url, reply]
      if (!isTooLarge(reply) || size === 1) throw PullError.from(reply)
      smallerSizes.set(resource.path, Math.floor(size / 2))
    }
  }

  return {
    page: async (resource, cursor, etag = null) => {
      if (resource.lookup) {
        const body = bodyOf(await request(transport, brandUrl, etag))
        return body && { items: [body.value], nextCursor: null, total: 1, etag: body.etag }
      }
      const [url, body] = await readList(resource, cursor, etag)
      if (!body) return null
      const page = readPage(body, url)
      if (cursor !== null && page.nextCursor === cursor) {
        throw new PullError(
          `Pagination loop in ${resource.path}: ${shortUrl(url)} returned its own cursor. The copy was not changed.`,
        )
      }
      if (page.nextCursor !== null && page.items.length === 0) {
        throw new PullError(
          `${shortUrl(url)} is an empty page of ${resource.path} with a cursor for a next page. The copy was not changed.`,
        )
      }
      requireFilled(resource, cursor === null, page)
      return page
    },
    requireBrand: async () => {
      const reply = await request(transport, brandUrl, null, { tries: firstTries })
      if (reply instanceof SelvedgeError && reply.status === 404) {
        throw new PullError(`${origin} has no brand ${brand}.`)
      }
      if (bodyOf(reply)?.value['slug'] !== brand) {
        throw new PullError(`${origin} is not a Selvedge server: ${brandUrl} is not a brand.`)
      }
    },
    groups: async () => {
      const reply = await request(transport, `${origin}/whoami`, null)
      // Earlier releases do not limit keys.
      const { groups } = reply instanceof SelvedgeError ? {} : (reply?.value ?? {})
      return Array.isArray(groups) ? new Set(groups.map(String)) : null
    },
    total: async (resource) => {
      if (resource.lookup) return 1
      const url = listUrl(resource, { limit: '1' })
      const body = bodyOf(await request(transport, url, null))
      return readPage(body, url).total
    },
    changes: async (cursor) => {
      for (;;) {
        const limit = feedSize
        const parameters = { limit: String(limit), ...(cursor !== null && { cursor }) }
        const url = `${feedUrl}?${new URLSearchParams(parameters)}`
        const reply = await request(transport, url, null)
        if (!(reply instanceof SelvedgeError)) return readFeed(reply, url, cursor, limit)
        if (reply.status === 404) return null
        if (reply.status === 400 && cursor !== null) return 'invalid-cursor'
        if (reply.code !== 'response_too_large' || limit === feedPageSizes[1]) {
          throw PullError.from(reply)
        }
        feedSize = feedPageSizes[1]
      }
    },
  }
}

interface Body {
  readonly value: CopiedRecord
  readonly etag: string | null
}

/**
 * The JSON object at a URL; null if it is not modified. Returns errors that the caller may handle:
 * 400, 404, and a response that is too large. Throws all others.
 */
const request = async (
  transport: Transport,
  url: string,
  etag: string | null,
  options: { readonly tries?: number } = {},
): Promise<Body | null | SelvedgeError> => {
  try {
    const response = await transport.get(url, { ...options, etag })
    if (response.status === 304 && etag !== null) return null
    const value: unknown = parseJson(response)
    if (isJsonObject(value)) return { value: value as CopiedRecord, etag: response.etag }
    throw responseError(response)
  } catch (error) {
    if (!(error instanceof SelvedgeError)) throw error
    const { status, code } = error
    const isMeant = (status === 400 || status === 404) && code !== 'unreadable_answer'
    if (isMeant || code === 'response_too_large') return error
    throw PullError.from(error)
  }
}

const bodyOf = (reply: Body | null | SelvedgeError): Body | null => {
  if (reply instanceof SelvedgeError) throw PullError.from(reply)
  return reply
}

/** The server may reject a page as too large, or send one that is. */
const isTooLarge = ({ code }: SelvedgeError): boolean =>
  code === 'page_too_large' || code === 'response_too_large'

const readPage = (body: Body | null, url: string): Page => {
  const { items, nextCursor, totalItems } = body?.value ?? {}
  if (
    Array.isArray(items) &&
    items.length <= pageSize &&
    items.every(isJsonObject) &&
    (nextCursor === null || isCursor(nextCursor)) &&
    isTotal(totalItems)
  ) {
    return {
      items: items as readonly CopiedRecord[],
      nextCursor,
      total: totalItems,
      etag: body?.etag ?? null,
    }
  }
  throw new PullError(
    `${shortUrl(url)} is not a list of a Selvedge server: items, nextCursor or totalItems is missing or impossible.`,
  )
}

const isCursor = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= cursorMax

const isTotal = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= totalMax

const readFeed = (
  body: Body | null,
  url: string,
  cursor: string | null,
  limit: number,
): FeedPage => {
  const { items, nextCursor, hasMore } = body?.value ?? {}
  if (
    Array.isArray(items) &&
    items.length <= limit &&
    items.every(isFeedItem) &&
    isCursor(nextCursor) &&
    typeof hasMore === 'boolean'
  ) {
    if (hasMore && (items.length === 0 || nextCursor === cursor)) {
      throw new PullError(
        `Pagination loop in the change feed: ${shortUrl(url)} has more changes but does not advance. The copy was not changed.`,
      )
    }
    return { items, nextCursor, hasMore }
  }
  throw new PullError(`${shortUrl(url)} is not a change feed that this release understands.`)
}

const isFeedItem = (item: unknown): item is FeedItem =>
  isJsonObject(item) &&
  typeof item['collection'] === 'string' &&
  ((item['operation'] === 'put' && isJsonObject(item['record'])) || item['operation'] === 'remove')
