/** Keys that may read some groups only, in requests that name a group in their path. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { basePath, catalog, operationsOf, queryBasePath } from '#contract'
import type { IssueRequest } from '#keys'
import { lineOf } from '../support/access-log.ts'
import { assertRefused, rights } from '../support/auth.ts'
import { until } from '../support/cluster.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('a key for some groups', () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
  })
  after(() => service.close())

  const issue = (changes: Partial<IssueRequest>) => service.records.keys.issue(rights(changes))
  const idOf = async (group: string) => (await service.get(`${group}?limit=1`)).body.items[0].id

  it('reads these, its brand and whoami, and gets 401 for every other operation', async () => {
    const { key } = await issue({ onlyGroups: ['domain:orders'], withoutGroups: ['order-items'] })
    for (const { path, resource } of operationsOf(catalog)) {
      const url = basePath + path.replace('{brand}', 'aldermoor').replace('{id}', 'x')
      const answer = await service.get(url, { key })
      const isReadable = resource.domain === 'orders' && resource.path !== 'order-items'
      if (isReadable || resource.path === 'brand') {
        assert.equal(answer.status, path.includes('{id}') ? 400 : 200, `${path} ${answer.text}`)
      } else assertRefused(answer, 'out_of_scope')
    }
    assert.equal((await service.get('/whoami', { key })).status, 200)
  })

  it('gets the same 401 from the query API', async () => {
    const { key } = await issue({ withoutGroups: ['orders'] })
    const id = await idOf('orders')
    const base = `${queryBasePath}/brands/aldermoor/orders`
    const urls = [base, `${base}/summary`, `${base}/download?format=csv`, `${base}/${id}/document`]
    for (const url of [...urls, `${base}/${id}/lineage`]) {
      assert.equal((await service.get(url)).status, 200, url)
      const { status, body } = await service.get(url, { key })
      assert.deepEqual([status, body.errorCode], [401, 'out_of_scope'], url)
    }
  })

  it('is judged before a cached response, and before parameters and records', async () => {
    const { key } = await issue({ onlyGroups: ['tags'] })
    const id = await idOf('orders')
    for (const path of ['orders?limit=7', `orders/${id}`]) {
      // The second and later ones come from the cache.
      for (let count = 1; count <= 4; count += 1) {
        const { status, headers } = await service.get(path)
        assert.equal(status, 200)
        assertRefused(await service.get(path, { key }), 'out_of_scope')
        const conditional = { key, headers: { 'if-none-match': headers.get('etag') ?? '' } }
        assertRefused(await service.get(path, conditional), 'out_of_scope')
      }
    }
    const missing = `orders/${id.slice(0, -4)}0000`
    for (const path of ['orders?limit=x', 'orders?nonsense=1', 'orders/x', missing]) {
      assertRefused(await service.get(path, { key }), 'out_of_scope')
    }
    const everywhere = await issue({ onlyGroups: ['tags'], brands: [], global: true })
    const nowhere = `${basePath}/brands/missing`
    assertRefused(await service.get(`${nowhere}/orders`, everywhere), 'out_of_scope')
    assert.equal((await service.get(`${nowhere}/tags`, everywhere)).status, 404)
    assert.equal((await service.get('no-such-group', { key })).status, 404)
  })

  it('pays for what it may not read, and is in the log', async () => {
    const { key, id } = await issue({ onlyGroups: ['tags'], perSecond: 0.001, burst: 3 })
    for (let count = 1; count <= 3; count += 1) {
      const answer = await service.get('orders', { key })
      assertRefused(answer, 'out_of_scope')
      const line = await lineOf(service, answer.headers.get('x-request-id'))
      assert.deepEqual([line['keyId'], line['errorCode']], [id, 'out_of_scope'])
    }
    for (const path of ['orders', 'tags']) {
      assert.equal((await service.get(path, { key })).status, 429)
    }
  })

  it('has other groups within a second after it was changed', async () => {
    const { key, id } = await issue({ onlyGroups: ['tags'] })
    const statusOf = async (group: string) => (await service.get(group, { key })).status
    assert.deepEqual([await statusOf('tags'), await statusOf('orders')], [200, 401])
    await service.records.keys.update(id, (old) => ({ ...old, onlyGroups: ['orders'] }))
    await until(async () => (await statusOf('orders')) === 200)
    assert.equal(await statusOf('tags'), 401)
    await service.records.keys.update(id, (old) => ({ ...old, onlyGroups: null }))
    await until(async () => (await statusOf('tags')) === 200)
    assert.equal(await service.records.keys.update('key_nobody', (old) => old), null)
  })
})
