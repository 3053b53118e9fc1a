import assert from 'node:assert/strict'
import { Agent, type IncomingMessage, METHODS, request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, type Operation, operationsOf } from '#contract'
import { openStory } from '#demo'
import { assertAnswer } from '../support/answers.ts'
import { openTestService, type TestResponse, type TestService } from '../support/service.ts'

const operations = operationsOf(catalog)
const { records, shared } = await openStory()
const nobody = '00000000-0000-4000-8000-000000000000'

/** A path that an operation answers with 200. */
const pathOf = ({ path, resource }: Operation, brand = 'aldermoor'): string => {
  const [first] = records[resource.path] ?? shared[resource.path] ?? []
  const id = String(first?.[resource.key[0] ?? 'id'])
  return basePath + path.replace('{brand}', brand).replace('{id}', id)
}

const agent = new Agent({ keepAlive: true, maxSockets: 8 })

interface RawAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly text: string
}

const ask = (
  { url }: TestService,
  method: string,
  path: string,
  headers: { readonly [name: string]: string } = {},
): Promise<RawAnswer> =>
  new Promise((resolve, reject) => {
    const { port } = new URL(url)
    const sent = request({ port, host: '127.0.0.1', agent, method, path, headers }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text })
      })
    })
    sent.on('error', reject)
    sent.end()
  })

after(() => agent.destroy())

