/** The client over HTTP: with a running service, and through a proxy that injects faults. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type BrandReader,
  type CachedResponse,
  type ClientOptions,
  createClient,
  type Lists,
  memoryCache,
  type ResponseCache,
  type Retry,
} from '#client'
import {
  basePath,
  catalog,
  documents,
  errors,
  grids,
  operationsOf,
  type Resource,
  relationsOf,
} from '#contract'
import { failure } from '../support/client-failure.ts'
import { type FaultProxy, openFaultProxy } from '../support/fault-proxy.ts'
import { lists, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let proxy: FaultProxy
let key: string
before(async () => {
  service = await openTestService()
  proxy = await openFaultProxy(service.url)
  key = await service.key('aldermoor')
})
after(async () => {
  await proxy.close()
  await service.close()
})

const brandAt = (url: string, options: Partial<ClientOptions> = {}): BrandReader =>
  createClient({ url, key, ...options }).brand('aldermoor')
const direct = (options?: Partial<ClientOptions>) => brandAt(service.url, options)
const proxied = (options?: Partial<ClientOptions>) => brandAt(proxy.url, options)

const nameOf = (path: string): string =>
  path.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

/** Any group, read as freely as a test needs. */
interface AnyGroup extends Lists<Row, Row, { readonly [name: string]: Row }> {
  get?(id: string, query?: { include?: readonly string[] }): Promise<Row>
  content?(id: string): Promise<Row>
}
// biome-ignore lint/suspicious/noExplicitAny: tests read records freely
type Row = { readonly [name: string]: any }
const groupOf = (brand: BrandReader, { path }: Resource): AnyGroup =>
  (brand as unknown as { readonly [name: string]: AnyGroup })[nameOf(path)] as AnyGroup

const collect = async <T>(walk: AsyncIterable<T>): Promise<readonly T[]> => {
  const items: T[] = []
  for await (const each of walk) items.push(each)
  return items
}

describe('every operation of the contract', () => {
  it('has a method that returns what plain HTTP returns', async () => {
    const brand = direct()
    for (const { resource, endpoint } of operationsOf(catalog)) {
      const group = groupOf(brand, resource)
      const [row] = recordsAt(resource.path)
      const id = String(row?.[resource.key[0] ?? ''])
      if (resource.lookup !== undefined) {
        assert.deepEqual(await brand.get(), (await service.get('')).body)
      } else if (endpoint === 'list') {
        const { body } = await service.get(resource.path)
        assert.deepEqual({ ...(await group.list()) }, body, resource.path)
        assert.equal(await group.total(), body.totalItems, resource.path)
      } else if (endpoint === 'get') {
        assert.deepEqual(await group.get?.(id), (await service.get(`${resource.path}/${id}`)).body)
      } else {
        const content = failure(group.content?.(id) ?? Promise.resolve())
        assert.equal(
          (await content).message,
          (await service.get(`images/${id}/content`)).body.error,
        )
      }
    }
  })

  it('has a method, and there are no other methods', () => {
    const brand = direct()
    const { slug, get, search, today, trend, calendar, quality, views, ...others } = brand
    const { sources, sourceUnits, sourceRows, ...groups } = others
    assert.equal(slug, 'aldermoor')
    for (const method of [get, search, today, trend, calendar, quality, views]) {
      assert.equal(typeof method, 'function')
    }
    for (const method of [sources, sourceUnits, sourceRows]) {
      assert.equal(typeof method, 'function')
    }
    assert.equal(Object.keys(groups).length, lists.length)
    const byEndpoint = {
      list: ['list', 'pages', 'all', 'total', 'query', 'queryAll', 'summary'],
      get: ['get', 'lineage'],
      content: ['content', 'download'],
    }
    for (const resource of lists) {
      assert.deepEqual(
        Object.keys(groupOf(brand, resource)),
        [
          ...resource.endpoints.flatMap((endpoint) => byEndpoint[endpoint]),
          ...(documents.has(resource.path) ? ['document'] : []),
          ...(grids.has(resource.path) ? ['grid'] : []),
        ],
        resource.path,
      )
    }
  })

  it('accepts every relation, and includes the records that plain HTTP includes', async () => {
    const brand = direct()
    for (const resource of lists) {
      const include = relationsOf(resource).map(({ name }) => name)
      if (include.length === 0) continue
      const { body } = await service.get(`${resource.path}?include=${include}`)
      assert.deepEqual({ ...(await groupOf(brand, resource).list({ include })) }, body)
      for (const name of include) assert.ok(name in (body.items[0] ?? { [name]: 0 }))
    }
  })

  it('accepts every filter', async () => {
    const brand = direct()
    for (const resource of lists) {
      for (const { name, kind } of resource.filters) {
        const value = { identifier: recordsAt('orders')[0]?.['id'], string: 'a &=/', integer: 1 }
        const filters = { [name]: value[kind] }
        const { body } = await service.get(
          `${resource.path}?limit=1&${name}=${encodeURIComponent(String(value[kind]))}`,
        )
        assert.equal(await groupOf(brand, resource).total(filters), body.totalItems)
      }
    }
  })
})

