/** The client, over HTTP: against a running service, and through a proxy that makes trouble. */
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
  SelvedgeError,
} from '#client'
import { basePath, catalog, errors, operationsOf, type Resource, relationsOf } from '#contract'
import { openTroubledProxy, type TroubledProxy } from '../support/fault-proxy.ts'
import { lists, recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let proxy: TroubledProxy
let key: string
before(async () => {
  service = await openTestService()
  proxy = await openTroubledProxy(service.url)
  key = await service.key('aldermoor')
})
after(async () => {
  await proxy.close()
  await service.close()
})

const brandAt = (url: string, options: Partial<ClientOptions> = {}): BrandReader =>
  createClient({ url, key, ...options }).brand('aldermoor')
const direct = (options?: Partial<ClientOptions>) => brandAt(service.url, options)
const troubled = (options?: Partial<ClientOptions>) => brandAt(proxy.url, options)

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

const failure = async (promise: Promise<unknown>): Promise<SelvedgeError> => {
  const error = await promise.then(
    () => assert.fail('it did not fail'),
    (reason: unknown) => reason,
  )
  assert.ok(error instanceof SelvedgeError, String(error))
  return error
}

const everyOne = async <T>(walk: AsyncIterable<T>): Promise<readonly T[]> => {
  const found: T[] = []
  for await (const each of walk) found.push(each)
  return found
}

describe('every operation of the contract', () => {
  it('is reached, and answers what plain HTTP answers', async () => {
    const brand = direct()
    let reached = 0
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
      reached += 1
    }
    assert.equal(reached, 172)
  })

  it('has a method, and no other has one', () => {
    const brand = direct()
    const { slug, get, ...groups } = brand
    assert.equal(slug, 'aldermoor')
    assert.equal(typeof get, 'function')
    assert.equal(Object.keys(groups).length, 92)
    const byEndpoint = {
      list: ['list', 'pages', 'all', 'total'],
      get: ['get'],
      content: ['content', 'download'],
    }
    for (const resource of lists) {
      assert.deepEqual(
        Object.keys(groupOf(brand, resource)),
        resource.endpoints.flatMap((endpoint) => byEndpoint[endpoint]),
        resource.path,
      )
    }
  })

  it('takes every relation, which adds the records that plain HTTP adds', async () => {
    const brand = direct()
    for (const resource of lists) {
      const include = relationsOf(resource).map(({ name }) => name)
      if (include.length === 0) continue
      const { body } = await service.get(`${resource.path}?include=${include}`)
      assert.deepEqual({ ...(await groupOf(brand, resource).list({ include })) }, body)
      for (const name of include) assert.ok(name in (body.items[0] ?? { [name]: 0 }))
    }
  })

  it('takes every filter', async () => {
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
  it('is read page by page, each knowing the exact total and the next', async () => {
    const { orderItems } = direct()
    const wanted = recordsAt('order-items')
    const found: unknown[] = []
    let page = await orderItems.list({ limit: 5 })
    assert.equal(page.items.length, 5)
    for (;;) {
      assert.equal(page.totalItems, wanted.length)
      found.push(...page.items)
      assert.equal(page.nextCursor === null, found.length === wanted.length)
      const next = await page.next()
      if (!next) break
      page = next
    }
    assert.deepEqual(found, wanted)
    assert.equal(await page.next(), null)
  })

  it('is walked record by record, in pages of any size, with filters and includes', async () => {
    const { orderItems, countries } = direct()
    assert.deepEqual(await everyOne(orderItems.all({ limit: 4 })), recordsAt('order-items'))
    assert.equal((await everyOne(countries.all())).length, 249)
    const [{ orderId = '' } = {}] = recordsAt('order-items')
    const walk = orderItems.all({ orderId: String(orderId), limit: 3, include: ['order'] })
    for (const { order } of await everyOne(walk)) assert.equal(order?.id, orderId)
  })

  it('is walked in pages of 100 unless told otherwise, and asks for no page too early', async () => {
    proxy.meet()
    const walk = troubled().countries.all()
    assert.equal(proxy.seen.length, 0)
    for (let count = 0; count < 100; count += 1) await walk.next()
    assert.deepEqual(
      proxy.seen.map(({ url }) => url),
      [`${basePath}/brands/aldermoor/countries?limit=100`],
    )
    await walk.next()
    assert.equal(proxy.seen.length, 2)
    await walk.return()
    assert.equal(proxy.seen.length, 2)
  })

  it('can be gone on with from a cursor that was stored', async () => {
    const { orderItems } = direct()
    const { nextCursor, items } = await orderItems.list({ limit: 6 })
    assert.ok(nextCursor)
    const rest = await everyOne(direct().orderItems.all({ cursor: nextCursor }))
    assert.deepEqual([...items, ...rest], recordsAt('order-items'))
    const pages = await everyOne(orderItems.pages({ cursor: nextCursor, limit: 2 }))
    assert.equal(pages.length, Math.ceil(rest.length / 2))
  })

  it('leaves out what is undefined, and refuses null before it asks', async () => {
    const { orders } = troubled()
    proxy.meet()
    await orders.list({ status: undefined, limit: undefined, include: [] })
    assert.equal(proxy.seen[0]?.url, `${basePath}/brands/aldermoor/orders`)
    const nothing = null as unknown as string
    await assert.rejects(orders.list({ status: nothing }), /^TypeError: status is null\. Leave it/)
    await assert.rejects(orders.get(nothing), /^TypeError: id must be a non-empty string/)
    for (const id of ['', '.', '..'])
      await assert.rejects(orders.get(id), /id must be a non-empty string/)
    assert.throws(() => createClient({ url: proxy.url, key }).brand('..'), /The brand must be/)
    assert.equal(proxy.seen.length, 1)
  })
})

describe('an error of the server', () => {
  const rows: readonly (readonly [string, (brand: BrandReader) => Promise<unknown>, string])[] = [
    ['a record that is not there', (b) => b.orders.get(crypto.randomUUID()), 'not_found'],
    ['a name that is no identifier', (b) => b.orders.get('A/B?c=d#e'), 'invalid_parameter'],
    ['a size out of range', (b) => b.orders.list({ limit: 101 }), 'invalid_parameter'],
    ['an empty filter', (b) => b.orders.list({ status: '' }), 'invalid_parameter'],
    ['a cursor that is none', (b) => b.orders.list({ cursor: 'x' }), 'invalid_cursor'],
    [
      'a relation that is none',
      (b) => b.orders.list({ include: ['colour'] as unknown as [] }),
      'unsupported_include',
    ],
  ]
  for (const [what, ask, code] of rows) {
    it(`is told with its code, status, details and request id: ${what}`, async () => {
      const error = await failure(ask(direct()))
      assert.equal(error.code, code)
      assert.equal(error.status, errors[code as keyof typeof errors].status)
      assert.equal(error.name, 'SelvedgeError')
      assert.ok(error.requestId)
      assert.equal(error.tries, 1)
      assert.ok(error.url.startsWith(service.url))
    })
  }

  it('names every parameter that is wrong', async () => {
    const error = await failure(direct().orders.list({ limit: 0, status: '' }))
    assert.deepEqual(error.problems.map(({ parameter }) => parameter).sort(), ['limit', 'status'])
    assert.deepEqual(error.details, error.problems)
    const { problems } = await failure(direct().orders.get(crypto.randomUUID()))
    assert.deepEqual(problems, [])
  })

  it('says which key was wrong, and never what it is', async () => {
    const other = await failure(createClient({ url: service.url, key }).brand('birkholm').get())
    assert.deepEqual([other.code, other.status], ['out_of_scope', 401])
    const wrong = await failure(direct({ key: 'slv_wrong' }).get())
    assert.deepEqual([wrong.code, wrong.status], ['invalid_api_key', 401])
    assert.ok(!JSON.stringify([other, other.message, wrong, wrong.message]).includes(key))
  })

  it('of a kind that is not ours has a code of its own', async () => {
    proxy.meet({ status: 403, body: '<h1>Forbidden</h1>' }, { status: 200, body: '<h1>Hello</h1>' })
    const forbidden = await failure(troubled().get())
    assert.deepEqual([forbidden.code, forbidden.status], ['unreadable_answer', 403])
    const greeting = await failure(troubled().get())
    assert.deepEqual([greeting.code, greeting.status], ['unreadable_answer', 200])
    assert.equal(proxy.seen.length, 2)
  })
})

const busy = (retryAfter?: string) => ({
  status: 429,
  headers: { 'x-request-id': 'busy', ...(retryAfter && { 'retry-after': retryAfter }) },
  body: '{"error":"Too many requests.","errorCode":"rate_limited"}',
})
const broken = { status: 500, body: '{"error":"Broken.","errorCode":"internal_error"}' }

describe('a request that meets trouble', () => {
  it('is made again after 429, 5xx, a cut connection and a cut body, and then succeeds', async () => {
    const wanted = (await service.get('tags')).body
    const troubles = [busy('0'), broken, 'cut', { status: 502 }, 'cut in the body'] as const
    for (const trouble of troubles) {
      proxy.meet(trouble)
      assert.deepEqual({ ...(await troubled().tags.list()) }, wanted)
      assert.equal(proxy.seen.length, 2, JSON.stringify(trouble))
    }
  })

  it('waits as long as Retry-After says', async () => {
    const retries: Retry[] = []
    proxy.meet(busy('1'))
    await troubled({ onRetry: (retry) => retries.push(retry) }).tags.list()
    const [first, second] = proxy.seen
    assert.ok((second?.at ?? 0) - (first?.at ?? 0) >= 990)
    const [retry] = retries
    assert.equal(retries.length, 1)
    assert.ok(retry && retry.pauseMs >= 1_000 && retry.pauseMs <= 1_250)
    assert.deepEqual([retry.tries, retry.error.code], [1, 'rate_limited'])
  })

  it('waits for the real limit, so that many requests at once all succeed', async () => {
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

  it('is not made again when that cannot help', async () => {
    for (const status of [400, 401, 403, 404]) {
      proxy.meet({ status, body: '{"error":"No.","errorCode":"not_found"}' })
      const error = await failure(troubled().tags.list())
      assert.deepEqual([error.status, error.tries, proxy.seen.length], [status, 1, 1])
    }
  })

  it('is made only so often, and then fails with the last error', async () => {
    proxy.meet(broken, broken, busy('0'), broken)
    const error = await failure(troubled({ tries: 3 }).tags.list())
    assert.deepEqual(
      [error.code, error.status, error.requestId, error.tries, proxy.seen.length],
      ['rate_limited', 429, 'busy', 3, 3],
    )
    proxy.meet(broken)
    assert.equal((await failure(troubled().tags.list({}, { tries: 1 }))).tries, 1)
  })

  it('is not waited for longer than the total allows', async () => {
    proxy.meet(busy('60'))
    const began = performance.now()
    const error = await failure(troubled({ totalTimeoutMs: 5_000 }).tags.list())
    assert.equal(error.code, 'rate_limited')
    assert.ok(performance.now() - began < 4_000)
    proxy.meet('silence', 'silence', 'silence', 'silence', 'silence')
    const slow = await failure(troubled({ totalTimeoutMs: 300 }).tags.list())
    assert.deepEqual([slow.code, slow.status, slow.tries], ['timeout', undefined, 1])
  })

  it('is cut off when a try takes too long, in the head or in the body', async () => {
    for (const trouble of ['silence', 'silence in the body'] as const) {
      proxy.meet(trouble)
      await troubled({ tryTimeoutMs: 250 }).tags.list()
      assert.ok(proxy.seen.length >= 2)
      proxy.meet(trouble)
      const error = await failure(troubled().tags.list({}, { tryTimeoutMs: 100, tries: 1 }))
      assert.equal(error.code, 'timeout')
      assert.match(error.message, /^No complete response from http:\S+ within 100 ms\.$/)
    }
  })

  it('says that there is no connection', async () => {
    const gone = await openTroubledProxy(service.url)
    await gone.close()
    const error = await failure(brandAt(gone.url, { tries: 2 }).get())
    assert.deepEqual([error.code, error.status, error.tries], ['network_error', undefined, 2])
    assert.match(error.message, /^The connection to http:\S+ failed: .*ECONNREFUSED/)
    assert.ok(error.cause instanceof Error)
  })

  it('in the middle of a walk goes on where it was', async () => {
    proxy.meet('pass', 'cut', 'pass', broken)
    const found = await everyOne(troubled().orderItems.all({ limit: 5 }))
    assert.deepEqual(found, recordsAt('order-items'))
  })
})

describe('a signal', () => {
  it('ends a request, with its own reason', async () => {
    proxy.meet('silence')
    const signal = AbortSignal.timeout(100)
    await assert.rejects(troubled().tags.list({}, { signal }), { name: 'TimeoutError' })
    assert.ok(proxy.seen.length <= 1)
  })

  it('ends the pause between two tries', async () => {
    proxy.meet(busy('20'))
    const ending = new AbortController()
    const reason = new Error('enough')
    const asked = troubled().tags.list({}, { signal: ending.signal })
    const refused = assert.rejects(asked, reason)
    while (proxy.seen.length === 0) await wait(5)
    await wait(50)
    ending.abort(reason)
    await refused
    assert.equal(proxy.seen.length, 1)
  })

  it('ends a walk between pages, and asks nothing if it has ended before', async () => {
    proxy.meet()
    const ending = new AbortController()
    const walk = troubled().orderItems.all({ limit: 5 }, { signal: ending.signal })
    for (let count = 0; count < 5; count += 1) await walk.next()
    ending.abort()
    await assert.rejects(walk.next(), { name: 'AbortError' })
    await assert.rejects(troubled().get({ signal: ending.signal }), { name: 'AbortError' })
    assert.equal(proxy.seen.length, 1)
  })
})

describe('a cache', () => {
  it('asks whether an answer still holds, and takes it from memory if so', async () => {
    const brand = troubled({ cache: memoryCache() })
    proxy.meet()
    const first = await brand.tags.list()
    const again = await brand.tags.list()
    assert.deepEqual([first, again.items], [again, first.items])
    assert.notEqual(first.items, again.items, 'what one reader changes, another does not see')
    await brand.tags.list({ limit: 1 })
    await brand.get()
    await brand.get()
    assert.deepEqual(
      proxy.seen.map(({ status }) => status),
      [200, 304, 200, 200, 304],
    )
  })

  it('shows what has changed meanwhile', async () => {
    const brand = troubled({ cache: memoryCache() })
    const [tag = {}] = recordsAt('tags')
    const before = await brand.tags.get(String(tag['id']))
    await service.write('aldermoor', { tags: [{ ...tag, name: 'Renamed' }] })
    proxy.meet()
    assert.equal((await brand.tags.get(before.id)).name, 'Renamed')
    assert.equal(proxy.seen[0]?.status, 200)
    await service.write('aldermoor', { tags: [tag] })
  })

  it('keeps nothing of errors', async () => {
    const brand = troubled({ cache: memoryCache(), tries: 1 })
    proxy.meet({ ...broken, headers: { etag: '"broken"' } })
    await failure(brand.tags.list())
    await brand.tags.list()
    assert.equal(proxy.seen[1]?.headers['if-none-match'], undefined)
  })

  it('can be a store of another kind, which may take its time', async () => {
    const kept = new Map<string, CachedResponse>()
    const cache: ResponseCache = {
      get: async (url) => kept.get(url),
      set: async (url, answer) => void kept.set(url, answer),
    }
    proxy.meet()
    await troubled({ cache }).tags.list()
    await troubled({ cache }).tags.list()
    assert.deepEqual(
      proxy.seen.map(({ status }) => status),
      [200, 304],
    )
    assert.deepEqual([...kept.keys()], [`${proxy.url}${basePath}/brands/aldermoor/tags`])
  })

  it('in memory forgets what was used longest ago', () => {
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

  it('is downloaded with its type, and its file never sees the key', async () => {
    const asked: Request[] = []
    const watching: typeof fetch = (input, init) => {
      asked.push(new Request(input, init))
      return fetch(input, init)
    }
    const blob = await direct({ fetch: watching }).images.download(id)
    assert.deepEqual([await blob.text(), blob.type], ['a picture', 'image/png'])
    assert.deepEqual(
      asked.map(({ headers }) => headers.has('authorization')),
      [true, false],
    )
  })

  it('that is refused is told without the address that would open it', async () => {
    const refusing: typeof fetch = (input, init) =>
      String(input).includes('/content') ? fetch(input, init) : fetch(`${input}x`, init)
    const error = await failure(direct({ fetch: refusing }).images.download(id))
    assert.deepEqual([error.code, error.status], ['invalid_link', 403])
    assert.doesNotMatch(error.url + error.message, /\?/)
  })
})

describe('a client', () => {
  it('is told the address with or without the path of the API, and below another path', async () => {
    for (const end of ['', '/', basePath, `${basePath}/`]) {
      assert.equal((await brandAt(service.url + end).get()).slug, 'aldermoor')
    }
    const asked: string[] = []
    const noting: typeof fetch = async (input) => {
      asked.push(String(input))
      return Response.json({})
    }
    await brandAt('https://host.example/records/', { fetch: noting }).get()
    assert.deepEqual(asked, [`https://host.example/records${basePath}/brands/aldermoor`])
  })

  it('finds the key anew for each request, and sends the headers it is told to', async () => {
    let found = 0
    const finding = async () => {
      found += 1
      return key
    }
    proxy.meet()
    const brand = troubled({ key: finding, headers: { 'x-request-id': 'mine' } })
    await brand.get()
    await brand.get()
    assert.equal(found, 2)
    assert.equal(proxy.seen[0]?.headers['x-request-id'], 'mine')
    assert.equal(proxy.seen[0]?.headers.authorization, `Bearer ${key}`)
    const reason = new Error('no key today')
    await assert.rejects(direct({ key: () => Promise.reject(reason) }).get(), reason)
    await assert.rejects(direct({ key: 'slv_\n1' }).get(), /^TypeError: key or headers [^1]+$/)
  })

  it('refuses options that mean nothing, and says which', async () => {
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