describe('methods', () => {
  let service: TestService

  before(async () => {
    service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
  })
  after(() => service.close())

  const others = METHODS.filter((method) => !['GET', 'HEAD', 'CONNECT'].includes(method))

  it('are at least thirty besides GET and HEAD', () => {
    assert.ok(others.length >= 30)
    assert.ok(['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'QUERY'].every(isOther))
  })

  const isOther = (method: string) => others.includes(method)

  for (const operation of operations) {
    it(`${operation.id} is read with GET and HEAD only`, async () => {
      const path = pathOf(operation)
      const answers = await Promise.all(others.map((method) => ask(service, method, path)))
      for (const [index, { status, headers, text }] of answers.entries()) {
        const method = others[index] ?? ''
        assert.equal(status, 405, method)
        assert.equal(headers.allow, 'GET, HEAD', method)
        assert.equal(headers['cache-control'], 'no-store', method)
        assertAnswer(method, path, {
          status,
          headers: new Headers(headers as Record<string, string>),
          text,
          body: JSON.parse(text),
        })
        assert.equal(JSON.parse(text).errorCode, 'method_not_allowed')
      }
    })
  }

  it('a path that is not served has no methods', async () => {
    for (const path of ['/x', basePath, `${basePath}/brands/aldermoor/nothing`, '/healthz/x']) {
      for (const method of others) {
        const { status, text } = await ask(service, method, path)
        assert.equal(status, 404, `${method} ${path}`)
        assert.equal(JSON.parse(text).errorCode, 'not_found')
      }
    }
  })

  it('what is served outside the API is read-only too', async () => {
    const image = `/files/images/aldermoor/${nobody}`
    const open = ['/healthz', '/readyz', '/whoami', `${basePath}/openapi.json`, image]
    for (const path of [
      ...open,
      '/',
      '/docs',
      '/guides',
      '/guides/how-to/query',
      '/brands/aldermoor/orders',
    ]) {
      for (const method of others) {
        const { status, headers } = await ask(service, method, path)
        assert.equal(status, 405, `${method} ${path}`)
        assert.equal(headers.allow, 'GET, HEAD')
      }
    }
  })
})

describe('HEAD', () => {
  let service: TestService
  let global: string

  before(async () => {
    service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    global = await service.key()
    for (const image of records['images'] ?? []) {
      const [id, mimeType, fileName] = [image['id'], image['mimeType'], image['fileName']]
      const stored = { brand: 'aldermoor', id, mimeType, fileName } as Parameters<
        typeof service.images.put
      >[0]
      await service.images.put(stored, Buffer.from('a picture'))
    }
  })
  after(() => service.close())

  // `fetch` asks for a connection of its own when it sends a HEAD.
  const varying = new Set(
    'date x-request-id server-timing ratelimit etag connection keep-alive'.split(' '),
  )

  /** The headers that two answers to the same question have in common. */
  const lasting = ({ headers }: TestResponse, more: readonly string[] = []) =>
    [...headers].filter(([name]) => !varying.has(name) || more.includes(name))

  interface Situation {
    readonly status: number
    readonly what: string
    readonly ask: (operation: Operation) => {
      readonly path: string
      readonly key?: string | null
      readonly headers?: { readonly [name: string]: string }
    }
    /** Operations that cannot get into the situation. */
    readonly without?: (operation: Operation) => boolean
  }

  const situations: readonly Situation[] = [
    { status: 200, what: 'an answer', ask: (operation) => ({ path: pathOf(operation) }) },
    {
      status: 200,
      what: 'a compressed answer',
      ask: (operation) => ({
        path: pathOf(operation),
        headers: { 'accept-encoding': 'gzip' },
      }),
    },
    {
      status: 304,
      what: 'what the client already has',
      ask: (operation) => ({ path: pathOf(operation), headers: { 'if-none-match': '*' } }),
    },
    {
      status: 400,
      what: 'an unknown parameter',
      ask: (operation) => ({ path: `${pathOf(operation)}?nonsense=1` }),
    },
    {
      status: 401,
      what: 'a missing key',
      ask: (operation) => ({
        path: pathOf(operation),
        key: null,
        headers: { 'x-forwarded-for': `10.2.0.${operations.indexOf(operation) % 250}` },
      }),
    },
    {
      status: 404,
      what: 'an unknown brand',
      ask: (operation) => ({ path: pathOf(operation, 'nobody'), key: global }),
    },
    {
      status: 404,
      what: 'an unknown record',
      ask: ({ path, resource }) => ({
        path:
          basePath +
          path
            .replace('{brand}', 'aldermoor')
            .replace('{id}', resource.path === 'countries' ? 'ZZ' : nobody),
      }),
      without: ({ path }) => !path.includes('{id}'),
    },
  ]

  for (const { status, what, ask: situation, without = () => false } of situations) {
    it(`answers ${what} (${status}) as GET does, without a body, on every operation`, async () => {
      for (const operation of operations.filter((each) => !without(each))) {
        const { path, ...options } = situation(operation)
        const got = await service.get(path, options)
        const head = await service.get(path, { ...options, method: 'HEAD' })
        assert.equal(got.status, status, `GET ${path}`)
        assert.equal(head.status, status, `HEAD ${path}`)
        assert.equal(head.text, '')
        // The address of an image holds its time, so that its tag and length may move.
        const more = operation.endpoint === 'content' ? [] : ['etag']
        assert.deepEqual(lasting(head, more), lasting(got, more), path)
        if (status !== 304) assert.ok(head.headers.has('content-length'), path)
      }
    })
  }

  it('answers nothing at all for a path that is not there', async () => {
    const got = await service.get('/nowhere')
    const head = await service.get('/nowhere', { method: 'HEAD' })
    assert.deepEqual([got.status, head.status, head.text], [404, 404, ''])
    assert.deepEqual(lasting(head), lasting(got))
  })

  for (const path of ['/healthz', '/readyz', `${basePath}/openapi.json`]) {
    it(`answers ${path} as GET does`, async () => {
      const got = await service.get(path, { key: null })
      const head = await service.get(path, { key: null, method: 'HEAD' })
      assert.deepEqual([got.status, head.status, head.text], [200, 200, ''])
      assert.deepEqual(lasting(head, ['etag']), lasting(got, ['etag']))
    })
  }
})

describe('OPTIONS', () => {
  const listed = 'https://app.example.com'
  const preflight = (origin: string) => ({
    origin,
    'access-control-request-method': 'GET',
    'access-control-request-headers': 'authorization',
  })
  const corsHeaders = ({ headers }: { readonly headers: IncomingMessage['headers'] }) =>
    Object.keys(headers).filter((name) => name.startsWith('access-control-'))

  describe('without CORS_ORIGINS', () => {
    let service: TestService
    before(async () => {
      service = await openTestService()
    })
    after(() => service.close())

    it('is refused like any other method, and nothing is said of origins', async () => {
      for (const operation of operations) {
        const answer = await ask(service, 'OPTIONS', pathOf(operation), preflight(listed))
        assert.equal(answer.status, 405, operation.id)
        assert.deepEqual(corsHeaders(answer), [])
      }
      const answer = await service.get('tags', { headers: { origin: listed } })
      assert.equal(answer.status, 200)
      assert.ok(![...answer.headers.keys()].some((name) => name.startsWith('access-control-')))
      assert.equal(answer.headers.get('vary'), 'Authorization, Accept-Encoding')
    })
  })

  describe('with CORS_ORIGINS', () => {
    let service: TestService
    before(async () => {
      service = await openTestService({
        CORS_ORIGINS: `${listed}, https://other.example.com`,
        TRUSTED_PROXIES: '127.0.0.1',
      })
    })
    after(() => service.close())

    it('lets pages of a listed origin ask, on every operation', async () => {
      for (const operation of operations) {
        const answer = await ask(service, 'OPTIONS', pathOf(operation), preflight(listed))
        assert.equal(answer.status, 204, operation.id)
        assert.equal(answer.text, '')
        assert.equal(answer.headers['access-control-allow-origin'], listed)
        assert.equal(answer.headers['access-control-allow-methods'], 'GET, HEAD')
        assert.match(answer.headers['access-control-allow-headers'] ?? '', /\bAuthorization\b/)
        assert.match(answer.headers.vary ?? '', /\bOrigin\b/)
        assert.equal(answer.headers['access-control-allow-credentials'], undefined)
        assert.equal(answer.headers['content-type'], undefined)
      }
    })

    const strangers = [
      'https://evil.example.com',
      'http://app.example.com',
      'https://app.example.com:8443',
      'https://app.example.com.evil.example',
      'https://APP.example.com',
      'null',
      '*',
      '',
    ]
    for (const origin of strangers) {
      it(`says nothing to the origin ${JSON.stringify(origin)}`, async () => {
        const path = `${basePath}/brands/aldermoor/tags`
        const refused = await ask(service, 'OPTIONS', path, preflight(origin))
        assert.equal(refused.status, 405)
        assert.deepEqual(corsHeaders(refused), [])
        assert.match(refused.headers.vary ?? '', /\bOrigin\b/)
        const read = await ask(service, 'GET', path, { origin, 'x-forwarded-for': '10.3.0.1' })
        assert.equal(read.status, 401)
        assert.deepEqual(corsHeaders(read), [])
        assert.match(read.headers.vary ?? '', /\bOrigin\b/)
      })
    }

    it('is refused without an origin', async () => {
      const answer = await ask(service, 'OPTIONS', `${basePath}/brands/aldermoor/tags`)
      assert.equal(answer.status, 405)
      assert.deepEqual(corsHeaders(answer), [])
    })

    it('finds nothing at a path that is not there', async () => {
      const answer = await ask(service, 'OPTIONS', '/nowhere', preflight(listed))
      assert.equal(answer.status, 404)
      assert.equal(JSON.parse(answer.text).errorCode, 'not_found')
    })

    it('every answer to a listed origin can be read by it, whatever it is', async () => {
      const headers = { origin: listed, 'x-forwarded-for': '10.3.0.2' }
      const cases = [
        ['tags', {}, 200],
        ['tags', { headers: { ...headers, 'if-none-match': '*' } }, 304],
        ['tags?limit=0', {}, 400],
        ['tags', { key: null }, 401],
        [`tags/${nobody}`, {}, 404],
        ['nothing', {}, 404],
        ['tags', { method: 'POST' }, 405],
        ['/healthz', {}, 200],
        [`${basePath}/openapi.json`, {}, 200],
      ] as const
      for (const [path, options, status] of cases) {
        const answer = await service.get(path, { headers, ...options })
        assert.equal(answer.status, status, path)
        assert.equal(answer.headers.get('access-control-allow-origin'), listed, `${status} ${path}`)
        assert.match(answer.headers.get('vary') ?? '', /\bOrigin\b/, `${status} ${path}`)
        assert.match(answer.headers.get('access-control-expose-headers') ?? '', /\bRetry-After\b/)
      }
    })
  })

  it('an asterisk is not a valid origin', async () => {
    await assert.rejects(openTestService({ CORS_ORIGINS: '*' }), /CORS_ORIGINS/)
  })
})
