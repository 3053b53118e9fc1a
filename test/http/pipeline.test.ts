/** The pipeline with a programming error in each of its stages. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { wholeScope } from '#contract'
import type { Grant } from '#keys'
import { createMemoryLimiter } from '#rate-limit'
import { toApiError } from '#request'
import { createRateLimit } from '../../src/http/admission.ts'
import { connectionLimits, createConnections } from '../../src/http/connections.ts'
import { createContexts } from '../../src/http/context.ts'
import { descriptorOf } from '../../src/http/file-send.ts'
import { createPipeline, type PipelineParts } from '../../src/http/pipeline.ts'
import { createResponder } from '../../src/http/response.ts'
import { createResponseCache } from '../../src/http/response-cache.ts'
import { createRouter, type Route } from '../../src/http/router.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { until } from '../support/cluster.ts'
import { openSocket } from '../support/raw-socket.ts'

const grant: Grant = {
  keyId: 'key_1',
  name: 'One',
  global: true,
  brands: new Set(),
  collections: null,
  scope: wholeScope,
  addresses: null,
  expiresAt: null,
  perSecond: null,
  burst: null,
}
const readState = { change: 1, dependencies: [] }
const mistake = new TypeError('x is not a function')
const throws = (): never => {
  throw mistake
}
const rejects = () => Promise.reject(mistake)

const routes: readonly Route[] = [
  {
    method: 'GET',
    path: '/brands/{brand}',
    operation: 'brand',
    kind: 'brand',
    auth: 'brand',
    handler: async () => ({ body: [Buffer.from('{}')], tag: 'a', readState }),
  },
  {
    method: 'GET',
    path: '/open',
    operation: 'open',
    kind: 'open',
    auth: 'none',
    handler: () => ({ status: 200, headers: {}, content: 'open' }),
  },
]

const brandRoute = (change: object) => [{ ...routes[0], ...change } as Route]
const openRoute = (change: object) => [{ ...routes[1], ...change } as Route]
const router = (table: readonly Route[]) => createRouter(table, throws)

const openServer = async (planted: (parts: PipelineParts) => Partial<PipelineParts>) => {
  const connections = createConnections({
    limits: { ...connectionLimits, sendTimeoutSeconds: 30 },
    isUrgent: () => false,
    onCut: () => undefined,
  })
  const reported: unknown[] = []
  const limiter = createMemoryLimiter({ now: () => 0 })
  const policy = { perSecond: 1_000, burst: 1_000 }
  const responder = createResponder({ now: Date.now, draining: () => false })
  const parts: PipelineParts = {
    router: router(routes),
    keyVerifier: {
      verify: () => grant,
      verifyAgain: async () => grant,
      findKey: () => grant,
      findKeyAgain: async () => grant,
      findSigner: () => grant,
      findSignerAgain: async () => grant,
      markUsed: () => undefined,
      isStale: false,
      close: async () => undefined,
    },
    limiter,
    failurePolicy: policy,
    clientAddress: () => '192.0.2.1',
    clientIp: () => '192.0.2.1',
    rateLimit: createRateLimit({ limiter, policy }),
    publicRateLimit: () => undefined,
    lookUpBrand: () => undefined,
    keyConcurrency: { enter: () => () => undefined, reserver: () => () => undefined },
    memory: connections,
    responder,
    cache: createResponseCache(2 ** 20),
    changes: {
      isFresh: () => true,
      hasSeen: () => true,
      isStale: () => false,
      close: async () => undefined,
    },
    afterWrite: null,
    corsOrigins: [],
    paused: () => null,
    reportError: (_ctx, thrown) => {
      reported.push(thrown)
      return toApiError(thrown)
    },
  }
  let inFlight = 0
  let finished = 0
  const server = createHttpServer({
    createContext: createContexts('test'),
    connections,
    serve: createPipeline({ ...parts, ...planted(parts) }),
    responder,
    draining: () => false,
    onStart: () => {
      inFlight += 1
    },
    onFinish: () => {
      inFlight -= 1
      finished += 1
    },
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    server,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    reported,
    counts: () => ({ inFlight, finished }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

describe('a programming error', () => {
  /** Where it is planted, and the first request of a path that meets it. */
  const stages: {
    readonly [stage: string]: readonly [
      planted: (parts: PipelineParts) => Partial<PipelineParts>,
      path?: string,
      first?: number,
    ]
  } = {
    'while requests are paused': [() => ({ paused: throws })],
    'while requests are paused, later': [() => ({ paused: rejects })],
    'in the cache look-up': [({ cache }) => ({ cache: cache && { ...cache, get: throws } })],
    'in the router': [() => ({ router: { match: throws } })],
    'in a 404': [() => ({}), '/nothing'],
    'in the limit of an address': [() => ({ publicRateLimit: throws }), '/open'],
    'before the key is verified': [() => ({ router: router(brandRoute({ precheck: throws })) })],
    'in the key verifier': [
      ({ keyVerifier }) => ({ keyVerifier: { ...keyVerifier, verify: throws } }),
    ],
    'in the address of an unknown key': [
      ({ keyVerifier }) => ({
        keyVerifier: { ...keyVerifier, verify: () => 'invalid' },
        clientIp: throws,
      }),
    ],
    'in the limit of failures, later': [
      ({ keyVerifier, limiter }) => ({
        keyVerifier: { ...keyVerifier, verify: () => 'expired' },
        limiter: { ...limiter, consume: rejects },
      }),
    ],
    'when a key is marked as used': [
      ({ keyVerifier }) => ({ keyVerifier: { ...keyVerifier, markUsed: throws } }),
    ],
    'in the rate limit': [() => ({ rateLimit: { consume: throws } })],
    'in the rate limit, later': [() => ({ rateLimit: { consume: rejects } })],
    'in the check of freshness': [
      ({ changes }) => ({ changes: changes && { ...changes, isFresh: throws } }),
      '/brands/one',
      3,
    ],
    'when a hit is counted': [
      ({ cache }) => ({ cache: cache && { ...cache, hit: throws } }),
      '/brands/one',
      3,
    ],
    'in the brand look-up': [() => ({ lookUpBrand: throws })],
    'in the brand look-up, later': [() => ({ lookUpBrand: rejects })],
    'in the memory of responses': [({ memory }) => ({ memory: { ...memory, room: throws } })],
    'in the memory of responses, later': [
      ({ memory }) => ({ memory: { ...memory, room: rejects } }),
    ],
    'in the limit of concurrency': [
      ({ keyConcurrency }) => ({ keyConcurrency: { ...keyConcurrency, enter: throws } }),
    ],
    'in the limit of concurrency, later': [
      ({ keyConcurrency }) => ({ keyConcurrency: { ...keyConcurrency, enter: rejects } }),
    ],
    'in a handler': [() => ({ router: router(brandRoute({ handler: throws })) })],
    'in a handler, later': [() => ({ router: router(brandRoute({ handler: rejects })) })],
    'in a public handler': [() => ({ router: router(openRoute({ handler: throws })) }), '/open'],
    'in a public handler, later': [
      () => ({ router: router(openRoute({ handler: rejects })) }),
      '/open',
    ],
    'when bytes are counted': [
      ({ memory }) => ({
        memory: { ...memory, hold: throws },
        router: router(
          brandRoute({ handler: async () => ({ body: [Buffer.alloc(100_000)], tag: 'a' }) }),
        ),
      }),
    ],
    'when an entity is encoded': [
      () => ({
        router: router(
          brandRoute({
            handler: async () => ({
              body: '{}',
              tag: 'a',
              get contentType(): string {
                return throws()
              },
            }),
          }),
        ),
      }),
    ],
    'when a response is cached': [
      ({ cache }) => ({ cache: cache && { ...cache, shouldCache: throws } }),
    ],
    'when a response is sent': [
      ({ responder }) => ({ responder: { ...responder, sendEncoded: throws } }),
    ],
    'when another response is sent': [
      ({ responder }) => ({ responder: { ...responder, sendPlain: throws } }),
      '/open',
    ],
  }
  for (const [stage, [planted, path = '/brands/one', first = 1]] of Object.entries(stages)) {
    it(`${stage} is a 500 in the contract's shape, and the server continues`, async (test) => {
      const { url, reported, counts, close } = await openServer(planted)
      test.after(close)
      for (let request = 1; request < first + 3; request += 1) {
        const response = await fetch(url + path)
        const text = await response.text()
        assert.equal(response.status, request < first ? 200 : 500, text)
        if (request < first) continue
        assert.equal(JSON.parse(text).errorCode, 'internal_error')
        assert.equal(response.headers.get('cache-control'), 'no-store')
        assert.ok(!text.includes('not a function'))
      }
      assert.equal(reported.length, 3)
      await until(() => counts().finished === first + 2)
      assert.equal(counts().inFlight, 0)
    })
  }

  it('after half a response closes the connection', async (test) => {
    const { url, counts, close } = await openServer(({ responder }) => ({
      responder: {
        ...responder,
        sendEncoded: ({ response }) => {
          response.writeHead(200, { 'content-length': '10' })
          response.write('half')
          throw mistake
        },
      },
    }))
    test.after(close)
    const socket = openSocket(url)
    socket.send('GET /brands/one HTTP/1.1\r\nHost: api\r\n\r\n')
    const { closed } = await socket.until((said) => said.closed, 20_000)
    assert.ok(closed)
    await until(() => counts().finished === 1)
    assert.equal(counts().inFlight, 0)
  })
})