describe('a list', () => {
  it('is read page by page, each with the exact total and the next page', async () => {
    const { orderItems } = direct()
    const wanted = recordsAt('order-items')
    const items: unknown[] = []
    let page = await orderItems.list({ limit: 5 })
    assert.equal(page.items.length, 5)
    for (;;) {
      assert.equal(page.totalItems, wanted.length)
      items.push(...page.items)
      assert.equal(page.nextCursor === null, items.length === wanted.length)
      const next = await page.next()
      if (!next) break
      page = next
    }
    assert.deepEqual(items, wanted)
    assert.equal(await page.next(), null)
  })

  it('is walked record by record, in pages of any size, with filters and includes', async () => {
    const { orderItems, countries } = direct()
    assert.deepEqual(await collect(orderItems.all({ limit: 4 })), recordsAt('order-items'))
    assert.equal((await collect(countries.all())).length, 249)
    const [{ orderId = '' } = {}] = recordsAt('order-items')
    const walk = orderItems.all({ orderId: String(orderId), limit: 3, include: ['order'] })
    for (const { order } of await collect(walk)) assert.equal(order?.id, orderId)
  })

  it('is walked in pages of 100 by default, and requests no page too early', async () => {
    proxy.inject()
    const walk = proxied().countries.all()
    assert.equal(proxy.requests.length, 0)
    for (let count = 0; count < 100; count += 1) await walk.next()
    assert.deepEqual(
      proxy.requests.map(({ url }) => url),
      [`${basePath}/brands/aldermoor/countries?limit=100`],
    )
    await walk.next()
    assert.equal(proxy.requests.length, 2)
    await walk.return()
    assert.equal(proxy.requests.length, 2)
  })

  it('is continued from a stored cursor', async () => {
    const { orderItems } = direct()
    const { nextCursor, items } = await orderItems.list({ limit: 6 })
    assert.ok(nextCursor)
    const rest = await collect(direct().orderItems.all({ cursor: nextCursor }))
    assert.deepEqual([...items, ...rest], recordsAt('order-items'))
    const pages = await collect(orderItems.pages({ cursor: nextCursor, limit: 2 }))
    assert.equal(pages.length, Math.ceil(rest.length / 2))
  })

  it('leaves out undefined values, and rejects null without a request', async () => {
    const { orders } = proxied()
    proxy.inject()
    await orders.list({ status: undefined, limit: undefined, include: [] })
    assert.equal(proxy.requests[0]?.url, `${basePath}/brands/aldermoor/orders`)
    const nothing = null as unknown as string
    await assert.rejects(orders.list({ status: nothing }), /^TypeError: status is null\. Leave it/)
    await assert.rejects(orders.get(nothing), /^TypeError: id must be a non-empty string/)
    for (const id of ['', '.', '..'])
      await assert.rejects(orders.get(id), /id must be a non-empty string/)
    assert.throws(() => createClient({ url: proxy.url, key }).brand('..'), /The brand must be/)
    assert.equal(proxy.requests.length, 1)
  })
})

