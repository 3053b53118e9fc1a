/** Every list: its pages, its order, its totals and its Link. */
import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { catalog, relationsOf, resourceAt } from '#contract'
import {
  brandRecord,
  compareKeys,
  eachOf,
  idOf,
  keyOf,
  lists,
  recordsAt,
  valueAt,
  walk,
} from '../support/model.ts'
import { recordsOf } from '../support/page.ts'
import { openTestService } from '../support/service.ts'

const service = await openTestService()
after(() => service.close())

/** The address that a Link header names, resolved against the URL of the answer. */
const nextUrl = (url: string, header: string | null): string | null => {
  if (header === null) return null
  const [, target] = /^<([^>]*)>; rel="next"$/.exec(header) ?? []
  assert.ok(target, `${header} is no Link to a next page`)
  assert.match(target, /^\/[^/]/, 'a Link is origin-relative')
  const resolved = new URL(target, url)
  assert.equal(resolved.origin, new URL(url).origin)
  return resolved.href
}

const walkByLink = async (path: string): Promise<unknown[]> => {
  const items: unknown[] = []
  let url: string | null = `${service.url}/api/public/v1/brands/aldermoor/${path}`
  while (url !== null) {
    const page = await service.get(url.slice(service.url.length))
    assert.equal(page.status, 200, page.text)
    items.push(...page.body.items)
    url = nextUrl(url, page.headers.get('link'))
  }
  return items
}

