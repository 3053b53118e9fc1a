/** Health, metrics, the access log and request ids. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, operationsOf } from '#contract'
import { lineOf } from '../support/access-log.ts'
import { idOf } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('a running service', () => {
  let service: TestService
  let key: string

  before(async () => {
    service = await openTestService({ METRICS_PORT: '0', TRUSTED_PROXIES: '127.0.0.1' })
    key = await service.key('aldermoor')
  })
  after(() => service.close())

  it('is healthy and ready, without a key', async () => {
    for (const [path, text] of [
      ['/healthz', '{"status":"ok"}'],
      ['/readyz', '{"status":"ready"}'],
    ] as const) {
      const answer = await service.get(path, { key: null })
      assert.deepEqual([answer.status, answer.text], [200, text])
      assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.equal((await service.get(path, { key: null, method: 'POST' })).status, 405)
    }
  })

  it('serves its metrics on a port of their own, and nowhere else', async () => {
    assert.ok(service.metricsUrl)
    assert.notEqual(new URL(service.metricsUrl).port, new URL(service.url).port)
    const response = await fetch(service.metricsUrl)
    assert.equal(response.status, 200)
    assert.match(response.headers.get('content-type') ?? '', /^text\/plain/)
    assert.equal((await fetch(new URL('/', service.metricsUrl))).status, 404)
    assert.equal((await fetch(new URL('/healthz', service.metricsUrl))).status, 404)
    assert.equal((await service.get('/metrics', { key: null })).status, 404)
  })

  it('counts responses by operation, method, status and code, and by nothing of the caller', async () => {
    const secret = 'a-very-private-filter-value'
    await service.get(`tags?name=${secret}`, { headers: { 'x-request-id': 'id-of-mine' } })
    await service.get(`tags/${idOf(1)}`)
    await service.get('tags?limit=0')
    await service.get('nothing')
    await service.get('tags', { method: 'POST' })
    await service.get('tags', { key: null, headers: { 'x-forwarded-for': '10.9.8.7' } })
    await service.get('/healthz', { key: null })
    const { keyId } = await lineOf(service, 'id-of-mine')
    const text = await (await fetch(service.metricsUrl ?? '')).text()
    for (const [name, labels] of [
      ['selvedge_requests_total', 'operation="listTags",method="GET",status="200"'],
      ['selvedge_requests_total', 'operation="listTags",method="GET",status="400"'],
      ['selvedge_requests_total', 'operation="listTags",method="GET",status="401"'],
      ['selvedge_requests_total', 'operation="getTag",method="GET",status="404"'],
      ['selvedge_requests_total', 'operation="unknown",method="GET",status="404"'],
      ['selvedge_requests_total', 'operation="listTags",method="POST",status="405"'],
      ['selvedge_requests_total', 'operation="health",method="GET",status="200"'],
      ['selvedge_errors_total', 'code="invalid_parameter"'],
      ['selvedge_errors_total', 'code="missing_api_key"'],
      ['selvedge_request_seconds_count', 'kind="list"'],
    ] as const) {
      assert.ok(text.includes(`${name}{${labels}}`), `${name}{${labels}}`)
    }
    assert.match(text, /^selvedge_requests_in_flight /m)
    assert.match(text, /^selvedge_store_failures_total 0$/m)
    for (const private_ of ['aldermoor', secret, key, 'slv_', `${keyId}`, 'id-of-mine', idOf(1)]) {
      assert.ok(!text.includes(private_), private_)
    }
    // No request adds a label value that is not in the contract.
    const operations = new Set([
      ...operationsOf(catalog).map(({ id }) => id),
      ...['unknown', 'health', 'ready', 'openapi', 'imageFile'],
    ])
    for (const [, operation = ''] of text.matchAll(/operation="([^"]*)"/g)) {
      assert.ok(operations.has(operation), operation)
    }
  })

  it('names operations as the OpenAPI documents do, and times them by their kind', async () => {
    const kinds: string[] = []
    for (const [base, path, kind] of [
      ['/api/public/v1', '/brands/{brand}/tags', 'list'],
      ['/api/public/v1', '/brands/{brand}/tags/{id}', 'get'],
      ['/api/query/v1', '/brands/{brand}/orders', 'query'],
      ['/api/query/v1', '/brands/{brand}/orders/summary', 'summary'],
      ['/api/query/v1', '/brands/{brand}/orders/download', 'download'],
      ['/api/query/v1', '/brands/{brand}/orders/{id}/document', 'document'],
      ['/api/query/v1', '/brands/{brand}/orders/{id}/lineage', 'lineage'],
      ['/api/query/v1', '/brands/{brand}/today', 'queryToday'],
      ['/api/query/v1', '/brands/{brand}/today/trend', 'queryTrend'],
      ['/api/query/v1', '/brands/{brand}/calendar', 'queryCalendar'],
      ['/api/query/v1', '/brands/{brand}/quality', 'queryQuality'],
      ['/api/query/v1', '/brands/{brand}/sources', 'querySources'],
      ['/api/query/v1', '/brands/{brand}/search', 'search'],
    ] as const) {
      const { paths } = (await service.get(`${base}/openapi.json`, { key: null })).body as {
        readonly paths: { readonly [path: string]: { readonly get: { operationId: string } } }
      }
      const filled = path.replace('{brand}', 'aldermoor').replace('{id}', idOf(1))
      const { headers } = await service.get(`${base}${filled}`)
      const { route } = await lineOf(service, headers.get('x-request-id'))
      assert.equal(route, paths[path]?.get.operationId)
      kinds.push(kind)
    }
    const text = await (await fetch(service.metricsUrl ?? '')).text()
    for (const kind of kinds) {
      assert.ok(text.includes(`selvedge_request_seconds_count{kind="${kind}"}`), kind)
    }
    assert.doesNotMatch(text, /selvedge_request_seconds_bucket\{[^}]*operation=/)
  })

  it('logs a line of JSON for each request: who, what, how it went and how long it took', async () => {
    const { headers } = await service.get('orders?limit=1')
    const line = await lineOf(service, headers.get('x-request-id'))
    const { level, time, ms, keyId, requestId: _, ...rest } = line
    assert.equal(level, 'info')
    assert.match(`${time}`, /^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/)
    assert.match(`${keyId}`, /^key_[\w-]{12}$/)
    assert.ok(Number(ms) > 0 && Number(ms) < 10_000)
    assert.deepEqual(rest, {
      brand: 'aldermoor',
      route: 'listOrders',
      method: 'GET',
      path: `${basePath}/brands/aldermoor/orders?limit=1`,
      status: 200,
      msg: 'request',
    })
  })

  it('logs a request with the wrong method under the operation of its path', async () => {
    const { headers } = await fetch(`${service.url}/mcp`)
    const { route, status } = await lineOf(service, headers.get('x-request-id'))
    assert.deepEqual({ route, status }, { route: 'mcp', status: 405 })
  })

  it('logs what was refused with its code, and no more than was verified', async () => {
    for (const [path, options, expected] of [
      [
        'tags?limit=0',
        {},
        { brand: 'aldermoor', route: 'listTags', status: 400, errorCode: 'invalid_parameter' },
      ],
      [
        `tags/${idOf(1)}`,
        {},
        { brand: 'aldermoor', route: 'getTag', status: 404, errorCode: 'not_found' },
      ],
      ['nothing', {}, { route: 'unknown', status: 404, errorCode: 'not_found' }],
      ['tags', { key: null }, { route: 'listTags', status: 401, errorCode: 'missing_api_key' }],
      [
        `${basePath}/brands/private-name/tags`,
        {},
        { route: 'listTags', status: 401, errorCode: 'out_of_scope' },
      ],
      [
        'tags',
        { method: 'POST' },
        { route: 'listTags', status: 405, errorCode: 'method_not_allowed' },
      ],
      [
        'tags',
        { method: 'DELETE' },
        { route: 'unknown', status: 405, errorCode: 'method_not_allowed' },
      ],
    ] as const) {
      const forwarded = { 'x-forwarded-for': '10.1.1.1' }
      const { headers } = await service.get(path, { ...options, headers: forwarded })
      const line = await lineOf(service, headers.get('x-request-id'))
      const { requestId, level, time, ms, msg, keyId, method, path: logged, ...rest } = line
      assert.deepEqual(rest, expected, path)
      const sent = path.startsWith('/') ? path : `${basePath}/brands/aldermoor/${path}`
      assert.equal(logged, sent)
      const isVerified = 'brand' in expected || expected.errorCode === 'out_of_scope'
      assert.equal(typeof keyId, isVerified ? 'string' : 'undefined', path)
    }
  })

  it('logs path and query, and never a key, a secret, an address or a header', async () => {
    const secrets = ['needle-in-agent', 'needle-in-cookie', 'needle-in-token', 'needle-in-link']
    await service.get(`tags?name=shown-filter&access_token=${secrets[2]}`, {
      headers: {
        'user-agent': secrets[0] ?? '',
        cookie: `session=${secrets[1]}`,
        'x-forwarded-for': '10.20.30.40',
        'x-request-id': key,
      },
    })
    await service.get('tags/shown-path', { headers: { 'x-request-id': `x-${key}`.slice(0, 64) } })
    await service.get(`nothing/${key}`)
    await service.get(`${basePath}/brands/${key}/tags`)
    await service.get(`tags?key=${key}&name=${encodeURIComponent(key).replaceAll('_', '%5F')}`)
    await service.get(`tags?name=${key.replaceAll('l', '%256c')}`)
    await service.get(`/files/images/aldermoor/x?expires=1&signature=${secrets[3]}`, { key: null })
    await service.get(`tags?name=${'long'.repeat(1_000)}`)
    const { headers } = await service.get('/healthz', { key: null })
    await lineOf(service, headers.get('x-request-id'))
    const text = service.logged.join('')
    for (const secret of [...secrets, key, key.slice(4, 20), '10.20.30.40', 'Bearer']) {
      assert.ok(!text.includes(secret), secret)
    }
    for (const shown of [
      '/tags?name=shown-filter&access_token=…"',
      '/tags/shown-path"',
      '/nothing/slv_…"',
      '?expires=1&signature=…"',
    ]) {
      assert.ok(text.includes(shown), shown)
    }
    for (const line of service.logged) assert.ok(line.length < 1_200, line)
    for (const line of service.logged) assert.doesNotThrow(() => JSON.parse(line))
  })

  for (const id of [
    'abc',
    'A.b_c-1',
    '7',
    '-',
    'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    'x'.repeat(64),
  ]) {
    it(`takes the client's own request id ${id.slice(0, 40)}`, async () => {
      for (const path of ['tags', 'tags?limit=0', 'nothing', '/healthz']) {
        const { headers } = await service.get(path, { headers: { 'x-request-id': id } })
        assert.equal(headers.get('x-request-id'), id)
      }
      await lineOf(service, id)
    })
  }

  it('gives a request an id of its own when the client’s could do harm', async () => {
    const ids = new Set<string>()
    const harmful = [
      '',
      ' ',
      'a b',
      'a\tb',
      'a;b',
      'a,b',
      '../x',
      '<script>',
      '"',
      '{}',
      '%0d%0a',
      'é',
      'x'.repeat(65),
      'x'.repeat(5_000),
      key,
      `id.${key}`,
    ]
    for (const id of harmful) {
      const { headers } = await service.get('tags', { headers: { 'x-request-id': id } })
      const own = headers.get('x-request-id') ?? ''
      assert.match(own, /^[A-Za-z0-9]+-[a-z0-9]+$/, id)
      assert.ok(!ids.has(own))
      ids.add(own)
      await lineOf(service, own)
    }
    assert.equal(ids.size, harmful.length)
  })
})
