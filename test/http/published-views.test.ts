/** The views of lists that an operator has published, as the query API shows them. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { catalog, publishedViewLimits, queryBasePath } from '#contract'
import { rights } from '../support/auth.ts'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const pathOf = (brand = 'aldermoor') => `${queryBasePath}/brands/${brand}/views`
const late = { name: 'Late <b>orders</b>', group: 'orders', query: 'view=late&sort=-totalAmount' }
const bySupplier = {
  name: 'Recent',
  group: 'orders',
  query: 'orderDate.gte=today-30&fields=id%2Cx.y',
}
/** The filter and the view name other groups: settlements, and those that the condition reads. */
const paid = {
  name: 'Paid',
  group: 'invoices',
  query: 'paymentId=1a0c3b1e-8d4f-4f0a-9c61-2f7f0e3b9d15',
}

describe('the published views of a brand', () => {
  let service: TestService
  let otherKey: string
  before(async () => {
    service = await openTestService()
    await service.write('other', { brand: [{ ...recordsAt('brand')[0], slug: 'other' }] as never })
    otherKey = await service.key('other')
  })
  after(() => service.close())

  const views = () => service.records.store.views
  const namesFor = async (key?: string): Promise<readonly string[]> => {
    const { status, body } = await service.get(pathOf(), key === undefined ? {} : { key })
    assert.equal(status, 200)
    return body.items.map(({ name }: { name: string }) => name)
  }

  it('are none at first, then those that were added, and change their tag', async () => {
    const first = await service.get(pathOf())
    assert.deepEqual(first.body, { items: [] })
    for (const view of [late, bySupplier, paid]) {
      assert.equal(await views().add('aldermoor', view), 'added')
    }
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    const second = await service.get(pathOf(), { headers })
    assert.deepEqual([second.status, second.body], [200, { items: [late, bySupplier, paid] }])
    const same = { 'if-none-match': second.headers.get('etag') ?? '' }
    const { status, text } = await service.get(pathOf(), { headers: same })
    assert.deepEqual([status, text], [304, ''])
  })

  it('are those of the brand only', async () => {
    assert.deepEqual((await service.get(pathOf('other'), { key: otherKey })).body, { items: [] })
    const refused = await service.get(pathOf(), { key: otherKey })
    assert.deepEqual([refused.status, refused.body.errorCode], [401, 'out_of_scope'])
    assert.equal((await service.get(pathOf(), { key: null })).status, 401)
  })

  it('are those whose groups the key may read, also the groups of their parameters', async () => {
    const issue = async (onlyGroups: readonly string[]) =>
      (await service.records.keys.issue(rights({ onlyGroups }))).key
    assert.deepEqual(await namesFor(await issue(['tags'])), [])
    const invoices = await issue(['invoices'])
    assert.deepEqual(await namesFor(invoices), [])
    const settled = await issue(['invoices', 'payment-settlements'])
    assert.deepEqual(await namesFor(settled), ['Paid'])
    const { views: defined } = catalog.resources.find(({ path }) => path === 'orders') ?? {}
    assert.ok(defined?.some(({ name }) => name === 'late'))
    const { etag } = Object.fromEntries((await service.get(pathOf())).headers)
    const limited = await service.get(pathOf(), {
      key: invoices,
      headers: { 'if-none-match': etag ?? '' },
    })
    assert.deepEqual([limited.status, limited.body], [200, { items: [] }])
  })

  it('are left out if their list cannot be read any more', async () => {
    await views().add('aldermoor', { name: 'Old', group: 'orders', query: 'nonsense=1' })
    await views().add('aldermoor', { name: 'Gone', group: 'no-such-group', query: '' })
    assert.deepEqual(await namesFor(), [late.name, 'Recent', 'Paid'])
  })

  it('are read without parameters, and not written', async () => {
    const refused = await service.get(`${pathOf()}?group=orders`)
    assert.deepEqual([refused.status, refused.body.errorCode], [400, 'invalid_parameter'])
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      const { status, body } = await service.get(pathOf(), { method })
      assert.deepEqual([status, body.errorCode], [405, 'method_not_allowed'], method)
    }
  })

  it('are all shown, also as many and as long ones as possible', async () => {
    const { perBrand, query } = publishedViewLimits
    const ids = Array.from(
      { length: 100 },
      (_, at) => `1a0c3b1e-8d4f-4f0a-9c61-${String(at).padStart(12, '0')}`,
    )
    const longest = `ids=${ids.join(',')}`.slice(0, query)
    const before = (await views().list('aldermoor')).length
    for (let at = before; at < perBrand; at += 1) {
      assert.equal(
        await views().add('aldermoor', { name: `Long ${at}`, group: 'orders', query: longest }),
        'added',
      )
    }
    assert.equal((await namesFor()).length, perBrand - 2)
  })
})