describe('an open file', () => {
  const malformedRest = 'Host: api\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n'
  /** How a file response is not sent, with the headers and the rest of its request. */
  const cases = {
    'its request was refused in the meantime': [{}, malformedRest],
    'its headers cannot be sent': [{ 'x-name': '\n' }, 'Host: api\r\n\r\n'],
  } as const
  for (const [reason, [headers, rest]] of Object.entries(cases)) {
    it(`is closed when ${reason}`, async (test) => {
      const stream = createReadStream(import.meta.filename)
      const descriptor = await descriptorOf(stream)
      const { url, counts, close } = await openServer(() => ({
        router: router(
          openRoute({
            handler: async () => {
              await nextTurn()
              return { status: 200, headers, file: { stream, descriptor, start: 0, length: 1 } }
            },
          }),
        ),
      }))
      test.after(close)
      const socket = openSocket(url)
      socket.send(`GET /open HTTP/1.1\r\n${rest}`)
      await until(() => counts().finished === 1)
      await until(() => stream.destroyed)
      socket.destroy()
    })
  }
})

describe('requests in flight', () => {
  it('are counted down once each, however they end', async (test) => {
    const { server, url, counts, close } = await openServer(() => ({
      router: router([
        ...routes,
        {
          method: 'GET',
          path: '/never',
          operation: 'never',
          kind: 'never',
          auth: 'none',
          handler: () => new Promise(() => undefined),
        },
      ]),
    }))
    test.after(close)
    const get = (path: string, rest = '') => `GET ${path} HTTP/1.1\r\nHost: api\r\n${rest}\r\n`
    const malformed = 'Transfer-Encoding: chunked\r\n'
    const endings = [
      get('/brands/one'),
      get('/open') + get('/brands/one') + get('/open'),
      // The rest of the message is malformed before and after its response.
      `${get('/brands/one', malformed)}zz\r\n`,
      `${get('/never', malformed)}zz\r\n`,
      // More than are started at once wait behind one without a response.
      get('/never') + get('/open').repeat(40),
      `${get('/never') + get('/open').repeat(20)}${get('/open', malformed)}zz\r\n`,
    ]
    for (const text of endings) {
      const socket = openSocket(url)
      const { finished } = counts()
      socket.send(text)
      await until(() => counts().finished > finished || counts().inFlight >= 16)
      // A connection that is not read does not notice that its client closed it.
      server.closeAllConnections()
      await until(() => counts().inFlight === 0)
    }
  })
})
