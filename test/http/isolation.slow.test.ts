/** Whatever the request and its key: no response has bytes of another brand. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import {
  basePath,
  catalog,
  checkRecord,
  type Operation,
  operationsOf,
  relationsOf,
  resourceAt,
} from '#contract'
import type { DemoRecord } from '#demo'
import {
  assertNothingIn,
  type Brand,
  brandResources,
  brands,
  canaries,
  commonId,
  openBrandsModel,
  otherOf,
  ownFilterValues,
  ownId,
  pathOf,
  pictureOf,
  story,
  twins,
  writeBrands,
} from '../support/brands.ts'
import {
  type AskOptions,
  openTestService,
  type TestResponse,
  type TestService,
} from '../support/service.ts'

const operations = operationsOf(catalog)
const model = openBrandsModel()
const { expected, withIncluded } = model

let service: TestService
const keys = new Map<Brand | 'global', string>()

before(async () => {
  // Refusals are counted by address; each of them here has one of its own.
  service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' }, { story: false })
  await writeBrands(model, { store: service.records.store, images: service.images })
  for (const brand of brands) keys.set(brand, await service.key(brand))
  keys.set('global', await service.key())
})

after(() => service.close())

/** Asks for a path of a brand as the brand itself, and looks through every byte of the answer. */
const ask = async (
  brand: Brand,
  path: string,
  { as = brand, ...options }: AskOptions & { readonly as?: Brand | 'global' } = {},
): Promise<TestResponse> => {
  const key = keys.get(as) ?? ''
  const answer = await service.get(path, { key, ...options })
  assertNothingOf(
    brands.filter((other) => other !== brand),
    answer,
    path,
  )
  return answer
}

const assertNothingOf = (others: readonly Brand[], answer: TestResponse, where: string): void =>
  assertNothingIn(`${[...answer.headers].join('\n')}\n${answer.text}`, others, where)

const passing = new Set(['date', 'x-request-id', 'ratelimit'])

/** All that an answer tells, less what differs from one request to the next. */
const telling = ({ status, headers, text }: TestResponse) => ({
  status,
  headers: [...headers].filter(([name]) => !passing.has(name)),
  text,
})

let addresses = 0
/** From an address that no request has come from before. */
const elsewhere = (): AskOptions => {
  addresses += 1
  return { headers: { 'x-forwarded-for': `fd00:0:0:${addresses.toString(16)}::1` } }
}

const listing = operations.filter(({ endpoint }) => endpoint === 'list')
const getting = operations.filter(({ path }) => path.includes('{id}'))
const brandItself = resourceAt(catalog, 'brand')
const ofBrands = ({ resource }: Operation) => resource.scope === 'brand'
const ofAll = ({ resource }: Operation) => resource.scope === 'shared'

describe('the records of the brands', () => {
  it('are good records', () => {
    for (const brand of brands) {
      for (const resource of brandResources) {
        for (const record of model.recordsOf(brand, resource)) {
          assert.deepEqual(checkRecord(resource, record), [], `${brand} ${resource.path}`)
        }
      }
    }
  })

  it('share their ids, and are told apart by canaries wherever there is text', () => {
    let marked = 0
    for (const resource of brandResources) {
      const [ours = [], theirs = []] = twins.map((brand) => model.recordsOf(brand, resource))
      const idOf = (record: DemoRecord) => resource.key.map((name) => record[name]).join(' ')
      const common = ours.filter((record) => theirs.some((each) => idOf(each) === idOf(record)))
      assert.ok(common.length > 0, resource.path)
      if (JSON.stringify(ours).includes(canaries.aldermoor)) marked += 1
    }
    assert.ok(marked > brandResources.length / 2, `${marked} collections hold a canary`)
  })

  it('are asked for through every operation', () => {
    const brandItself = operations.filter(({ resource }) => resource.path === 'brand')
    assert.equal(listing.length + getting.length + brandItself.length, operations.length)
  })
})

