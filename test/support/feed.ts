/** A consumer of the change feed, and what it must end with: the lists, asked for over HTTP. */
import assert from 'node:assert/strict'
import { basePath, catalog, feedBasePath, feedPageSize } from '#contract'
import { keyOf, lists, queryOf } from './model.ts'
import type { TestResponse, TestService } from './service.ts'

export const feedOf = (brand: string): string => `${feedBasePath}/brands/${brand}/changes`

export interface FeedItem {
  readonly number: number
  readonly collection: string
  readonly id: string
  readonly operation: 'put' | 'remove'
  readonly record?: { readonly [name: string]: unknown }
}

/** Records by collection and identity, as their texts. */
export type Copy = Map<string, string>

/** A consumer's copy of a brand, and its position in the feed. */
export interface Follower {
  readonly copy: Copy
  cursor: string | null
  /** Reads one page and applies it; says whether more is there. */
  step(limit?: number): Promise<{ readonly items: readonly FeedItem[]; readonly hasMore: boolean }>
  /** Reads until nothing is left. */
  catchUp(limit?: number): Promise<readonly FeedItem[]>
}

export interface FollowOptions {
  readonly brand: string
  readonly key: string
  readonly collection?: string
  /** What it begins with, and from where. */
  readonly copy?: Copy
  readonly cursor?: string | null
}

export const follow = (service: TestService, options: FollowOptions): Follower => {
  const { brand, key, collection, copy = new Map(), cursor = null } = options
  const step: Follower['step'] = async (limit = feedPageSize.default) => {
    const query = queryOf({
      limit,
      ...(collection && { collection }),
      ...(follower.cursor !== null && { cursor: follower.cursor }),
    })
    const answer = await service.get(`${feedOf(brand)}?${query}`, { key })
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    const { items, nextCursor, hasMore } = answer.body as {
      items: FeedItem[]
      nextCursor: string
      hasMore: boolean
    }
    assert.ok(items.length <= limit)
    for (const item of items) apply(copy, item)
    follower.cursor = nextCursor
    return { items, hasMore }
  }
  const follower: Follower = {
    copy,
    cursor,
    step,
    catchUp: async (limit) => {
      const all: FeedItem[] = []
      for (;;) {
        const { items, hasMore } = await step(limit)
        all.push(...items)
        if (!hasMore) return all
      }
    },
  }
  return follower
}

const apply = (copy: Copy, { collection, id, operation, record }: FeedItem): void => {
  if (operation === 'put') copy.set(`${collection} ${id}`, JSON.stringify(record))
  else copy.delete(`${collection} ${id}`)
}

/** A record's identity as the feed writes it. */
export const identityIn = (path: string, record: object): string => {
  const key = keyOf(catalog.byPath.get(path)?.key ?? [], record as never)
  return key.length === 1
    ? (key[0] ?? '')
    : key.map((part) => part.replaceAll('%', '%25').replaceAll(',', '%2C')).join(',')
}

/** Everything that a brand can read, from its lists; of some collections where they are named. */
export const readLists = async (
  service: TestService,
  brand: string,
  key: string,
  paths: readonly string[] = catalog.resources.map(({ path }) => path),
): Promise<Copy> => {
  const copy: Copy = new Map()
  const base = `${basePath}/brands/${brand}`
  const add = (path: string, record: object) =>
    copy.set(`${path} ${identityIn(path, record)}`, JSON.stringify(record))
  const ask = async (url: string): Promise<TestResponse> => {
    const answer = await service.get(url, { key })
    assert.equal(answer.status, 200, answer.text.slice(0, 300))
    return answer
  }
  if (paths.includes('brand')) add('brand', (await ask(base)).body)
  for (const { path } of lists.filter((each) => paths.includes(each.path))) {
    let cursor: string | null = null
    do {
      const query = queryOf({ limit: 100, ...(cursor !== null && { cursor }) })
      const { body } = await ask(`${base}/${path}?${query}`)
      for (const record of body.items) add(path, record)
      cursor = body.nextCursor
    } while (cursor !== null)
  }
  return copy
}

/** Says what differs rather than printing both. */
export const assertSame = (actual: Copy, wanted: Copy, whose: string): void => {
  const missing = [...wanted.keys()].filter((name) => !actual.has(name))
  const extra = [...actual.keys()].filter((name) => !wanted.has(name))
  const other = [...wanted].filter(([name, text]) => actual.has(name) && actual.get(name) !== text)
  assert.deepEqual(
    { missing: missing.slice(0, 3), extra: extra.slice(0, 3), other: other.slice(0, 3) },
    { missing: [], extra: [], other: [] },
    whose,
  )
}