describe('an error of the server', () => {
  const rows: readonly (readonly [string, (brand: BrandReader) => Promise<unknown>, string])[] = [
    ['a record that does not exist', (b) => b.orders.get(crypto.randomUUID()), 'not_found'],
    ['an id that is not an identifier', (b) => b.orders.get('A/B?c=d#e'), 'invalid_parameter'],
    ['a size out of range', (b) => b.orders.list({ limit: 101 }), 'invalid_parameter'],
    ['an empty filter', (b) => b.orders.list({ status: '' }), 'invalid_parameter'],
    ['a cursor that is not valid', (b) => b.orders.list({ cursor: 'x' }), 'invalid_cursor'],
    [
      'a relation that does not exist',
      (b) => b.orders.list({ include: ['colour'] as unknown as [] }),
      'unsupported_include',
    ],
  ]
  for (const [what, ask, code] of rows) {
    it(`has a code, a status, details and a request id: ${what}`, async () => {
      const error = await failure(ask(direct()))
      assert.equal(error.code, code)
      assert.equal(error.status, errors[code as keyof typeof errors].status)
      assert.equal(error.name, 'SelvedgeError')
      assert.ok(error.requestId)
      assert.equal(error.tries, 1)
      assert.ok(error.url.startsWith(service.url))
    })
  }

  it('names every invalid parameter', async () => {
    const error = await failure(direct().orders.list({ limit: 0, status: '' }))
    assert.deepEqual(error.problems.map(({ parameter }) => parameter).sort(), ['limit', 'status'])
    assert.deepEqual(error.details, error.problems)
    const { problems } = await failure(direct().orders.get(crypto.randomUUID()))
    assert.deepEqual(problems, [])
  })

  it('explains why a key is rejected, and never contains the key', async () => {
    const other = await failure(createClient({ url: service.url, key }).brand('birkholm').get())
    assert.deepEqual([other.code, other.status], ['out_of_scope', 401])
    const wrong = await failure(direct({ key: 'slv_wrong' }).get())
    assert.deepEqual([wrong.code, wrong.status], ['invalid_api_key', 401])
    assert.ok(!JSON.stringify([other, other.message, wrong, wrong.message]).includes(key))
  })

  it('that is not a response of this API has its own code', async () => {
    proxy.inject(
      { status: 403, body: '<h1>Forbidden</h1>' },
      { status: 200, body: '<h1>Hello</h1>' },
    )
    const forbidden = await failure(proxied().get())
    assert.deepEqual([forbidden.code, forbidden.status], ['unreadable_answer', 403])
    const greeting = await failure(proxied().get())
    assert.deepEqual([greeting.code, greeting.status], ['unreadable_answer', 200])
    assert.equal(proxy.requests.length, 2)
  })
})

const busy = (retryAfter?: string) => ({
  status: 429,
  headers: { 'x-request-id': 'busy', ...(retryAfter && { 'retry-after': retryAfter }) },
  body: '{"error":"Too many requests.","errorCode":"rate_limited"}',
})
const broken = { status: 500, body: '{"error":"Broken.","errorCode":"internal_error"}' }