describe('each brand', () => {
  for (const operation of listing) {
    const { id, resource } = operation
    it(`${id} lists a brand's own records, all of them and no other`, async () => {
      for (const brand of brands) {
        const all = expected(brand, resource)
        const page = all.slice(0, 100)
        const plain = await ask(brand, `${pathOf(operation, brand)}?limit=100`)
        assert.deepEqual(plain.body.items, page)
        assert.equal(plain.body.totalItems, all.length)
        assert.equal(plain.body.nextCursor === null, all.length <= 100)

        const names = relationsOf(resource).map(({ name }) => name)
        if (names.length === 0) continue
        const path = `${pathOf(operation, brand)}?limit=100&include=${names.join(',')}`
        const included = await ask(brand, path)
        assert.deepEqual(
          included.body.items,
          page.map((record) => withIncluded(brand, resource, record)),
        )
      }
    })
  }

  for (const operation of getting.filter(({ endpoint }) => endpoint === 'get')) {
    const { id, resource } = operation
    it(`${id} shows a brand its own record under an id that others have too`, async () => {
      const names = relationsOf(resource).map(({ name }) => name)
      for (const brand of ofAll(operation) ? brands : twins) {
        const record = expected(brand, resource).find(
          (each) => each[resource.key[0] ?? ''] === commonId(operation),
        )
        assert.ok(record)
        const path = pathOf(operation, brand, commonId(operation))
        assert.deepEqual((await ask(brand, path)).body, record)
        if (names.length === 0) continue
        const included = await ask(brand, `${path}?include=${names.join(',')}`)
        assert.deepEqual(included.body, withIncluded(brand, resource, record))
      }
    })
  }

  it('sees itself', async () => {
    for (const brand of brands) {
      const { body } = await ask(brand, `${basePath}/brands/${brand}`)
      assert.deepEqual(body, expected(brand, brandItself)[0])
    }
  })

  it("a reference to another brand's record leads nowhere", async () => {
    let dangling = 0
    for (const operation of getting.filter(ofBrands)) {
      const { resource, endpoint } = operation
      const relations = relationsOf(resource).filter(
        ({ to }) => catalog.byPath.get(to)?.scope === 'brand',
      )
      if (endpoint !== 'get' || relations.length === 0) continue
      const names = relations.map(({ name }) => name).join(',')
      const path = pathOf(operation, 'corvane', ownId('aldermoor', resource.path))
      const { body } = await ask('corvane', `${path}?include=${names}`)
      for (const { name, field, to } of relations) {
        assert.equal(body[name], null, `${resource.path}.${name}`)
        if (body[field] === null) continue
        assert.equal(body[field], ownId('birkholm', to))
        dangling += 1
      }
    }
    assert.ok(dangling > 50, `${dangling} references were tried`)
  })
})

describe("another brand's records", () => {
  for (const operation of getting.filter(ofBrands)) {
    it(`${operation.id} answers for them as for what was never there`, async () => {
      const { path } = operation.resource
      for (const brand of twins) {
        const foreign = pathOf(operation, brand, ownId(otherOf[brand], path))
        const never = pathOf(operation, brand, randomUUID())
        for (const as of [brand, 'global'] as const) {
          const [got, nothing] = [
            await ask(brand, foreign, { as }),
            await ask(brand, never, { as }),
          ]
          assert.equal(got.status, 404)
          assert.deepEqual(telling(got), telling(nothing))
        }
        // The record is there for the brand that has it.
        const own = pathOf(operation, otherOf[brand], ownId(otherOf[brand], path))
        assert.equal((await ask(otherOf[brand], own)).status, 200)
      }
    })
  }

  for (const operation of listing.filter(({ resource }) => resource.filters.length > 0)) {
    const { id, resource } = operation
    it(`${id} finds nothing by what only they hold`, async () => {
      for (const brand of twins) {
        const other = otherOf[brand]
        const theirs = model.recordsOf(other, resource).at(-1)
        for (const [name, value] of ownFilterValues(other, resource, theirs)) {
          const query = `?${name}=${encodeURIComponent(value)}`
          const { status, body } = await ask(brand, pathOf(operation, brand) + query)
          assert.equal(status, 200)
          assert.deepEqual(body, { items: [], nextCursor: null, totalItems: 0 }, query)
        }
      }
    })
  }

  it('are found by the same filters where they belong', async () => {
    let tried = 0
    for (const operation of listing.filter(ofBrands)) {
      const { resource } = operation
      for (const { name, field, through } of resource.filters) {
        const to = through
          ? catalog.byPath.get(through.collection)?.fields[through.where]?.to
          : resource.fields[field ?? '']?.to
        if (to === undefined || catalog.byPath.get(to)?.scope !== 'brand') continue
        const [first] = story[resource.path] ?? []
        if (field && first?.[field] === null) continue
        for (const brand of twins) {
          const query: string = `?${name}=${ownId(brand, to)}`
          const { body } = await ask(brand, pathOf(operation, brand) + query)
          // The brand itself is one and the same id for both.
          const all: number = to === 'brand' ? expected(brand, resource).length : 1
          assert.equal(body.totalItems, all, `${resource.path}${query}`)
          tried += 1
        }
      }
    }
    assert.ok(tried > 200, `${tried} filters were tried`)
  })
})

