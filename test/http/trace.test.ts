/** Distributed traces: the header Traceparent of requests and responses, and the log. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { lineOf } from '../support/access-log.ts'
import { openTestService, type TestService } from '../support/service.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const parentId = '00f067aa0ba902b7'

describe('a request that belongs to a trace', () => {
  const origin = 'https://app.example.com'
  let service: TestService
  before(async () => {
    service = await openTestService({ CORS_ORIGINS: origin })
  })
  after(() => service.close())

  const ask = (traceparent: string, path = 'tags', headers = {}) =>
    service.get(path, { headers: { traceparent, ...headers } })

  it('is answered and logged with the same trace and a span of its own, whatever the answer is', async () => {
    const etag = (await service.get('tags')).headers.get('etag') ?? ''
    const spans = new Set([parentId])
    for (const [path, headers, status] of [
      ['tags', {}, 200],
      // From the cache.
      ['tags', {}, 200],
      ['tags', { 'if-none-match': etag }, 304],
      ['tags?limit=0', {}, 400],
      ['nothing', {}, 404],
      ['/healthz', {}, 200],
    ] as const) {
      const answer = await ask(`00-${traceId}-${parentId}-01`, path, headers)
      assert.equal(answer.status, status)
      const sent = /^00-(\w{32})-(\w{16})-(\w\w)$/.exec(answer.headers.get('traceparent') ?? '')
      const [, trace, span = '', flags] = sent ?? []
      assert.deepEqual([trace, flags], [traceId, '01'])
      assert.match(span, /^[\da-f]{16}$/)
      assert.ok(!spans.has(span), 'every response has another span')
      spans.add(span)
      const line = await lineOf(service, answer.headers.get('x-request-id'))
      assert.deepEqual([line['traceId'], line['spanId']], [traceId, span])
    }
  })

  it('keeps the flags that the standard knows, and takes later versions', async () => {
    for (const [sent, flags] of [
      [`00-${traceId}-${parentId}-00`, '00'],
      [`00-${traceId}-${parentId}-03`, '03'],
      [`00-${traceId}-${parentId}-ff`, '03'],
      [`01-${traceId}-${parentId}-01`, '01'],
      [`cc-${traceId}-${parentId}-01-and-more`, '01'],
    ] as const) {
      const { headers } = await ask(sent)
      assert.match(
        headers.get('traceparent') ?? '',
        new RegExp(`^00-${traceId}-.*-${flags}$`),
        sent,
      )
    }
  })

  it('belongs to none if the header is missing or invalid', async () => {
    for (const sent of [
      null,
      '',
      'x',
      `00-${traceId}-${parentId}`,
      `00-${traceId}-${parentId}-0`,
      `00-${traceId}-${parentId}-011`,
      `00-${traceId}-${parentId}-01-more`,
      `00-${traceId}-${parentId}-01-`,
      `ff-${traceId}-${parentId}-01`,
      `0-${traceId}-${parentId}-01`,
      `00-${traceId.slice(1)}-${parentId}-01`,
      `00-${traceId}0-${parentId}-01`,
      `00-${traceId}-${parentId.slice(1)}-01`,
      `00-${traceId.toUpperCase()}-${parentId}-01`,
      `00-${'0'.repeat(32)}-${parentId}-01`,
      `00-${traceId}-${'0'.repeat(16)}-01`,
      `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
      `cc-${traceId}-${parentId}-01.more`,
    ]) {
      const { headers, status } = await service.get('tags', {
        ...(sent !== null && { headers: { traceparent: sent } }),
      })
      assert.deepEqual([status, headers.get('traceparent')], [200, null], `${sent}`)
      const line = await lineOf(service, headers.get('x-request-id'))
      assert.deepEqual([line['traceId'], line['spanId']], [undefined, undefined], `${sent}`)
    }
  })

  it('can be sent and read by pages of listed origins', async () => {
    const preflight = await service.get('tags', {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-method': 'GET' },
    })
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /\bTraceparent\b/)
    const { headers } = await ask(`00-${traceId}-${parentId}-01`, 'tags', { origin })
    assert.match(headers.get('access-control-expose-headers') ?? '', /\bTraceparent\b/)
  })
})