describe('a request that fails', () => {
  it('is retried after 429, 5xx, a cut connection and a cut body, and then succeeds', async () => {
    const wanted = (await service.get('tags')).body
    const faults = [busy('0'), broken, 'cut', { status: 502 }, 'cut in the body'] as const
    for (const fault of faults) {
      proxy.inject(fault)
      assert.deepEqual({ ...(await proxied().tags.list()) }, wanted)
      assert.equal(proxy.requests.length, 2, JSON.stringify(fault))
    }
  })

  it('is retried after the time in Retry-After', async () => {
    const retries: Retry[] = []
    proxy.inject(busy('1'))
    await proxied({ onRetry: (retry) => retries.push(retry) }).tags.list()
    const [first, second] = proxy.requests
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 990)
    const [retry] = retries
    assert.equal(retries.length, 1)
    assert.ok(retry && retry.pauseMs >= 1_000 && retry.pauseMs <= 1_250)
    assert.deepEqual([retry.tries, retry.error.code], [1, 'rate_limited'])
  })

  it('waits for the real rate limit, so that many concurrent requests all succeed', async () => {
    const slow = await openTestService({ RATE_PER_SECOND: '5', RATE_BURST: '5' })
    try {
      const own = await slow.key('aldermoor')
      let waits = 0
      const client = createClient({
        url: slow.url,
        key: own,
        onRetry: () => (waits += 1),
        tries: 9,
      })
      const { tags } = client.brand('aldermoor')
      const totals = await Promise.all(Array.from({ length: 9 }, () => tags.total()))
      assert.equal(new Set(totals).size, 1)
      assert.ok(waits > 0)
    } finally {
      await slow.close()
    }
  })

  it('is not retried after other errors', async () => {
    for (const status of [400, 401, 403, 404]) {
      proxy.inject({ status, body: '{"error":"No.","errorCode":"not_found"}' })
      const error = await failure(proxied().tags.list())
      assert.deepEqual([error.status, error.tries, proxy.requests.length], [status, 1, 1])
    }
  })

  it('fails with the last error after the last try', async () => {
    proxy.inject(broken, broken, busy('0'), broken)
    const error = await failure(proxied({ tries: 3 }).tags.list())
    assert.deepEqual(
      [error.code, error.status, error.requestId, error.tries, proxy.requests.length],
      ['rate_limited', 429, 'busy', 3, 3],
    )
    proxy.inject(broken)
    assert.equal((await failure(proxied().tags.list({}, { tries: 1 }))).tries, 1)
  })

  it('takes no longer than the total timeout', async () => {
    proxy.inject(busy('60'))
    const began = performance.now()
    const error = await failure(proxied({ totalTimeoutMs: 5_000 }).tags.list())
    assert.equal(error.code, 'rate_limited')
    assert.ok(performance.now() - began < 4_000)
    proxy.inject('silence', 'silence', 'silence', 'silence', 'silence')
    const slow = await failure(proxied({ totalTimeoutMs: 300 }).tags.list())
    assert.deepEqual([slow.code, slow.status, slow.tries], ['timeout', undefined, 1])
  })

  it('times out when a try takes too long, in the headers or in the body', async () => {
    for (const fault of ['silence', 'silence in the body'] as const) {
      proxy.inject(fault)
      await proxied({ tryTimeoutMs: 250 }).tags.list()
      assert.ok(proxy.requests.length >= 2)
      proxy.inject(fault)
      const error = await failure(proxied().tags.list({}, { tryTimeoutMs: 100, tries: 1 }))
      assert.equal(error.code, 'timeout')
      assert.match(error.message, /^No complete response from http:\S+ within 100 ms\.$/)
    }
  })

  it('reports a connection that cannot be made', async () => {
    const closed = await openFaultProxy(service.url)
    await closed.close()
    const error = await failure(brandAt(closed.url, { tries: 2 }).get())
    assert.deepEqual([error.code, error.status, error.tries], ['network_error', undefined, 2])
    assert.match(error.message, /^The connection to http:\S+ failed: .*ECONNREFUSED/)
    assert.ok(error.cause instanceof Error)
  })

  it('during a walk does not interrupt it', async () => {
    proxy.inject('pass', 'cut', 'pass', broken)
    const items = await collect(proxied().orderItems.all({ limit: 5 }))
    assert.deepEqual(items, recordsAt('order-items'))
  })
})

