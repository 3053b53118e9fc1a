/** Every operation of connectors/openapi.query.json, with keys and parameters of another brand. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import {
  basePath,
  catalog,
  documentOperationsOf,
  feedBasePath,
  gridOperationsOf,
  lineageOperationsOf,
  queryBasePath,
  resourceAt,
  scorecardOperationsOf,
} from '#contract'
import {
  assertNothingIn,
  type Brand,
  brands,
  canaries,
  openBrandsModel,
  ownId,
  twins,
  writeBrands,
} from '../support/brands.ts'
import { eachOf, idOf, lists, recordsAt } from '../support/model.ts'
import type { AskOptions, TestResponse, TestService } from '../support/service.ts'
import { openTestService } from '../support/service.ts'

const document = JSON.parse(
  readFileSync(new URL('../../connectors/openapi.query.json', import.meta.url), 'utf8'),
) as { readonly paths: { readonly [path: string]: object } }
/** A document or a lineage is that of a record that both twins have. */
const operations = Object.keys(document.paths).map((path) =>
  path.replace(/([^/]+)\/\{id\}/, (_, group) => {
    const [key = 'id'] = resourceAt(catalog, group).key
    return `${group}/${recordsAt(group)[0]?.[key]}`
  }),
)
const model = openBrandsModel()
const [one, other] = twins
let service: TestService
const keys = new Map<string, string>()

before(async () => {
  const settings = {
    // Refusals are counted by address; each of them here has one of its own.
    TRUSTED_PROXIES: '127.0.0.1',
    CHANGE_FEED: 'on',
    KEY_DOWNLOADS: '100',
    DOWNLOADS: '100',
  }
  service = await openTestService(settings, { story: false })
  await writeBrands(model, { store: service.records.store, images: service.images })
  for (const brand of brands) keys.set(brand, await service.key(brand))
  keys.set('other two', await service.key(other, 'corvane'))
  keys.set('all', await service.key())
})
after(() => service.close())

let addresses = 0
const elsewhere = () => {
  addresses += 1
  return { 'x-forwarded-for': `fd00:0:0:${addresses.toString(16)}::1` }
}

const get = async (
  target: string,
  key: string | null,
  headers: AskOptions['headers'] = {},
): Promise<TestResponse> => {
  const answer = await service.get(target, {
    key: key === null ? null : (keys.get(key) ?? ''),
    headers: { ...elsewhere(), ...headers },
  })
  assert.ok(answer.status < 500, `${target}: ${answer.text}`)
  return answer
}

