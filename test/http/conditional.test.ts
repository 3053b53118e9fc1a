/** Entity tags, conditional requests, compression and HEAD. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { basePath, catalog, relationsOf } from '#contract'
import type { DemoRecord } from '#demo'
import { sharedOwner } from '#store'
import { brandRecord, eachOf, idOf, keyOf, lists, recordsAt } from '../support/model.ts'
import { openTestService } from '../support/service.ts'

const service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
const everywhere = await service.key()
after(() => service.close())

interface Plain {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly bytes: Buffer
}

/** Asks without any of the kindness of fetch: no decoding, no headers of its own. */
const ask = (
  path: string,
  headers: { readonly [name: string]: string } = {},
  { method = 'GET', brand = 'aldermoor', url = service.url, key = everywhere } = {},
): Promise<Plain> =>
  new Promise((resolve, reject) => {
    const below = path === '' || path.startsWith('?') ? path : `/${path}`
    const whole = path.startsWith('/') ? path : `${basePath}/brands/${brand}${below}`
    const authorization = key === '' ? {} : { authorization: `Bearer ${key}` }
    const sent = request(
      url + whole,
      { method, headers: { ...authorization, ...headers } },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            bytes: Buffer.concat(chunks),
          }),
        )
      },
    )
    sent.on('error', reject)
    sent.end()
  })

const tagOf = async (path: string, brand = 'aldermoor'): Promise<string> => {
  const { status, headers } = await ask(path, {}, { brand })
  assert.equal(status, 200, path)
  assert.ok(headers.etag, path)
  return headers.etag
}