describe('a signal', () => {
  it('ends a request, which rejects with its reason', async () => {
    proxy.inject('silence')
    const signal = AbortSignal.timeout(100)
    await assert.rejects(proxied().tags.list({}, { signal }), { name: 'TimeoutError' })
    assert.ok(proxy.requests.length <= 1)
  })

  it('ends the pause between two tries', async () => {
    proxy.inject(busy('20'))
    const ending = new AbortController()
    const reason = new Error('enough')
    const listing = proxied().tags.list({}, { signal: ending.signal })
    const refused = assert.rejects(listing, reason)
    while (proxy.requests.length === 0) await wait(5)
    await wait(50)
    ending.abort(reason)
    await refused
    assert.equal(proxy.requests.length, 1)
  })

  it('ends a walk between pages, and sends nothing if it is aborted already', async () => {
    proxy.inject()
    const ending = new AbortController()
    const walk = proxied().orderItems.all({ limit: 5 }, { signal: ending.signal })
    for (let count = 0; count < 5; count += 1) await walk.next()
    ending.abort()
    await assert.rejects(walk.next(), { name: 'AbortError' })
    await assert.rejects(proxied().get({ signal: ending.signal }), { name: 'AbortError' })
    assert.equal(proxy.requests.length, 1)
  })
})

describe('a cache', () => {
  it('revalidates a response, and takes it from memory if it is not modified', async () => {
    const brand = proxied({ cache: memoryCache() })
    proxy.inject()
    const first = await brand.tags.list()
    const again = await brand.tags.list()
    assert.deepEqual([first, again.items], [again, first.items])
    assert.notEqual(first.items, again.items, 'each reader has its own objects')
    await brand.tags.list({ limit: 1 })
    await brand.get()
    await brand.get()
    assert.deepEqual(
      proxy.requests.map(({ status }) => status),
      [200, 304, 200, 200, 304],
    )
  })

  it('returns records that have changed', async () => {
    const brand = proxied({ cache: memoryCache() })
    const [tag = {}] = recordsAt('tags')
    const before = await brand.tags.get(String(tag['id']))
    await service.write('aldermoor', { tags: [{ ...tag, name: 'Renamed' }] })
    proxy.inject()
    assert.equal((await brand.tags.get(before.id)).name, 'Renamed')
    assert.equal(proxy.requests[0]?.status, 200)
    await service.write('aldermoor', { tags: [tag] })
  })

  it('does not store errors', async () => {
    const brand = proxied({ cache: memoryCache(), tries: 1 })
    proxy.inject({ ...broken, headers: { etag: '"broken"' } })
    await failure(brand.tags.list())
    await brand.tags.list()
    assert.equal(proxy.requests[1]?.headers['if-none-match'], undefined)
  })

  it('can be another store, also an asynchronous one', async () => {
    const entries = new Map<string, CachedResponse>()
    const cache: ResponseCache = {
      get: async (url) => entries.get(url),
      set: async (url, response) => void entries.set(url, response),
    }
    proxy.inject()
    await proxied({ cache }).tags.list()
    await proxied({ cache }).tags.list()
    assert.deepEqual(
      proxy.requests.map(({ status }) => status),
      [200, 304],
    )
    assert.deepEqual([...entries.keys()], [`${proxy.url}${basePath}/brands/aldermoor/tags`])
  })

  it('in memory evicts the least recently used response', () => {
    const cache = memoryCache({ charactersMax: 10 })
    const answer = (text: string) => ({ etag: '"x"', text })
    cache.set('a', answer('1234'))
    cache.set('b', answer('5678'))
    assert.ok(cache.get('a'))
    cache.set('c', answer('90ab'))
    assert.deepEqual(
      [cache.get('a'), cache.get('b'), cache.get('c')],
      [answer('1234'), undefined, answer('90ab')],
    )
    cache.set('d', answer('longer than all of it'))
    assert.deepEqual(['a', 'c', 'd'].map(cache.get), [undefined, undefined, undefined])
  })
})