describe('a list', () => {
  it('has 25 records on a page unless asked otherwise', () =>
    eachOf(lists, async ({ path }) => {
      const { body } = await service.get(path)
      const all = recordsAt(path)
      assert.equal(body.items.length, Math.min(25, all.length), path)
      assert.equal(body.totalItems, all.length, path)
      assert.equal(body.nextCursor === null, all.length <= 25, path)
    }))

  it('has as many records on a page as limit says, from 1 to 100', async () => {
    const countries = recordsAt('countries')
    await eachOf(
      Array.from({ length: 100 }, (_, index) => index + 1),
      async (limit) => {
        const { body } = await service.get(`countries?limit=${limit}`)
        assert.deepEqual(body.items, countries.slice(0, limit))
        assert.equal(body.totalItems, 249)
      },
    )
  })

  for (const limit of [1, 2, 7, 100]) {
    it(`walked ${limit} at a time tells every record of the story once, in byte order`, () =>
      eachOf(lists, async ({ path, key }) => {
        const expected = recordsAt(path)
        const { items, totals, pages } = await walk(service, path, { limit })
        assert.deepEqual(items, expected, path)
        for (const [index, item] of items.entries()) {
          const before = items[index - 1]
          if (before) assert.ok(compareKeys(keyOf(key, before), keyOf(key, item)) < 0, path)
        }
        assert.deepEqual(
          totals,
          pages.map(() => expected.length),
          path,
        )
        assert.equal(pages.length, Math.max(1, Math.ceil(expected.length / limit)), path)
      }))
  }

  it('is walked by its Link header to the same records', () =>
    eachOf(lists, async ({ path }) => {
      assert.deepEqual(await walkByLink(`${path}?limit=3`), recordsAt(path), path)
    }))

  it('whose last page is exactly full says there that it is the last', () =>
    eachOf(
      lists.flatMap(({ path }) => {
        const total = recordsAt(path).length
        return Array.from({ length: Math.min(100, total) }, (_, index) => index + 1)
          .filter((limit) => total % limit === 0)
          .map((limit) => ({ path, limit, total }))
      }),
      async ({ path, limit, total }) => {
        const { pages } = await walk(service, path, { limit })
        assert.equal(pages.length, total / limit, `${path}?limit=${limit}`)
        assert.equal(pages.at(-1)?.body.items.length, limit)
        assert.equal(pages.at(-1)?.headers.get('link'), null)
      },
    ))

  it('says in a header how many records there are, for GET, HEAD and cached responses', () =>
    eachOf(lists, async ({ path }) => {
      const total = String(recordsAt(path).length)
      for (const method of ['GET', 'GET', 'GET', 'HEAD']) {
        const { headers } = await service.get(`${path}?limit=1`, { method })
        assert.equal(headers.get('total-items'), total, `${method} ${path}`)
      }
    }))

  it('without a match is empty, and complete', () =>
    eachOf(
      lists.flatMap(({ path, filters }) => {
        const filter = filters.find(({ kind }) => kind === 'identifier')
        return filter ? [`${path}?${filter.name}=${idOf(0)}`] : []
      }),
      async (path) => {
        const { status, text, headers } = await service.get(path)
        assert.equal(status, 200, path)
        assert.equal(text, '{"items":[],"nextCursor":null,"totalItems":0}', path)
        assert.equal(headers.get('link'), null)
        assert.equal(headers.get('total-items'), '0')
      },
    ))

  it('of a brand that has nothing yet is empty, but for what is shared', async () => {
    await service.write('fallow', { brand: [brandRecord('fallow', 1)] })
    const key = await service.key('fallow')
    await eachOf(lists, async ({ path, scope }) => {
      const { text, body } = await service.get(`/api/public/v1/brands/fallow/${path}`, { key })
      if (scope === 'shared') assert.equal(body.totalItems, recordsAt(path).length, path)
      else assert.equal(text, '{"items":[],"nextCursor":null,"totalItems":0}', path)
    })
  })

  it('is in the order of bytes even where people or UTF-16 would sort otherwise', async () => {
    const [price] = recordsAt('product-option-prices')
    const kinds = [
      'a',
      'B',
      'Z',
      'b',
      'é',
      'z',
      ' ',
      '10',
      '9',
      '\uffee',
      '🧵',
      '\ue000',
      'ab',
      'a b',
    ]
    await service.write('sorted', {
      brand: [brandRecord('sorted', 5)],
      'product-option-prices': kinds.flatMap((kind) =>
        ['USD', 'EUR'].map((currency) => ({ ...price, kind, currency })),
      ),
    })
    const key = await service.key('sorted')
    const path = '/api/public/v1/brands/sorted/product-option-prices'
    const { items } = await walk(service, path, { limit: 3 }, { key })
    const expected = [...kinds].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    assert.deepEqual(
      items.map(({ kind, currency }) => [kind, currency]),
      expected.flatMap((kind) => [
        [kind, 'EUR'],
        [kind, 'USD'],
      ]),
    )
  })

  it('serves and counts what was deleted, retracted or applied', async () => {
    const marks = ['deletedAt', 'retractedAt', 'appliedAt']
    let seen = 0
    for (const { path, fields } of lists) {
      const mark = marks.find((name) => Object.hasOwn(fields, name))
      const [first] = recordsAt(path)
      if (!mark || !first) continue
      const at = '2026-11-01T00:00:00.000Z'
      const brand = `gone-${path}`
      const current = { ...first, id: idOf(1) }
      const marked = { ...first, id: idOf(2), [mark]: at }
      await service.write(brand, { brand: [brandRecord(brand, 2)], [path]: [current, marked] })
      const page = await service.records.store.list({
        resource: resourceAt(catalog, path),
        brand,
        filters: new Map(),
        limit: 25,
        after: null,
        include: [],
      })
      assert.equal(page.total, 2, path)
      assert.equal(recordsOf(page)[1][mark], at, path)
      seen += 1
    }
    assert.ok(seen >= 10, `${seen} collections can lose a record`)
  })

  it('serves over HTTP what the story marks as gone', async () => {
    const marked = lists.flatMap(({ path }) =>
      recordsAt(path)
        .filter((record) => valueAt(record, 'deletedAt') ?? valueAt(record, 'retractedAt'))
        .map((record) => ({ path, record })),
    )
    await service.write('gone', {
      brand: [brandRecord('gone', 3)],
      'bom-sections': recordsAt('bom-sections').map((record) => ({
        ...record,
        deletedAt: '2026-11-01T00:00:00.000Z',
      })),
    })
    const key = await service.key('gone')
    const { body } = await service.get('/api/public/v1/brands/gone/bom-sections', { key })
    assert.equal(body.totalItems, recordsAt('bom-sections').length)
    assert.equal(body.items[0].deletedAt, '2026-11-01T00:00:00.000Z')
    assert.ok(marked.length > 0, 'the story has a record that was deleted or retracted')
    for (const { path, record } of marked) {
      const { items } = await walk(service, path, { limit: 100 })
      assert.ok(items.some((item) => item['id'] === record['id']))
    }
  })
})

