import type { Resource } from '#contract'
import type { Address } from './address.ts'
import { PullRefused } from './refusal.ts'
import {
  codeOf,
  isObject,
  placeOf,
  type Remote,
  type Reply,
  ResponseTooLarge,
  sentenceOf,
} from './remote.ts'
import type { CopiedRecord } from './row-mapping.ts'

/** A page of a list, or of the brand, which is a list of one. */
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

/** What a Selvedge has of one brand. */
export interface Source {
  /** Throws when there is no such brand, with the reason. */
  find(): Promise<void>
  /** A page of a collection; null when it is as it was. */
  page(resource: Resource, cursor: string | null, etag?: string | null): Promise<Page | null>
  /** The exact total of a collection. */
  total(resource: Resource): Promise<number>
  /** Null where there is no feed; `lost` where it does not know the cursor any more. */
  changes(cursor: string | null): Promise<FeedPage | 'lost' | null>
}

const pageSize = 100
/** Pages of the feed: large, and small where records are so long that a large one is too much. */
const feedPageSizes = [1_000, pageSize] as const
/** Our own are shorter than 200 characters. */
const cursorMax = 4_096
/** Totals beyond this are not believed. */
const totalMax = 1_000_000_000

export const openSource = (remote: Remote, address: Address, brand: string): Source => {
  const { brandUrl, feedUrl, origin } = address
  let feedSize: (typeof feedPageSizes)[number] = feedPageSizes[0]
  /** The page sizes of lists whose records are so long that a page of the usual size is refused. */
  const smallerSizes = new Map<string, number>()
  const usable = (url: string, reply: Reply, etag: string | null = null): Reply => {
    if (reply.status === 200 || (reply.status === 304 && etag)) return reply
    throw unusable(url, reply)
  }
  const list = (resource: Resource, parameters: { readonly [name: string]: string }) =>
    `${brandUrl}/${resource.path}?${new URLSearchParams(parameters)}`

  /** A page of a list, with half as many records as long as it is too large. */
  const readList = async (
    resource: Resource,
    cursor: string | null,
    etag: string | null,
  ): Promise<readonly [string, Reply]> => {
    for (;;) {
      const size = smallerSizes.get(resource.path) ?? pageSize
      const url = list(resource, { limit: String(size), ...(cursor !== null && { cursor }) })
      const reply = await remote.ask(url, { etag }).catch((error: unknown) => {
        if (error instanceof ResponseTooLarge && size > 1) return null
        throw error
      })
      const isTooLarge = reply?.status === 400 && codeOf(reply.body) === 'page_too_large'
      if (reply && !(isTooLarge && size > 1)) return [url, usable(url, reply, etag)]
      smallerSizes.set(resource.path, Math.floor(size / 2))
    }
  }

  const page: Source['page'] = async (resource, cursor, etag = null) => {
    const [url, reply] = resource.lookup
      ? [brandUrl, usable(brandUrl, await remote.ask(brandUrl, { etag }), etag)]
      : await readList(resource, cursor, etag)
    if (reply.status === 304) return null
    if (resource.lookup) {
      return { items: [reply.body as CopiedRecord], nextCursor: null, total: 1, etag: reply.etag }
    }
    const found = readPage(reply, url)
    if (cursor !== null && found.nextCursor === cursor) {
      throw new PullRefused(
        `Pagination loop in ${resource.path}: ${placeOf(url)} returned its own cursor. The copy is left as it was.`,
      )
    }
    if (found.nextCursor !== null && found.items.length === 0) {
      throw new PullRefused(
        `${placeOf(url)} is an empty page of ${resource.path} that names a next page. The copy is left as it was.`,
      )
    }
    return found
  }

  return {
    page,
    find: async () => {
      const { status, body } = await remote.ask(brandUrl, { tries: 2 })
      if (status === 404) throw new PullRefused(`There is no brand ${brand} at ${origin}.`)
      if (status !== 200 || !isObject(body) || body['slug'] !== brand) {
        throw new PullRefused(`There is no Selvedge at ${origin}: ${brandUrl} is not a brand.`)
      }
    },
    total: async (resource) => {
      if (resource.lookup) return 1
      const url = list(resource, { limit: '1' })
      return readPage(usable(url, await remote.ask(url)), url).total
    },
    changes: async (cursor) => {
      const askFor = (limit: number) => {
        const parameters = { limit: String(limit), ...(cursor !== null && { cursor }) }
        return `${feedUrl}?${new URLSearchParams(parameters)}`
      }
      let url = askFor(feedSize)
      const reply = await remote.ask(url).catch((error: unknown) => {
        if (!(error instanceof ResponseTooLarge) || feedSize === feedPageSizes[1]) throw error
        feedSize = feedPageSizes[1]
        url = askFor(feedSize)
        return remote.ask(url)
      })
      if (reply.status === 404) return null
      if (reply.status === 400 && cursor !== null) return 'lost'
      if (reply.status === 200) return readFeed(reply.body, url, cursor, feedSize)
      throw unusable(url, reply)
    },
  }
}

const readPage = ({ body, etag }: Reply, url: string): Page => {
  if (
    isObject(body) &&
    Array.isArray(body['items']) &&
    body['items'].length <= pageSize &&
    body['items'].every(isObject) &&
    (body['nextCursor'] === null || isCursor(body['nextCursor'])) &&
    isTotal(body['totalItems'])
  ) {
    return {
      items: body['items'] as readonly CopiedRecord[],
      nextCursor: body['nextCursor'],
      total: body['totalItems'],
      etag,
    }
  }
  throw new PullRefused(
    `${placeOf(url)} is no list of a Selvedge: items, nextCursor or totalItems is missing or impossible.`,
  )
}

const isCursor = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= cursorMax

const isTotal = (value: unknown): value is number =>
  Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= totalMax

const unusable = (url: string, { status, body }: Reply): PullRefused =>
  new PullRefused(`${placeOf(url)} answered ${status}. ${sentenceOf(body) ?? ''}`.trim())

const readFeed = (body: unknown, url: string, cursor: string | null, limit: number): FeedPage => {
  if (
    isObject(body) &&
    Array.isArray(body['items']) &&
    body['items'].length <= limit &&
    body['items'].every(isFeedItem) &&
    isCursor(body['nextCursor']) &&
    typeof body['hasMore'] === 'boolean'
  ) {
    if (body['hasMore'] && (body['items'].length === 0 || body['nextCursor'] === cursor)) {
      throw new PullRefused(
        `Pagination loop in the change feed: ${placeOf(url)} has more, but does not go on. The copy is left as it was.`,
      )
    }
    return { items: body['items'], nextCursor: body['nextCursor'], hasMore: body['hasMore'] }
  }
  throw new PullRefused(`${placeOf(url)} is no change feed that this release understands.`)
}

const isFeedItem = (item: unknown): item is FeedItem =>
  isObject(item) &&
  typeof item['collection'] === 'string' &&
  ((item['operation'] === 'put' && isObject(item['record'])) || item['operation'] === 'remove')