describe('an ETag', () => {
  const brand = 'tagged'
  const [product] = recordsAt('parent-products')
  const [link] = recordsAt('product-tags')
  const [category] = recordsAt('categories')
  const [tag] = recordsAt('tags')
  const tagId = idOf(5)
  const write = (records: { [path: string]: readonly DemoRecord[] }, owner = brand) =>
    service.write(owner, records)

  before(async () => {
    const records = {
      'parent-products': [
        { ...product, id: idOf(1), categoryId: idOf(9) },
        { ...product, id: idOf(2), categoryId: null },
      ],
      'product-tags': [{ ...link, productId: idOf(1), tagId }],
      categories: [{ ...category, id: idOf(9) }],
      tags: [{ ...tag, id: tagId }],
    } as { [path: string]: readonly DemoRecord[] }
    await write({ brand: [brandRecord(brand, 1)], ...records })
    await write({ brand: [brandRecord('twin', 2)], ...records }, 'twin')
  })

  it('is strong, on every answer that is a record', () =>
    eachOf(catalog.resources, async ({ path, endpoints, lookup, key }) => {
      const [record = {}] = recordsAt(path)
      const paths = lookup
        ? ['']
        : endpoints.flatMap((endpoint) =>
            endpoint === 'list'
              ? [path]
              : endpoint === 'get'
                ? [`${path}/${keyOf(key, record)}`]
                : [],
          )
      for (const each of paths) assert.match(await tagOf(each), /^"[\w-]{22}"$/, each)
    }))

  it('stays the same from request to request', async () => {
    for (const path of ['', 'tags', 'tags?limit=3', `parent-products?tagId=${idOf(3)}`]) {
      assert.equal(await tagOf(path), await tagOf(path))
    }
    assert.equal(
      await tagOf('orders?status=a&currency=USD'),
      await tagOf('orders?currency=USD&status=a'),
    )
    assert.equal(await tagOf('countries'), await tagOf('countries?limit=25'))
  })

  it('is another for each page, filter, value, include, limit, record, collection and brand', async () => {
    const { body } = await service.get('countries?limit=2')
    const tags = await Promise.all([
      ...[
        'countries',
        'countries?limit=2',
        'countries?limit=3',
        `countries?limit=2&cursor=${body.nextCursor}`,
        'countries?name=France',
        'countries?name=france',
        'countries/FR',
        'countries/US',
        'units-of-measure',
        'order-items',
        'order-items?include=order',
        'order-items?include=sku',
        'order-items?include=order,sku',
        'order-items?include=sku,order',
        'tags?name=a',
        'tags?code=a',
        '',
      ].map((path) => tagOf(path)),
      ...['countries', 'tags', 'categories', 'parent-products', `tags/${tagId}`].flatMap((path) => [
        tagOf(path, brand),
        tagOf(path, 'twin'),
      ]),
    ])
    assert.equal(new Set(tags).size, tags.length)
  })

  const answers = {
    list: 'parent-products',
    page: 'parent-products?limit=1',
    one: `parent-products/${idOf(1)}`,
    filtered: 'parent-products?status=none',
    through: `parent-products?tagId=${tagId}`,
    including: 'parent-products?include=category',
    'one including': `parent-products/${idOf(1)}?include=category`,
    tags: 'tags',
    brand: '',
  }

  for (const [change, work, changed] of [
    [
      'a changed record of the collection',
      () => write({ 'parent-products': [{ ...product, id: idOf(2), name: 'Changed' }] }),
      ['list', 'page', 'one', 'filtered', 'through', 'including', 'one including'],
    ],
    [
      'a new record of the collection',
      () => write({ 'parent-products': [{ ...product, id: idOf(3) }] }),
      ['list', 'page', 'one', 'filtered', 'through', 'including', 'one including'],
    ],
    [
      'a link that a filter looks through',
      () => write({ 'product-tags': [{ ...link, productId: idOf(2), tagId }] }),
      ['through'],
    ],
    [
      'a record that is included',
      () => write({ categories: [{ ...category, id: idOf(9), name: 'Changed' }] }),
      ['including', 'one including'],
    ],
    ['another collection', () => write({ tags: [{ ...tag, id: tagId, name: 'New' }] }), ['tags']],
    [
      'another brand',
      () => write({ 'parent-products': [{ ...product, id: idOf(2), name: 'Theirs' }] }, 'twin'),
      [],
    ],
    ['what was there already', () => write({ tags: [{ ...tag, id: tagId, name: 'New' }] }), []],
    [
      'the brand itself',
      () => write({ brand: [{ ...brandRecord(brand, 1), name: 'New' }] }),
      ['brand'],
    ],
  ] as const) {
    it(`changes after ${change} where it should, and nowhere else`, async () => {
      const read = async () =>
        Object.fromEntries(
          await Promise.all(
            Object.entries(answers).map(async ([name, path]) => [name, await tagOf(path, brand)]),
          ),
        )
      const earlier = await read()
      await work()
      const later = await read()
      const differing = Object.keys(answers).filter((name) => earlier[name] !== later[name])
      assert.deepEqual(differing, changed)
      // What the client has is no longer good where it changed, and still good where it did not.
      for (const [name, path] of Object.entries(answers)) {
        const { status } = await ask(path, { 'if-none-match': earlier[name] ?? '' }, { brand })
        assert.equal(status, differing.includes(name) ? 200 : 304, name)
      }
    })
  }

  it('changes after a removal', async () => {
    const resource = catalog.byPath.get('parent-products')
    assert.ok(resource)
    const earlier = await tagOf('parent-products', brand)
    await service.records.store.write(brand, async (writer) => {
      await writer.stageRemoval(resource, [[idOf(3)]])
      await writer.merge(resource)
    })
    assert.notEqual(await tagOf('parent-products', brand), earlier)
  })

  it('of a shared collection changes for every brand', async () => {
    const earlier = [await tagOf('couriers', brand), await tagOf('couriers', 'twin')]
    const [courier] = recordsAt('couriers')
    await write({ couriers: [{ ...courier, id: idOf(1) }] }, sharedOwner)
    const later = [await tagOf('couriers', brand), await tagOf('couriers', 'twin')]
    assert.equal(new Set([...earlier, ...later]).size, 4)
  })

  it('survives a restart, but not a move to another database', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-test-'))
    const tagAt = async (at: string, key: string) => {
      const { headers } = await ask('countries', {}, { url: at, key, brand: 'kept' })
      return headers.etag
    }
    try {
      const first = await openTestService({}, { story: false, folder })
      await first.write(sharedOwner, { countries: recordsAt('countries') })
      await first.write('kept', { brand: [brandRecord('kept', 1)] })
      const key = await first.key('kept')
      const earlier = await tagAt(first.url, key)
      await first.close()
      const second = await openTestService({}, { story: false, folder })
      assert.equal(await tagAt(second.url, key), earlier)
      await second.close()
      const other = await openTestService({}, { story: false })
      await other.write(sharedOwner, { countries: recordsAt('countries') })
      await other.write('kept', { brand: [brandRecord('kept', 1)] })
      assert.notEqual(await tagAt(other.url, await other.key('kept')), earlier)
      await other.close()
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})

describe('If-None-Match', () => {
  const large = 'countries?limit=100'

  for (const [form, header, status] of [
    ['the tag itself', (tag: string) => tag, 304],
    ['a list with it', (tag: string) => `"other", ${tag}, "more"`, 304],
    ['a list without spaces', (tag: string) => `"other",${tag}`, 304],
    ['the weak form of it', (tag: string) => `W/${tag}`, 304],
    ['a list with its weak form', (tag: string) => `W/"other",\tW/${tag}`, 304],
    ['anything at all', () => '*', 304],
    ['anything, with spaces', () => '  * ', 304],
    ['its brotli form', (tag: string) => tag.replace(/"$/, '.br"'), 304],
    ['its gzip form', (tag: string) => tag.replace(/"$/, '.gzip"'), 304],
    ['another tag', () => '"other"', 200],
    ['the tag without its marks', (tag: string) => tag.slice(1, -1), 200],
    ['a part of the tag', (tag: string) => `${tag.slice(0, -3)}"`, 200],
    ['more than the tag', (tag: string) => tag.replace(/"$/, 'x"'), 200],
    ['an encoding that is not offered', (tag: string) => tag.replace(/"$/, '.zip"'), 200],
    ['the tag in another case', (tag: string) => tag.toLowerCase().replace('"', '"A'), 200],
    ['a quoted star', () => '"*"', 200],
    ['nonsense', () => ',,;"', 200],
  ] as const) {
    it(`with ${form} is answered ${status}`, async () => {
      for (const path of [large, 'countries/FR', '']) {
        const tag = await tagOf(path)
        const answer = await ask(path, { 'if-none-match': header(tag) })
        assert.equal(answer.status, status, path)
      }
    })
  }

  it('of another brand’s, page’s or collection’s tag is answered 200', async () => {
    for (const [mine, theirs] of [
      ['tags', 'colors'],
      ['tags?limit=1', 'tags?limit=2'],
      ['tags', ''],
    ] as const) {
      const { status } = await ask(mine, { 'if-none-match': await tagOf(theirs) })
      assert.equal(status, 200, mine)
    }
    const other = await tagOf('countries', 'twin')
    assert.equal((await ask('countries', { 'if-none-match': other })).status, 200)
  })

  it('does not come before the judgement of the request', async () => {
    const star = { 'if-none-match': '*' }
    for (const [path, status] of [
      ['tags?limit=0', 400],
      ['tags?cursor=x', 400],
      ['tags/X', 400],
      ['nothing', 404],
      [`tags/${idOf(0)}`, 404],
    ] as const) {
      assert.equal((await ask(path, star)).status, status, path)
    }
    assert.equal((await ask('tags', star, { key: '' })).status, 401)
    assert.equal((await ask('tags', star, { brand: 'nobody' })).status, 404)
  })

  it('of what was removed is answered 404', async () => {
    const brand = 'removing'
    const resource = catalog.byPath.get('tags')
    assert.ok(resource)
    await service.write(brand, {
      brand: [brandRecord(brand, 5)],
      tags: [{ ...recordsAt('tags')[0], id: idOf(1) }],
    })
    const tag = await tagOf(`tags/${idOf(1)}`, brand)
    await service.records.store.write(brand, async (writer) => {
      await writer.stageRemoval(resource, [[idOf(1)]])
      await writer.merge(resource)
    })
    const { status } = await ask(`tags/${idOf(1)}`, { 'if-none-match': tag }, { brand })
    assert.equal(status, 404)
  })

  it('is answered 304 without a body and with what a cache needs', async () => {
    for (const path of [large, 'countries/FR', '']) {
      const tag = await tagOf(path)
      const { headers, bytes } = await ask(path, { 'if-none-match': tag })
      assert.equal(bytes.length, 0)
      assert.equal(headers.etag, tag)
      assert.equal(headers['cache-control'], 'private, no-cache')
      assert.equal(headers.vary, 'Authorization, Accept-Encoding')
      assert.match(`${headers['ratelimit']}`, /^"default"/)
      assert.match(`${headers['x-request-id']}`, /./)
      for (const name of [
        'content-type',
        'content-length',
        'content-encoding',
        'link',
        'total-items',
      ]) {
        assert.equal(headers[name], undefined, name)
      }
    }
  })

  it('is answered with the tag of the encoding that the client has', async () => {
    for (const encoding of ['br', 'gzip']) {
      const accept = { 'accept-encoding': encoding }
      for (const path of [large, `${basePath}/openapi.json`]) {
        const { headers } = await ask(path, accept)
        assert.match(headers.etag ?? '', new RegExp(`\\.${encoding}"$`))
        const again = await ask(path, { ...accept, 'if-none-match': headers.etag ?? '' })
        assert.equal(again.status, 304)
        assert.equal(again.headers.etag, headers.etag, path)
      }
    }
  })

  it('of a document has no timings to tell, and no empty header for them', async () => {
    for (const path of [`${basePath}/openapi.json`, '/llms.txt']) {
      assert.equal((await ask(path, {})).headers['server-timing'], undefined, path)
    }
  })

  it('is answered 304 without reading a record', async () => {
    const paths = [
      ...lists.map(({ path }) => path),
      ...lists.flatMap((resource) => {
        const [relation] = relationsOf(resource)
        return relation ? [`${resource.path}?include=${relation.name}`] : []
      }),
      ...lists.flatMap(({ path, filters }) =>
        filters
          .filter(({ through }) => through)
          .map(({ name }) => `${path}?${name}=${idOf(1)}&limit=7`),
      ),
      ...lists
        .filter(({ endpoints }) => endpoints.includes('get'))
        .map(({ path, key }) => `${path}/${keyOf(key, recordsAt(path)[0] ?? {})}`),
      '',
    ]
    const { database } = service.records
    const read = database.read.bind(database)
    const texts: string[] = []
    database.read = (queries) => {
      // Usage is written meanwhile, if its brands still exist.
      const ofRequests = queries.filter(({ text }) => !text.includes('as wanted'))
      texts.push(...ofRequests.map(({ text }) => text))
      return read(queries)
    }
    try {
      for (const path of paths) {
        const tag = await tagOf(path)
        texts.length = 0
        const { status } = await ask(path, { 'if-none-match': tag })
        assert.equal(status, 304, path)
        for (const text of texts) assert.doesNotMatch(text, /(from|join) "(?!selvedge_)/, path)
      }
    } finally {
      database.read = read
    }
  })

  it('is not disturbed by If-Modified-Since', async () => {
    const since = { 'if-modified-since': new Date(Date.now() + 60_000).toUTCString() }
    assert.equal((await ask('tags', since)).status, 200)
    assert.equal((await ask('tags', { ...since, 'if-none-match': '"x"' })).status, 200)
  })
})

describe('compression', () => {
  const path = 'countries?limit=100'

  for (const [accept, expected] of [
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['br, gzip', 'br'],
    ['gzip;q=1, br;q=0.5', 'gzip'],
    ['gzip;q=0.5, br;q=0.5', 'br'],
    ['gzip;q=0.2, br;q=0.1', 'gzip'],
    ['GZIP', 'gzip'],
    ['gzip ; q=0.7', 'gzip'],
    ['gzip;q=0, br;q=0', undefined],
    ['gzip;q=0', undefined],
    ['gzip;q=0.000, br', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*', 'br'],
    ['*;q=0', undefined],
    ['*;q=0, gzip', 'gzip'],
    ['identity', undefined],
    ['identity;q=0, gzip', 'gzip'],
    ['identity;q=0, *', 'br'],
    ['identity;q=0', undefined],
    ['deflate', undefined],
    ['zstd, compress', undefined],
    ['', undefined],
    ['gzip;q=nonsense', undefined],
    [',,,', undefined],
  ] as const) {
    it(`asked for as "${accept}" is ${expected ?? 'none'}, and decodes to the same bytes`, async () => {
      const plain = await ask(path)
      assert.equal(plain.headers['content-encoding'], undefined)
      const { status, headers, bytes } = await ask(path, { 'accept-encoding': accept })
      assert.equal(status, 200)
      assert.equal(headers['content-encoding'], expected)
      assert.equal(headers['content-length'], `${bytes.length}`)
      assert.equal(headers.vary, 'Authorization, Accept-Encoding')
      const decoded =
        expected === 'br'
          ? brotliDecompressSync(bytes)
          : expected === 'gzip'
            ? gunzipSync(bytes)
            : bytes
      assert.ok(decoded.equals(plain.bytes))
      const tag = plain.headers.etag?.slice(0, -1)
      assert.equal(headers.etag, expected ? `${tag}.${expected}"` : `${tag}"`)
      if (expected) assert.ok(bytes.length < plain.bytes.length / 2)
    })
  }

  it('begins above 1 KiB', async () => {
    const [tag] = recordsAt('tags')
    const empty = { ...tag, id: idOf(1), name: '' }
    const room = 1_024 - JSON.stringify(empty).length
    const brand = 'measured'
    await service.write(brand, {
      brand: [brandRecord(brand, 6)],
      tags: [
        { ...empty, name: 'x'.repeat(room) },
        { ...empty, id: idOf(2), name: 'x'.repeat(room + 1) },
      ],
    })
    const accept = { 'accept-encoding': 'gzip' }
    const small = await ask(`tags/${idOf(1)}`, accept, { brand })
    assert.equal(small.bytes.length, 1_024)
    assert.equal(small.headers['content-encoding'], undefined)
    const big = await ask(`tags/${idOf(2)}`, accept, { brand })
    assert.equal(big.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(big.bytes).length, 1_025)
  })

  it('leaves errors alone', async () => {
    const many = Array.from({ length: 60 }, (_, index) => `wrong${index}=1`).join('&')
    const { status, headers, bytes } = await ask(`tags?${many}`, { 'accept-encoding': 'br' })
    assert.equal(status, 400)
    assert.equal(headers['content-encoding'], undefined)
    assert.equal(JSON.parse(`${bytes}`).details.length, 50)
    assert.equal(headers.vary, 'Authorization, Accept-Encoding')
  })
})

describe('HEAD', () => {
  const passing = /^(date|x-request-id|ratelimit|server-timing|connection|keep-alive)$/
  const steady = ({ headers }: Plain) =>
    Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name)))

  for (const [path, status, headers] of [
    ['tags', 200, {}],
    ['countries?limit=100', 200, {}],
    ['countries?limit=100', 200, { 'accept-encoding': 'gzip' }],
    ['countries/FR', 200, {}],
    ['', 200, {}],
    ['tags', 304, { 'if-none-match': '*' }],
    ['tags?limit=0', 400, {}],
    ['tags?cursor=x', 400, {}],
    [`tags/${idOf(0)}`, 404, {}],
    ['nothing', 404, {}],
    [`${basePath}/openapi.json`, 200, {}],
    ['/healthz', 200, {}],
    ['/readyz', 200, {}],
  ] as const) {
    it(`of ${path || 'the brand'} is ${status} with the headers of GET and no body`, async () => {
      const get = await ask(path, headers)
      const head = await ask(path, headers, { method: 'HEAD' })
      assert.equal(get.status, status)
      assert.equal(head.status, status)
      assert.deepEqual(steady(head), steady(get))
      assert.equal(head.bytes.length, 0)
    })
  }

  it('without a key is 401 as GET is', async () => {
    const get = await ask('tags', {}, { key: '' })
    const head = await ask('tags', {}, { key: '', method: 'HEAD' })
    assert.deepEqual([get.status, head.status], [401, 401])
    assert.deepEqual(steady(head), steady(get))
  })
})
