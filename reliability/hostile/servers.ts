import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { basePath } from '#contract'
import type { RunLimits } from '#pull'
import { brandRecord, idOf, recordsAt } from '../../test/support/model.ts'

export const brand = 'aldermoor'

/** Misbehaves in its response to a request. */
type Misbehave = (request: IncomingMessage, response: ServerResponse) => void

export interface HostileServer {
  readonly name: string
  /** Which requests get the bad response: all, lists, or the change feed. */
  readonly at: 'everything' | 'list' | 'feed'
  readonly misbehave: Misbehave
  /** The exit code of `pull`, which can read the lists if the feed fails. */
  readonly code?: 0
  /** The expected message, if it matters. */
  readonly says?: RegExp
  /** Too slow for the tests. */
  readonly isLong?: true
  /** Limits of the run that end it in seconds instead of hours. It is read within this process. */
  readonly limits?: Partial<RunLimits>
}

const json = (response: ServerResponse, body: unknown, status = 200): void => {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

/** Writes as fast as the client reads, until the client closes the connection. */
const writeForEver = (response: ServerResponse, chunk: Buffer): void => {
  const more = () => {
    while (!response.destroyed && response.write(chunk));
    if (!response.destroyed) response.once('drain', more)
  }
  more()
}

const compressed = (response: ServerResponse, encoding: string, chunk: Buffer): void => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': encoding })
  writeForEver(response, chunk)
}

const [tag] = recordsAt('tags')
const tagsFrom = (from: number, count: number): readonly object[] =>
  Array.from({ length: count }, (_, index) => ({ ...tag, id: idOf(from + index) }))

const numberIn = (request: IncomingMessage): number =>
  Number(/[?&]cursor=n(\d+)/.exec(request.url ?? '')?.[1] ?? 0)

/** On a busy machine the response may time out before it exceeds the size limit. */
const tooMuch =
  /more than 32 MiB or 1000000 objects in one response|No complete response|sent nothing/

const zeros = Buffer.alloc(1_048_576, 0x30)
/** Each is a few kilobytes that expand to 64 MiB. */
const bombs = {
  gzip: gzipSync(Buffer.alloc(67_108_864, 0x30)),
  brotli: brotliCompressSync(Buffer.alloc(67_108_864, 0x30), {
    params: { [constants.BROTLI_PARAM_QUALITY]: 1 },
  }),
}
const put = (from: number) =>
  tagsFrom(from, 1_000).map((record, index) => ({
    collection: 'tags',
    id: idOf(from + index),
    operation: 'put',
    record,
  }))

const endlessList: Misbehave = (request, response) => {
  const number = numberIn(request)
  const items = tagsFrom(number * 100, 100)
  json(response, { items, nextCursor: `n${number + 1}`, totalItems: 1e9 })
}

