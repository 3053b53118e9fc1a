/**
 * A server in front of a real one: it passes requests on, counts them, and can be told to fail, to
 * wait or to lie. It can also stand in for the change feed, in exactly the shape that it has.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { catalog, type Resource, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'

export interface Passed {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body: string
}

export interface FeedEntry {
  readonly collection: string
  readonly id: unknown
  readonly operation: string
  readonly record?: DemoRecord
}

export interface Relay {
  readonly url: string
  /** Path and query of every request. */
  readonly asked: string[]
  /** Answers instead of the real one, or does something first; null passes on. */
  meet: (target: string) => Promise<Passed | null> | Passed | null
  /** Changes what the real one answered. */
  alter: (target: string, answer: Passed) => Passed
  /** What the feed tells; null when there is none. */
  feed: FeedEntry[] | null
  close(): Promise<void>
}

export const openRelay = async (to: string): Promise<Relay> => {
  const answer = async (request: IncomingMessage): Promise<Passed> => {
    const target = request.url ?? ''
    relay.asked.push(target)
    const met = await relay.meet(target)
    if (met) return met
    if (relay.feed && target.startsWith('/api/feed/v1/')) return feedPage(relay.feed, target)
    const { authorization, 'if-none-match': ifNoneMatch } = request.headers
    const response = await fetch(to + target, {
      headers: {
        ...(authorization && { authorization }),
        ...(ifNoneMatch && { 'if-none-match': ifNoneMatch }),
      },
    })
    const headers = Object.fromEntries(
      ['content-type', 'etag', 'retry-after', 'link'].flatMap((name) => {
        const value = response.headers.get(name)
        return value === null ? [] : [[name, value]]
      }),
    )
    return relay.alter(target, { status: response.status, headers, body: await response.text() })
  }
  const server = createServer((request, response) => {
    answer(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: [],
    meet: () => null,
    alter: (_target, passed) => passed,
    feed: null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return relay
}

const feedPage = (feed: readonly FeedEntry[], target: string): Passed => {
  const query = new URL(target, 'http://feed').searchParams
  const limit = Number(query.get('limit') ?? 100)
  const cursor = query.get('cursor')
  const [, place] = /^at-(\d+)$/.exec(cursor ?? 'at-0') ?? []
  if (place === undefined || Number(place) > feed.length) {
    const error = { error: 'The cursor is not one of ours.', errorCode: 'invalid_cursor' }
    return { status: 400, body: JSON.stringify(error) }
  }
  const from = Number(place)
  const items = feed.slice(from, from + limit)
  const end = from + items.length
  const body = { items, nextCursor: `at-${end}`, hasMore: end < feed.length }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** An identity as the feed names it. */
export const feedId = ({ key }: Resource, record: DemoRecord): string =>
  key.length === 1
    ? String(record[key[0] ?? ''])
    : key
        .map((name) => String(record[name]).replaceAll('%', '%25').replaceAll(',', '%2C'))
        .join(',')

export const feedPut = (collection: string, record: DemoRecord): FeedEntry => ({
  collection,
  id: feedId(resourceAt(catalog, collection), record),
  operation: 'put',
  record,
})
