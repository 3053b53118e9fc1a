/** No list of the query API has bytes of another brand, whatever it is asked for. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { queryBasePath, relationsOf } from '#contract'
import {
  assertNothingIn,
  type Brand,
  brands,
  openBrandsModel,
  writeBrands,
} from '../support/brands.ts'
import { lists } from '../support/model.ts'
import { openTestService, type TestResponse, type TestService } from '../support/service.ts'

const model = openBrandsModel()
let service: TestService
const keys = new Map<Brand, string>()

before(async () => {
  service = await openTestService({}, { story: false })
  await writeBrands(model, { store: service.records.store, images: service.images })
  for (const brand of brands) keys.set(brand, await service.key(brand))
})
after(() => service.close())

const ask = async (brand: Brand, rest: string): Promise<TestResponse> => {
  const url = `${queryBasePath}/brands/${brand}/${rest}`
  const answer = await service.get(url, { key: keys.get(brand) ?? '' })
  const others = brands.filter((other) => other !== brand)
  assertNothingIn(`${[...answer.headers].join('\n')}\n${answer.text}`, others, url)
  return answer
}

describe('a list of the query API', () => {
  it('has records of its own brand alone: sorted, ranged, by values, with views and includes', async () => {
    for (const brand of brands) {
      for (const resource of lists) {
        const { path, sortable, views, filters } = resource
        const own = model.expected(brand, resource).length
        const [first = '', ...others] = sortable
        const include = relationsOf(resource).map(({ name }) => name)
        const queries = [
          ...sortable.flatMap((field) => [`sort=${field}`, `sort=-${field}`]),
          ...(include.length > 0 ? [`sort=-${first}&include=${include.join()}`] : []),
          ...views.map(({ name }) => `view=${name}&asOf=2026-12-01`),
          ...filters
            .filter(({ field }) => field)
            .map(({ name }) => `${name}.in=x,y&sort=${others[0] ?? first}`),
        ]
        for (const query of queries) {
          const { status, body, text } = await ask(brand, `${path}?limit=100&${query}`)
          if (status !== 400) assert.equal(status, 200, text)
          if (query.startsWith('sort=') && !query.includes('include')) {
            assert.equal(body.totalItems, own, `${brand} ${path} ${query}`)
          }
        }
      }
    }
  })

  it('finds nothing by the identities of another brand', async () => {
    const [one, other] = brands
    for (const resource of lists.filter(
      ({ scope, key }) => scope === 'brand' && key.length === 1,
    )) {
      const ownIds = new Set(model.expected(one, resource).map(({ id }) => String(id)))
      const ids = model
        .expected(other, resource)
        .map(({ id }) => String(id))
        .filter((id) => !ownIds.has(id))
        .slice(0, 50)
      if (ids.length === 0) continue
      const { body } = await ask(one, `${resource.path}?ids=${ids.join()}`)
      assert.deepEqual([body.items, body.totalItems], [[], 0], resource.path)
      assert.deepEqual(body.missingIds, ids, resource.path)
    }
  })

  it('refuses the cursor of another brand', async () => {
    const [one, other] = brands
    let refused = 0
    for (const { path, sortable } of lists) {
      const query = `${path}?sort=-${sortable[0]}&limit=1`
      const { body } = await ask(other, query)
      if (body.nextCursor === null) continue
      const { status, body: error } = await ask(one, `${query}&cursor=${body.nextCursor}`)
      assert.deepEqual(
        [status, error.errorCode, error.details.different],
        [400, 'cursor_mismatch', ['brand']],
      )
      refused += 1
    }
    assert.ok(refused > 20)
  })
})