/** The same for a brand that may ask: nothing in the response is of the others. */
const getOwn = async (
  brand: Brand,
  rest: string,
  { key = brand as string, headers = {} as AskOptions['headers'] } = {},
) => {
  const target = `${queryBasePath}/brands/${brand}/${rest}`
  const answer = await get(target, key, headers)
  const others = brands.filter((each) => each !== brand)
  // A search repeats what was searched for.
  const text = answer.text.replace(/^\{"query":"[^"]*"/, '')
  assertNothingIn(`${[...answer.headers].join('\n')}\n${text}`, others, target)
  return answer
}

/** What an operation needs at least. */
const needed = (path: string): string => {
  if (path.endsWith('/download')) return '?format=ndjson'
  return path.endsWith('/search') ? '?q=canary' : '?'
}

/** A path below that of a brand. */
const restOf = (path: string): string => path.replace('/brands/{brand}/', '') + needed(path)

const targetOf = (path: string, brand: string): string =>
  `${queryBasePath}/brands/${brand}/${restOf(path)}`

const passing = new Set(['date', 'x-request-id', 'ratelimit'])

/** All that an answer tells, less what differs from one request to the next. */
const telling = async (target: string, key: string | null) => {
  const { status, headers, text } = await get(target, key)
  return { status, headers: [...headers].filter(([name]) => !passing.has(name)), text }
}

/** Does work for each operation; for documents and lineages, which read most, one after the other. */
const eachAlone = async (
  paths: readonly string[],
  work: (path: string) => Promise<void>,
): Promise<void> => {
  const isDocument = (path: string) => /\/(document|lineage)$/.test(path)
  await eachOf(
    paths.filter((path) => !isDocument(path)),
    work,
  )
  for (const path of paths.filter(isDocument)) await work(path)
}

const errorCode = (text: string): string => JSON.parse(text).errorCode

describe('an operation of the query API', () => {
  it('is each of the lists, summaries, downloads, documents, grids, scorecards and lineages, search, the figures of the day and over time, the calendar, the published views, the quality and the sources', () => {
    const records = [
      ...[documentOperationsOf, gridOperationsOf, lineageOperationsOf, scorecardOperationsOf],
    ].flatMap((operationsIn) => operationsIn(catalog))
    assert.equal(operations.length, lists.length * 3 + records.length + 9)
  })

  it('tells a key of other brands the same of a brand as of none', () =>
    eachOf(operations, async (path) => {
      for (const key of [other, 'other two', null]) {
        const ofBrand = await telling(targetOf(path, one), key)
        const ofNone = await telling(targetOf(path, 'nobody'), key)
        assert.deepEqual(ofBrand, ofNone, `${path} ${key}`)
        assert.equal(ofBrand.status, 401, path)
        assert.ok(!ofBrand.text.includes(one), ofBrand.text)
      }
    }))

  it('tells a key of several brands, and a global key, of one brand alone', () =>
    eachAlone(operations, async (path) => {
      const rest = restOf(path)
      for (const key of [other, 'other two', 'all']) {
        const { status, text } = await getOwn(other, rest, { key })
        assert.equal(status, 200, `${path} ${text}`)
      }
    }))

  it('does not take the ETag of another brand for its own', () =>
    eachAlone(
      operations.filter((path) => !path.endsWith('/download')),
      async (path) => {
        const rest = restOf(path)
        const theirs = await getOwn(other, rest)
        const headers = { 'if-none-match': theirs.headers.get('etag') ?? '' }
        assert.equal((await getOwn(one, rest, { headers })).status, 200, path)
        // The links in a document expire, and its tag with them.
        if (path.endsWith('/document')) return
        assert.equal((await getOwn(other, rest, { headers })).status, 304, path)
      },
    ))

  it('finds nothing by what another brand alone has', () =>
    eachOf(
      lists.filter(({ scope }) => scope === 'brand'),
      async ({ path, key, fields, filters, searchable }) => {
        const isIdentifier = key.length === 1 && fields['id']?.kind === 'id'
        const id = ownId(other, path)
        if (isIdentifier) {
          const listed = await getOwn(one, `${path}?ids=${id}`)
          assert.deepEqual([listed.body.items, listed.body.missingIds], [[], [id]], path)
          const file = await getOwn(one, `${path}/download?format=ndjson&ids=${id}`)
          assert.equal(file.text, '{"complete":true,"items":0}\n', path)
        }
        for (const { name, field, through } of filters) {
          const to = through
            ? resourceAt(catalog, through.collection).fields[through.where]?.to
            : fields[field ?? '']?.to
          if (to === undefined || resourceAt(catalog, to).scope !== 'brand') continue
          const query = `${name}=${ownId(other, to)}`
          assert.equal((await getOwn(one, `${path}?${query}`)).body.totalItems, 0, path)
          const summary = await getOwn(one, `${path}/summary?${query}`)
          assert.equal(summary.body.totalItems, 0, path)
        }
        if (searchable.length === 0) return
        const text = encodeURIComponent(canaries[other])
        const { status } = await getOwn(one, `search?q=${text}&groups=${path}`)
        assert.equal(status, 200, path)
      },
    ))
})

describe('a document', () => {
  it('of a record of another brand is none, as of a record that is not there', () =>
    eachOf(documentOperationsOf(catalog), async ({ resource: { path } }) => {
      const documentOf = async (id: string) => {
        const { status, text } = await getOwn(one, `${path}/${id}/document`)
        return [status, text.replace(/"requestId":"[^"]*"/, '')]
      }
      const missing = await documentOf(idOf(1))
      assert.equal(missing[0], 404, path)
      assert.deepEqual(await documentOf(ownId(other, path)), missing, path)
      assert.equal((await getOwn(other, `${path}/${ownId(other, path)}/document`)).status, 200)
    }))
})

describe('a grid', () => {
  it('of a record of another brand is none, as of a record that is not there', () =>
    eachOf(gridOperationsOf(catalog), async ({ resource: { path } }) => {
      for (const format of ['json', 'xlsx']) {
        const gridOf = async (id: string) => {
          const { status, text } = await getOwn(one, `${path}/${id}/grid?format=${format}`)
          return [status, text.replace(/"requestId":"[^"]*"/, '')]
        }
        const missing = await gridOf(idOf(1))
        assert.equal(missing[0], 404, path)
        assert.deepEqual(await gridOf(ownId(other, path)), missing, path)
      }
      assert.equal((await getOwn(other, `${path}/${ownId(other, path)}/grid`)).status, 200)
    }))
})

describe('a lineage', () => {
  it('of a record of another brand is none, as of a record that is not there', () =>
    eachOf(
      lineageOperationsOf(catalog).filter(({ resource }) => resource.scope === 'brand'),
      async ({ resource: { path } }) => {
        const lineageOf = async (id: string) => {
          const { status, text } = await getOwn(one, `${path}/${id}/lineage`)
          return [status, text.replace(/"requestId":"[^"]*"/, '')]
        }
        const missing = await lineageOf(idOf(1))
        assert.equal(missing[0], 404, path)
        assert.deepEqual(await lineageOf(ownId(other, path)), missing, path)
        assert.equal((await getOwn(other, `${path}/${ownId(other, path)}/lineage`)).status, 200)
      },
    ))

  it('does not follow references into another brand: those records are missing', async () => {
    const [run = {}] = model.recordsOf(one, resourceAt(catalog, 'production-runs'))
    const orderId = ownId(other, 'orders')
    await service.write(one, { 'production-runs': [{ ...run, id: idOf(2), orderId }] })
    const { status, body } = await getOwn(
      one,
      `production-runs/${idOf(2)}/lineage?first=${orderId}`,
    )
    assert.equal(status, 200)
    const record = body.records.find(({ id }: { id: string }) => id === orderId)
    assert.deepEqual([record.isMissing, record.record], [true, { id: orderId }])
  })
})

describe('a search', () => {
  it('finds what only one brand has with a key of that brand, and with no other', async () => {
    const name = 'Zephyrine'
    const [sample = {}] = model.recordsOf(other, resourceAt(catalog, 'tags'))
    await service.write(other, { tags: [{ ...sample, id: ownId(other, 'search'), name }] })
    const valuesOf = async (brand: Brand) => {
      const { body } = await getOwn(brand, `search?q=${name}`, { key: 'all' })
      return body.items.map(({ value }: { value: string }) => value)
    }
    assert.deepEqual(await valuesOf(other), [name])
    assert.deepEqual(await valuesOf(one), [])
    assert.deepEqual(await valuesOf('corvane'), [])
  })
})

describe('a cursor', () => {
  const orders = 'orders?sort=-orderDate&limit=1'
  const cursorOf = async (target: string, key: string): Promise<string> => {
    const { body, text } = await get(target, key)
    assert.ok(body.nextCursor, text)
    return body.nextCursor
  }
  const inQuery = (brand: string, rest: string) => `${queryBasePath}/brands/${brand}/${rest}`

  it('is refused for another brand, order, condition, collection and day', async () => {
    const view = 'inventory?view=incoming&limit=1'
    const [sample = {}] = model.recordsOf(one, resourceAt(catalog, 'inventory'))
    const incoming = [1, 2].map((number) => ({ ...sample, id: idOf(number), incomingQuantity: 5 }))
    await service.write(one, { inventory: incoming })
    for (const [from, to, different] of [
      [inQuery(other, orders), inQuery(one, orders), 'brand'],
      [inQuery(one, orders), inQuery(one, 'orders?sort=orderDate&limit=1'), 'sort'],
      [inQuery(one, orders), inQuery(one, 'orders?limit=1'), 'sort'],
      [inQuery(one, orders), inQuery(one, `${orders}&orderDate.gte=1990-01-01`), 'conditions'],
      [inQuery(one, 'order-items?limit=1'), inQuery(one, 'parent-products?limit=1'), 'collection'],
      [
        inQuery(one, `${view}&asOf=2026-06-01`),
        inQuery(one, `${view}&asOf=2026-06-02`),
        'conditions',
      ],
    ] as const) {
      const cursor = await cursorOf(from, 'all')
      const { status, body, text } = await get(`${to}&cursor=${cursor}`, 'all')
      assert.deepEqual([status, body.errorCode], [400, 'cursor_mismatch'], `${to} ${text}`)
      assert.deepEqual(body.details.different, [different], to)
      assertNothingIn(text, [other], to)
      assert.equal((await get(`${from}&cursor=${cursor}`, 'all')).status, 200, from)
    }
  })

  it('is refused by every other API', async () => {
    const list = `${basePath}/brands/${one}/orders?limit=1`
    const feed = `${feedBasePath}/brands/${one}/changes?limit=1`
    const sorted = inQuery(one, orders)
    for (const [from, to] of [
      [list, sorted],
      [list, inQuery(one, 'orders?limit=1')],
      [feed, sorted],
      [sorted, list],
      [inQuery(one, 'orders?limit=1'), list],
      [sorted, feed],
    ] as const) {
      const cursor = await cursorOf(from, one)
      const { status, text } = await get(`${to}&cursor=${cursor}`, one)
      assert.deepEqual([status, errorCode(text)], [400, 'invalid_cursor'], `${from} for ${to}`)
    }
  })

  it('is refused where there are no pages', async () => {
    const cursor = await cursorOf(inQuery(one, orders), one)
    for (const rest of ['orders/summary?', 'orders/download?format=csv', 'search?q=po', 'today?']) {
      const { status, body } = await get(inQuery(one, `${rest}&cursor=${cursor}`), one)
      assert.deepEqual([status, body.details[0].parameter], [400, 'cursor'], rest)
    }
  })
})

describe('the document of the query API', () => {
  it('is served without a key, and says nothing of any brand', async () => {
    const { status, text } = await get(`${queryBasePath}/openapi.json`, null)
    assert.equal(status, 200)
    for (const brand of brands) assert.ok(!text.includes(canaries[brand]))
    // The first brand is that of the examples.
    assertNothingIn(text, [other, 'corvane'], 'openapi.json')
  })
})
