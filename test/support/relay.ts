/**
 * A proxy in front of a server. It forwards and records requests, and can fail, wait, or change
 * responses. It can also replace the change feed, in exactly the same format.
 */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { catalog, type Resource, resourceAt } from '#contract'
import type { DemoRecord } from '#demo'

export interface RelayedResponse {
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
  readonly requests: string[]
  /** Responds instead of the server, or does something first; null forwards the request. */
  intercept: (target: string) => Promise<RelayedResponse | null> | RelayedResponse | null
  /** Changes the server's response. */
  alter: (target: string, response: RelayedResponse) => RelayedResponse
  /** The items of the feed; null if there is none. */
  feed: FeedEntry[] | null
  close(): Promise<void>
}

export const openRelay = async (to: string): Promise<Relay> => {
  const respond = async (request: IncomingMessage): Promise<RelayedResponse> => {
    const target = request.url ?? ''
    relay.requests.push(target)
    const intercepted = await relay.intercept(target)
    if (intercepted) return intercepted
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
    respond(request).then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.destroy(),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const relay: Relay = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    intercept: () => null,
    alter: (_target, response) => response,
    feed: null,
    close: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
  return relay
}

const feedPage = (feed: readonly FeedEntry[], target: string): RelayedResponse => {
  const query = new URL(target, 'http://feed').searchParams
  const limit = Number(query.get('limit') ?? 100)
  const cursor = query.get('cursor')
  const [, position] = /^at-(\d+)$/.exec(cursor ?? 'at-0') ?? []
  if (position === undefined || Number(position) > feed.length) {
    const error = { error: 'The cursor is not one of ours.', errorCode: 'invalid_cursor' }
    return { status: 400, body: JSON.stringify(error) }
  }
  const from = Number(position)
  const items = feed.slice(from, from + limit)
  const end = from + items.length
  const body = { items, nextCursor: `at-${end}`, hasMore: end < feed.length }
  return {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  }
}

/** The id of a record in the feed. */
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