describe('the Link header', () => {
  it('keeps filters, limit and include, and adds the cursor', async () => {
    let links = 0
    await eachOf(lists, async (resource) => {
      const { path, filters } = resource
      const [relation] = relationsOf(resource)
      for (const filter of filters) {
        const own = filter.field
        if (own === undefined) continue
        const counted = Map.groupBy(recordsAt(path), (record) => valueAt(record, own))
        const value = [...counted].find(
          ([each, records]) => each !== null && records.length > 1,
        )?.[0]
        if (value === undefined) continue
        const query = new URLSearchParams({
          [filter.name]: `${value}`,
          limit: '1',
          ...(relation && { include: relation.name }),
        })
        const { body, headers } = await service.get(`${path}?${query}`)
        const next = nextUrl(`${service.url}/`, headers.get('link'))
        assert.ok(next, `${path}?${query}`)
        links += 1
        const { pathname, searchParams } = new URL(next)
        assert.equal(pathname, `/api/public/v1/brands/aldermoor/${path}`)
        assert.deepEqual(
          Object.fromEntries(searchParams),
          { ...Object.fromEntries(query), cursor: body.nextCursor },
          next,
        )
      }
    })
    assert.ok(links > 50, `${links} links`)
  })

  it('says the limit that was used even where none was asked for', async () => {
    const { headers } = await service.get('countries')
    assert.match(headers.get('link') ?? '', /\?limit=25&cursor=[\w-]+>; rel="next"$/)
  })

  it('cannot be split or ended by a filter value, however hostile', async () => {
    const hostile = [
      'a>b',
      'say "x"',
      'a, b',
      'a; rel="prev"',
      'a\r\nSet-Cookie: x=1',
      'a\nb',
      'café 日本 🧵',
      '100%',
      '%0d%0aX: y',
      "it's (not) *so* bad!",
      '<https://elsewhere.example>; rel="next"',
      '&limit=1&cursor=x',
      '#part',
      'a+b c',
      '\u2028\u0085\ufeff',
    ]
    const [tag] = recordsAt('tags')
    await service.write('hostile', {
      brand: [brandRecord('hostile', 4)],
      tags: hostile.flatMap((name, index) =>
        [0, 1].map((twin) => ({ ...tag, id: idOf(index * 2 + twin), name })),
      ),
    })
    const key = await service.key('hostile')
    for (const [index, name] of hostile.entries()) {
      const url = `/api/public/v1/brands/hostile/tags?limit=1&name=${encodeURIComponent(name)}`
      const first = await service.get(url, { key })
      assert.equal(first.status, 200, first.text)
      assert.equal(first.body.totalItems, 2, name)
      const link = first.headers.get('link') ?? ''
      assert.match(link, /^<\/api\/public\/v1\/brands\/hostile\/tags\?[\w%&=.~-]+>; rel="next"$/)
      assert.equal(first.headers.get('set-cookie'), null)
      const next = nextUrl(service.url + url, link) ?? ''
      const second = await service.get(next.slice(service.url.length), { key })
      assert.equal(second.status, 200, second.text)
      assert.deepEqual(
        second.body.items.map(({ id }: { id: string }) => id),
        [idOf(index * 2 + 1)],
        name,
      )
      assert.equal(second.body.items[0].name, name)
    }
  })

  it('repeats the path as it was asked for, so that it works behind any proxy', async () => {
    const { headers } = await service.get('/api/public/v1/brands/%61ldermoor/countries?limit=9')
    const next = nextUrl(`${service.url}/`, headers.get('link')) ?? ''
    const { body } = await service.get(next.slice(service.url.length))
    assert.deepEqual(body.items, recordsAt('countries').slice(9, 18))
  })
})
