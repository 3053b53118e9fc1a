import type { Resource } from '#contract'
import type { Address } from './address.ts'
import type { CopiedRecord } from './form.ts'
import { PullRefused } from './refusal.ts'
import { isObject, type Remote, type Reply, sentenceOf } from './remote.ts'

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
const feedPageSize = 1_000

export const openSource = (remote: Remote, address: Address, brand: string): Source => {
  const { brandUrl, feedUrl, origin } = address
  const read = async (url: string, etag: string | null = null): Promise<Reply> => {
    const reply = await remote.ask(url, { etag })
    if (reply.status === 200 || (reply.status === 304 && etag)) return reply
    throw new PullRefused(`${url} answered ${reply.status}. ${sentenceOf(reply.body) ?? ''}`.trim())
  }
  const list = (resource: Resource, parameters: { readonly [name: string]: string }) =>
    `${brandUrl}/${resource.path}?${new URLSearchParams(parameters)}`

  const page: Source['page'] = async (resource, cursor, etag = null) => {
    const url = resource.lookup
      ? brandUrl
      : list(resource, { limit: String(pageSize), ...(cursor !== null && { cursor }) })
    const reply = await read(url, etag)
    if (reply.status === 304) return null
    if (resource.lookup) {
      return { items: [reply.body as CopiedRecord], nextCursor: null, total: 1, etag: reply.etag }
    }
    const found = readPage(reply, url)
    if (cursor !== null && found.nextCursor === cursor) {
      throw new PullRefused(`The list of ${resource.path} does not go on: ${url} leads to itself.`)
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
      return readPage(await read(url), url).total
    },
    changes: async (cursor) => {
      const parameters = { limit: String(feedPageSize), ...(cursor !== null && { cursor }) }
      const url = `${feedUrl}?${new URLSearchParams(parameters)}`
      const reply = await remote.ask(url)
      if (reply.status === 404) return null
      if (reply.status === 400 && cursor !== null) return 'lost'
      if (reply.status === 200) return readFeed(reply.body, url)
      throw new PullRefused(`${url} answered ${reply.status}. ${sentenceOf(reply.body) ?? ''}`)
    },
  }
}

const readPage = ({ body, etag }: Reply, url: string): Page => {
  if (
    isObject(body) &&
    Array.isArray(body['items']) &&
    body['items'].every(isObject) &&
    (body['nextCursor'] === null || typeof body['nextCursor'] === 'string') &&
    Number.isSafeInteger(body['totalItems'])
  ) {
    return {
      items: body['items'] as readonly CopiedRecord[],
      nextCursor: body['nextCursor'],
      total: body['totalItems'] as number,
      etag,
    }
  }
  throw new PullRefused(
    `${url} is no list of a Selvedge: items, nextCursor or totalItems is missing.`,
  )
}

const readFeed = (body: unknown, url: string): FeedPage => {
  if (
    isObject(body) &&
    Array.isArray(body['items']) &&
    body['items'].every(isFeedItem) &&
    typeof body['nextCursor'] === 'string' &&
    typeof body['hasMore'] === 'boolean'
  ) {
    return { items: body['items'], nextCursor: body['nextCursor'], hasMore: body['hasMore'] }
  }
  throw new PullRefused(`${url} is no change feed that this release understands.`)
}

const isFeedItem = (item: unknown): item is FeedItem =>
  isObject(item) &&
  typeof item['collection'] === 'string' &&
  ((item['operation'] === 'put' && isObject(item['record'])) || item['operation'] === 'remove')