describe('cursors and tags', () => {
  for (const operation of listing) {
    it(`${operation.id} refuses the cursor of another brand`, async () => {
      const own = `${pathOf(operation, 'aldermoor')}?limit=1`
      const { nextCursor } = (await ask('aldermoor', own)).body
      assert.equal(typeof nextCursor, 'string')
      const again = await ask('aldermoor', `${own}&cursor=${nextCursor}`)
      assert.equal(again.status, 200)
      for (const as of ['birkholm', 'global'] as const) {
        const path = `${pathOf(operation, 'birkholm')}?limit=1&cursor=${nextCursor}`
        const { status, body } = await ask('birkholm', path, { as })
        assert.deepEqual(
          { status, errorCode: body.errorCode, details: body.details },
          { status: 400, errorCode: 'cursor_mismatch', details: { different: ['brand'] } },
        )
      }
    })
  }

  for (const operation of operations) {
    it(`${operation.id} has a tag for each brand, and none is good for another`, async () => {
      const tagFor = async (brand: Brand) =>
        (await ask(brand, pathOf(operation, brand, commonId(operation)))).headers.get('etag') ?? ''
      const tags = { aldermoor: await tagFor('aldermoor'), birkholm: await tagFor('birkholm') }
      assert.notEqual(tags.aldermoor, tags.birkholm)
      for (const brand of twins) {
        const path = pathOf(operation, brand, commonId(operation))
        const foreign = tags[otherOf[brand]]
        for (const as of [brand, 'global'] as const) {
          const headers = { 'if-none-match': foreign }
          assert.equal((await ask(brand, path, { as, headers })).status, 200)
        }
        // The address of an image is another one every second.
        if (operation.endpoint === 'content') continue
        const own = await ask(brand, path, { headers: { 'if-none-match': tags[brand] } })
        assert.equal(own.status, 304)
      }
    })
  }
})

describe('images', () => {
  const content = operations.find(({ endpoint }) => endpoint === 'content')
  const linkOf = async (brand: Brand, id: string): Promise<string> => {
    assert.ok(content)
    return (await ask(brand, pathOf(content, brand, id))).body.url
  }

  it('an address leads to the picture of its own brand, though the id is the same', async () => {
    assert.ok(content)
    for (const brand of twins) {
      const response = await fetch(await linkOf(brand, commonId(content)))
      assert.equal(response.status, 200)
      assert.equal(await response.text(), pictureOf(brand))
    }
  })

  it('an address changed to another brand leads nowhere', async () => {
    assert.ok(content)
    for (const brand of twins) {
      const link = await linkOf(brand, commonId(content))
      const response = await fetch(link.replace(`/${brand}/`, `/${otherOf[brand]}/`))
      assert.equal(response.status, 403)
      const text = await response.text()
      assert.ok(!text.includes('the picture'))
      assert.equal(JSON.parse(text).errorCode, 'invalid_link')
    }
  })
})