/** All misbehaviours of a server towards its clients. */
export const hostileServers: readonly HostileServer[] = [
  {
    name: 'a body without end',
    at: 'everything',
    misbehave: (_, response) => writeForEver(response.writeHead(200), zeros),
    says: tooMuch,
  },
  {
    name: 'an error without end',
    at: 'everything',
    misbehave: (_, response) => writeForEver(response.writeHead(404), zeros),
    says: tooMuch,
  },
  {
    name: 'a length of a terabyte',
    at: 'everything',
    misbehave: (_, response) =>
      writeForEver(response.writeHead(200, { 'content-length': String(2 ** 40) }), zeros),
    says: tooMuch,
  },
  {
    name: 'gzip that expands without end',
    at: 'everything',
    misbehave: (_, response) => compressed(response, 'gzip', bombs.gzip),
    says: tooMuch,
  },
  {
    name: 'Brotli that expands without end',
    at: 'everything',
    misbehave: (_, response) =>
      void response.writeHead(200, { 'content-encoding': 'br' }).end(bombs.brotli),
    says: tooMuch,
  },
  {
    name: 'gzip in gzip in gzip',
    at: 'everything',
    misbehave: (_, response) =>
      void response
        .writeHead(200, { 'content-encoding': 'gzip, gzip, gzip' })
        .end(gzipSync(gzipSync(bombs.gzip))),
  },
  {
    name: 'gzip that never gives a byte',
    at: 'everything',
    misbehave: (_, response) => compressed(response, 'gzip', gzipSync(Buffer.alloc(0))),
    says: /sent nothing|No complete response|The connection to|is not a Selvedge server/,
  },
  {
    name: 'silence',
    at: 'everything',
    misbehave: () => undefined,
    says: /sent nothing for \d+ ms/,
  },
  {
    name: 'silence in the middle of a body',
    at: 'everything',
    misbehave: (_, response) => void response.writeHead(200).write('{"items":['),
    says: /sent nothing for \d+ ms/,
  },
  {
    name: 'a byte now and then',
    at: 'everything',
    misbehave: (_, response) => {
      response.writeHead(200)
      const drip = setInterval(() => void response.write(' '), 200)
      response.once('close', () => clearInterval(drip))
    },
    says: /No complete response from \S+ within \d+ ms/,
  },
  {
    name: 'silence at a list',
    at: 'list',
    misbehave: () => undefined,
    says: /sent nothing for \d+ ms/,
  },
  {
    name: 'connections that are cut',
    at: 'everything',
    misbehave: (request) => void request.socket.destroy(),
    says: /The connection to \S+ failed/,
  },
  {
    name: '500, always',
    at: 'everything',
    misbehave: (_, response) => void response.writeHead(500).end('no'),
    says: /answered 500 with no content type/,
  },
  {
    name: '429, for a day',
    at: 'everything',
    misbehave: (_, response) => {
      response.setHeader('retry-after', '86400')
      json(response, { error: 'Too many.', errorCode: 'rate_limited' }, 429)
    },
    says: /Too many\./,
  },
  {
    name: '429, a second at a time, always',
    at: 'everything',
    misbehave: (_, response) => {
      response.setHeader('retry-after', '1')
      json(response, { error: 'Too many.', errorCode: 'rate_limited' }, 429)
    },
    says: /Too many\./,
    isLong: true,
  },
  {
    name: 'a redirect to somebody else',
    at: 'everything',
    misbehave: (_, response) =>
      void response.writeHead(302, { location: 'http://127.0.0.1:9/steal' }).end(),
    says: /redirects to http:\/\/127\.0\.0\.1:9\/steal\. The key is not sent to another address/,
  },
  {
    name: 'control characters in a sentence',
    at: 'everything',
    misbehave: (_, response) =>
      json(
        response,
        {
          error: `\u001b[2J\u001b]0;owned\u0007Hello\r\n\u202egnp.exe${'x'.repeat(1_000_000)}`,
          errorCode: 'invalid_api_key',
        },
        401,
      ),
    says: /Hello/,
  },
  {
    name: 'a page of something else',
    at: 'everything',
    misbehave: (_, response) =>
      void response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>\u001b[2J</h1>'),
    says: /is not a Selvedge server/,
  },
  {
    name: 'JSON nested a million times',
    at: 'everything',
    misbehave: (_, response) => void response.writeHead(200).end('['.repeat(10_000_000)),
    says: tooMuch,
  },
  {
    name: 'JSON of millions of objects',
    at: 'everything',
    misbehave: (_, response) =>
      void response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(`{"brands":[${'{},'.repeat(9_999_999)}{}]}`),
    says: tooMuch,
  },
  {
    name: 'cursors that go in a circle',
    at: 'list',
    misbehave: (request, response) => {
      const number = numberIn(request)
      const nextCursor = `n${(number % 2) + 1}`
      json(response, { items: tagsFrom(number * 100, 100), nextCursor, totalItems: 300 })
    },
    says: /has the record .* twice/,
  },
  {
    name: 'a cursor that leads to itself',
    at: 'list',
    misbehave: (request, response) => {
      const items = tagsFrom(numberIn(request) * 100, 100)
      json(response, { items, nextCursor: 'n1', totalItems: 300 })
    },
    says: /Pagination loop in tags/,
  },
  {
    name: 'new cursors and no records',
    at: 'list',
    misbehave: (request, response) =>
      json(response, { items: [], nextCursor: `n${numberIn(request) + 1}`, totalItems: 300 }),
    says: /an empty page of tags with a cursor for a next page/,
  },
  {
    name: 'more records than it counts, without end',
    at: 'list',
    misbehave: (request, response) => {
      const number = numberIn(request)
      const items = tagsFrom(number * 100, 100)
      json(response, { items, nextCursor: `n${number + 1}`, totalItems: 250 })
    },
    says: /tags: the API has 250 records, the copy has 1,600/,
  },
  {
    name: 'a total that runs away',
    at: 'list',
    misbehave: (request, response) => {
      const number = numberIn(request)
      const [items, totalItems] = [tagsFrom(number * 100, 100), 1_000 + number * 1_000]
      json(response, { items, nextCursor: `n${number + 1}`, totalItems })
    },
    says: /tags: the API has/,
  },
  {
    name: 'a total that cannot be',
    at: 'list',
    misbehave: (_, response) =>
      json(response, { items: tagsFrom(1, 100), nextCursor: 'n1', totalItems: 1e15 }),
    says: /is not a list of a Selvedge server/,
  },
  {
    name: 'the same record twice on a page',
    at: 'list',
    misbehave: (_, response) => {
      const [one] = tagsFrom(1, 1)
      json(response, { items: [one, one], nextCursor: null, totalItems: 2 })
    },
    says: /has the record .* twice/,
  },
  {
    name: 'the same record on two pages',
    at: 'list',
    misbehave: (request, response) => {
      const number = numberIn(request)
      const nextCursor = number === 1 ? null : 'n1'
      json(response, { items: tagsFrom(number * 50, 100), nextCursor, totalItems: 200 })
    },
    says: /has the record .* twice/,
  },
  {
    name: 'more records on a page than were asked for',
    at: 'list',
    misbehave: (_, response) =>
      json(response, { items: tagsFrom(1, 5_000), nextCursor: null, totalItems: 5_000 }),
    says: /is not a list of a Selvedge server/,
  },
  {
    name: 'a cursor of a megabyte',
    at: 'list',
    misbehave: (_, response) =>
      json(response, {
        items: tagsFrom(1, 100),
        nextCursor: '\u001b[2J'.repeat(250_000),
        totalItems: 200,
      }),
    says: /is not a list of a Selvedge server/,
  },
  {
    name: 'fields without end, with control characters',
    at: 'list',
    misbehave: (_, response) => {
      const fields = Array.from({ length: 2_000 }, (_, index) => [`\u001b[2J${index}`, 1])
      const items = tagsFrom(1, 1).map((each) => ({ ...each, ...Object.fromEntries(fields) }))
      json(response, { items, nextCursor: null, totalItems: 1 })
    },
    code: 0,
    says: /Further unknown fields are not reported/,
  },
  {
    name: 'a billion records, all of them sent',
    at: 'list',
    misbehave: endlessList,
    limits: { bytesMax: 2_097_152 },
    says: /The run has reached its limit of 2 MiB/,
  },
  {
    name: 'requests without end',
    at: 'list',
    misbehave: endlessList,
    limits: { requestsMax: 100 },
    says: /The run has reached its limit of 100 requests/,
  },
  {
    name: 'time without end',
    at: 'list',
    misbehave: endlessList,
    limits: { msMax: 3_600 },
    says: /The run has reached its limit of 0\.001 hours/,
  },
  {
    name: 'one record on each page',
    at: 'list',
    misbehave: (request, response) => {
      const number = numberIn(request)
      const items = tagsFrom(number, 1)
      json(response, { items, nextCursor: `n${number + 1}`, totalItems: 1e9 })
    },
    says: /The list of tags has 101 records on 101 pages, and more/,
  },
  {
    name: 'pages that drip, each within its time',
    at: 'list',
    misbehave: (request, response) => {
      const number = numberIn(request)
      const items = tagsFrom(number * 100, 100)
      const body = JSON.stringify({ items, nextCursor: `n${number + 1}`, totalItems: 1e9 })
      // A piece for each half second of 2.5 timeouts of 2 s, or 1.7 of 3 s.
      const pieces = 10
      const size = Math.ceil(body.length / pieces)
      let sent = 0
      const drip = setInterval(() => {
        response.write(body.slice(sent, sent + size))
        sent += size
        if (sent < body.length) return
        clearInterval(drip)
        response.end()
      }, 500)
      response.once('close', () => clearInterval(drip))
    },
    says: /The server sends its responses too slowly/,
  },
  {
    name: 'a change feed of one change on each page',
    at: 'feed',
    misbehave: (request, response) => {
      const number = numberIn(request)
      const items = put(number).slice(0, 1)
      json(response, { items, nextCursor: `n${number + 1}`, hasMore: true })
    },
    code: 0,
    says: /has 101 changes on 101 pages, and more; reading the lists/,
  },
  {
    name: 'a change feed without end',
    at: 'feed',
    misbehave: (request, response) => {
      const number = numberIn(request)
      json(response, { items: put(number * 1_000), nextCursor: `n${number + 1}`, hasMore: true })
    },
    code: 0,
    says: /has more changes than the brand has records; reading the lists/,
  },
  {
    name: 'a change feed without end that has nothing to say',
    at: 'feed',
    misbehave: (request, response) =>
      json(response, { items: [], nextCursor: `n${numberIn(request) + 1}`, hasMore: true }),
    says: /Pagination loop in the change feed/,
  },
  {
    name: 'a change feed that goes in a circle',
    at: 'feed',
    misbehave: (request, response) => {
      const number = numberIn(request)
      json(response, { items: put(0), nextCursor: `n${(number % 2) + 1}`, hasMore: true })
    },
    code: 0,
    says: /reading the lists/,
    isLong: true,
  },
  {
    name: 'a change feed that leads to itself',
    at: 'feed',
    misbehave: (_, response) => json(response, { items: put(0), nextCursor: 'n0', hasMore: true }),
    says: /Pagination loop in the change feed/,
  },
]

export interface OpenHostileServer {
  readonly url: string
  /** The number of received requests. */
  readonly requests: () => number
  close(): Promise<void>
}

/** A server with an empty brand that answers correctly except for its misbehaviour. */
export const openHostileServer = async ({
  at,
  misbehave,
}: HostileServer): Promise<OpenHostileServer> => {
  const base = `${basePath}/brands/${brand}`
  let requests = 0
  const server = createServer((request, response) => {
    requests += 1
    response.on('error', () => undefined)
    const path = request.url ?? ''
    const isFeed = path.startsWith('/api/feed/')
    if (at === 'everything' || (at === 'feed' && isFeed)) return misbehave(request, response)
    if (isFeed) return json(response, { error: 'No feed.', errorCode: 'not_found' }, 404)
    if (path === base) return json(response, brandRecord(brand, 1))
    if (at === 'list' && path.startsWith(`${base}/tags?`)) return misbehave(request, response)
    return json(response, { items: [], nextCursor: null, totalItems: 0 })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => requests,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
