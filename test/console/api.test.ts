/** The console's reader of the API, against servers that limit, fail and reject. */
import assert from 'node:assert/strict'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, it } from 'node:test'
import { createApi, readBrands, type SelvedgeError, watchWaits } from '../../console/src/api.ts'
import { todayQuery } from '../../console/src/today-data.ts'
import { failure } from '../support/client-failure.ts'

const closers: (() => void)[] = []
after(() => {
  for (const close of closers) close()
})

/** A server whose responses are taken in order; the last one repeats. */
const serve = async (...listeners: readonly RequestListener[]) => {
  let requests = 0
  const server = createServer((request, response) => {
    const listener = listeners[Math.min(requests, listeners.length - 1)]
    requests += 1
    listener?.(request, response)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  closers.push(close)
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { origin, close, requests: () => requests }
}

const reply =
  (status: number, body: object, headers = {}): RequestListener =>
  (_, response) =>
    response.writeHead(status, headers).end(JSON.stringify(body))

const page = reply(200, { items: [{ id: 'a' }], totalItems: 1, nextCursor: null })
const limited = reply(
  429,
  { error: 'Too many.', errorCode: 'rate_limited' },
  { 'retry-after': '1' },
)

describe('the API of the console', () => {
  it('waits for the rate limit and reports until when', async () => {
    const { origin, requests } = await serve(limited, page)
    const waits: number[] = []
    const stop = watchWaits((until) => waits.push(until - Date.now()))
    const api = createApi({ origin, brand: 'aldermoor', key: 'slv_key' })
    assert.deepEqual(await api.list('tags'), { items: [{ id: 'a' }], total: 1, next: null })
    stop()
    assert.equal(requests(), 2)
    assert.equal(waits.length, 1)
    assert.ok((waits[0] ?? 0) > 500 && (waits[0] ?? 0) <= 1_000, `${waits}`)
  })

  it('asks for the figures of the day at the query API', async () => {
    const paths: (string | undefined)[] = []
    const { origin } = await serve((request, response) => {
      paths.push(request.url)
      reply(200, { asOf: '2026-11-16', totals: { orders: 3 } })(request, response)
    })
    const api = createApi({ origin, brand: 'aldermoor', key: 'slv_key' })
    const today = await todayQuery(api).queryFn({ signal: new AbortController().signal })
    assert.equal(today.totals['orders'], 3)
    assert.deepEqual(paths, ['/api/query/v1/brands/aldermoor/today'])
  })

  it('sorts suppliers by their scorecards, which it reads first', async () => {
    const paths: (string | undefined)[] = []
    const record =
      (body: object): RequestListener =>
      (request, response) => {
        paths.push(request.url)
        reply(200, body)(request, response)
      }
    const { origin } = await serve(
      record({ items: [{ id: 'b' }, { id: 'a' }], totalItems: 7, nextCursor: 'next' }),
      record({ items: [{ id: 'a' }, { id: 'b' }], totalItems: 2, nextCursor: null }),
    )
    const api = createApi({ origin, brand: 'acme', key: 'slv_key' })
    const sorted = await api.query('suppliers', { sort: '-onTime', status: 'active' }, { limit: 2 })
    assert.deepEqual(sorted, { items: [{ id: 'b' }, { id: 'a' }], total: 7, next: 'next' })
    assert.deepEqual(paths, [
      '/api/query/v1/brands/acme/suppliers/scorecards?sort=-onTime&status=active&limit=2',
      '/api/query/v1/brands/acme/suppliers?ids=b%2Ca&limit=100',
    ])
  })

  it('retries a lost connection, and says that the server cannot be reached', async () => {
    const cut: RequestListener = (request) => void request.socket.destroy()
    const lost = await serve(cut, page)
    const api = createApi({ origin: lost.origin, brand: 'aldermoor', key: 'slv_key' })
    assert.equal((await api.list('tags')).total, 1)
    lost.close()
    const error = await failure(api.list('tags'))
    assert.deepEqual(
      [error.code, error.status, error.tries, error.message],
      ['network_error', undefined, 3, 'The server cannot be reached. Is it still running?'],
    )
  })

  it('reports a key that is of no further use, and no other error', async () => {
    const dead: string[] = []
    const read = async (status: number, errorCode: string) => {
      const { origin } = await serve(reply(status, { error: 'No.', errorCode }))
      const onDeadKey = ({ code }: SelvedgeError) => dead.push(code)
      const api = createApi({ origin, brand: 'aldermoor', key: 'slv_key', onDeadKey })
      return failure(api.get('tags', 'a'))
    }
    assert.equal((await read(401, 'expired_api_key')).status, 401)
    assert.equal((await read(401, 'out_of_scope')).status, 401)
    assert.equal((await read(404, 'not_found')).status, 404)
    assert.deepEqual(dead, ['expired_api_key'])
  })

  it('reads the brands of a key', async () => {
    const brands = [
      { slug: 'aldermoor', name: 'Aldermoor', timezone: 'Europe/Lisbon', baseCurrency: 'EUR' },
    ]
    const { origin } = await serve((request, response) =>
      request.url === '/whoami' && request.headers.authorization === 'Bearer slv_key'
        ? response.end(JSON.stringify({ brands }))
        : response.writeHead(404).end(),
    )
    assert.deepEqual(await readBrands({ origin, key: 'slv_key' }), brands)
  })
})