describe('keys', () => {
  for (const operation of operations) {
    it(`${operation.id} tells a brand's key nothing of other brands`, async () => {
      const id = commonId(operation)
      for (const brand of twins) {
        const refuse = async (slug: string) => {
          const path = pathOf(operation, slug, id)
          const answer = await service.get(path, { key: keys.get(brand) ?? '', ...elsewhere() })
          assertNothingOf(brands, answer, path)
          return telling(answer)
        }
        const other = await refuse(otherOf[brand])
        const nobody = await refuse('nobody')
        assert.equal(other.status, 401)
        assert.equal(JSON.parse(other.text).errorCode, 'out_of_scope')
        assert.deepEqual(other, nobody)
      }
    })
  }

  for (const operation of operations) {
    it(`${operation.id} serves every brand to a global key, and no brand that is not there`, async () => {
      const key = keys.get('global') ?? ''
      for (const brand of twins) {
        const path = pathOf(operation, brand, commonId(operation))
        assert.equal((await ask(brand, path, { as: 'global' })).status, 200)
      }
      const path = pathOf(operation, 'nobody', commonId(operation))
      const { status, body } = await service.get(path, { key })
      assert.deepEqual([status, body.errorCode], [404, 'not_found'])
    })
  }

  const oddSlugs = [
    'ALDERMOOR',
    'aldermoor%20',
    '%20aldermoor',
    'aldermoor%00',
    'aldermoor%2F..%2Fbirkholm',
    '*',
    '%2A',
    '%25',
    '_',
    '__proto__',
    'constructor',
    'birkholm%00aldermoor',
    '%F0%9F%A7%B5',
    'a'.repeat(1_000),
  ]
  for (const slug of oddSlugs) {
    it(`the brand ${slug.slice(0, 30)} does not exist`, async () => {
      const path = `${basePath}/brands/${slug}/units-of-measure`
      const key = keys.get('aldermoor') ?? ''
      const refused = await service.get(path, { key, ...elsewhere() })
      assert.deepEqual([refused.status, refused.body.errorCode], [401, 'out_of_scope'])
      const sought = await service.get(path, { key: keys.get('global') ?? '' })
      assert.deepEqual([sought.status, sought.body.errorCode], [404, 'not_found'])
    })
  }

  it('a key of two brands reads both and no third', async () => {
    const key = await service.key('aldermoor', 'corvane')
    const statusOf = async (brand: Brand) => {
      const path = `${basePath}/brands/${brand}/tags`
      return (await service.get(path, { key, ...elsewhere() })).status
    }
    assert.deepEqual(await Promise.all(brands.map(statusOf)), [200, 401, 200])
  })
})

describe('what all brands share', () => {
  for (const operation of operations.filter(ofAll)) {
    it(`${operation.id} answers every brand with the same bytes`, async () => {
      const texts = await Promise.all(
        brands.map(async (brand) => {
          const path = pathOf(operation, brand, commonId(operation))
          const { status, text } = await ask(brand, path)
          assert.equal(status, 200)
          // A cursor is a brand's own.
          return text.replace(/"nextCursor":"[^"]+"/, '"nextCursor":"…"')
        }),
      )
      assert.equal(new Set(texts).size, 1)
    })

    it(`${operation.id} still asks for a key of the brand in the path`, async () => {
      const path = pathOf(operation, 'birkholm', commonId(operation))
      for (const key of [null, keys.get('aldermoor') ?? '']) {
        assert.equal((await service.get(path, { key, ...elsewhere() })).status, 401)
      }
    })
  }
})

it('1,200 requests of three brands at once are never mixed up', async () => {
  const lists = listing.filter(ofBrands)
  let turn = 0
  const walk = async () => {
    while (turn < 1_200) {
      const mine = turn
      turn += 1
      const brand = brands[mine % brands.length] ?? 'aldermoor'
      const operation = lists[mine % lists.length]
      assert.ok(operation)
      const as = mine % 2 === 0 ? brand : 'global'
      const { status, body } = await ask(brand, pathOf(operation, brand), { as })
      assert.equal(status, 200)
      assert.equal(body.totalItems, expected(brand, operation.resource).length)
    }
  }
  await Promise.all(Array.from({ length: 50 }, walk))
})

it('the log and its brands hold nothing of the records', () => {
  const log = service.logged.join('')
  for (const trace of [...Object.values(canaries), ...keys.values()]) {
    assert.ok(!log.includes(trace))
  }
})