describe('an image', () => {
  const [image = {}] = recordsAt('images')
  const id = String(image['id'])
  const bytes = Buffer.from('a picture')

  before(() =>
    service.images.put(
      { brand: 'aldermoor', id, mimeType: 'image/png', fileName: 'front.png' },
      bytes,
    ),
  )

  it('has a temporary address, which works without a key', async () => {
    const { url, expiresAt, extent } = await direct().images.content(id)
    assert.ok(Date.parse(expiresAt) > Date.now())
    assert.deepEqual(extent, { width: image['widthPx'], height: image['heightPx'] })
    assert.equal(await (await fetch(url)).text(), 'a picture')
  })

  it('is downloaded with its type, without sending the key', async () => {
    const requests: Request[] = []
    const watching: typeof fetch = (input, init) => {
      requests.push(new Request(input, init))
      return fetch(input, init)
    }
    const blob = await direct({ fetch: watching }).images.download(id)
    assert.deepEqual([await blob.text(), blob.type], ['a picture', 'image/png'])
    assert.deepEqual(
      requests.map(({ headers }) => headers.has('authorization')),
      [true, false],
    )
  })

  it('that cannot be downloaded is reported without its secret address', async () => {
    const refusing: typeof fetch = (input, init) =>
      String(input).includes('/content') ? fetch(input, init) : fetch(`${input}x`, init)
    const error = await failure(direct({ fetch: refusing }).images.download(id))
    assert.deepEqual([error.code, error.status], ['invalid_link', 403])
    assert.doesNotMatch(error.url + error.message, /\?/)
  })
})

describe('a client', () => {
  it('accepts an address with or without the path of the API, and below another path', async () => {
    for (const end of ['', '/', basePath, `${basePath}/`]) {
      assert.equal((await brandAt(service.url + end).get()).slug, 'aldermoor')
    }
    const requests: string[] = []
    const noting: typeof fetch = async (input) => {
      requests.push(String(input))
      return Response.json({})
    }
    await brandAt('https://host.example/records/', { fetch: noting }).get()
    assert.deepEqual(requests, [`https://host.example/records${basePath}/brands/aldermoor`])
  })

  it('calls the key function for each request, and sends additional headers', async () => {
    let calls = 0
    const readKey = async () => {
      calls += 1
      return key
    }
    proxy.inject()
    const brand = proxied({ key: readKey, headers: { 'x-request-id': 'mine' } })
    await brand.get()
    await brand.get()
    assert.equal(calls, 2)
    assert.equal(proxy.requests[0]?.headers['x-request-id'], 'mine')
    assert.equal(proxy.requests[0]?.headers.authorization, `Bearer ${key}`)
    const reason = new Error('no key today')
    await assert.rejects(direct({ key: () => Promise.reject(reason) }).get(), reason)
    await assert.rejects(
      direct({ key: 'slv_\n1' }).get(),
      /^TypeError: key, headers or afterWrite [^1]+$/,
    )
  })

  it('rejects invalid options by name', async () => {
    const make = (options: Partial<ClientOptions>) => () => direct(options)
    assert.throws(() => brandAt('records.example'), /^TypeError: url must be a complete address/)
    assert.throws(() => brandAt('ftp://records.example'), /^TypeError: url must be http or https/)
    assert.throws(make({ key: '' }), /^TypeError: key is missing/)
    assert.throws(make({ tries: 0 }), /^RangeError: tries must be above 0; it is 0\.$/)
    assert.throws(make({ tryTimeoutMs: -1 }), /^RangeError: tryTimeoutMs must be above 0/)
    assert.throws(make({ totalTimeoutMs: Number.NaN }), /^RangeError: totalTimeoutMs/)
    await assert.rejects(direct().get({ tries: 0 }), /^RangeError: tries/)
    await direct({ tryTimeoutMs: Infinity, totalTimeoutMs: Infinity }).get()
  })
})
