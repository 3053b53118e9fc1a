/** How often an address may ask for what needs no key. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { openTestService } from '../support/service.ts'

describe('paths that need no key', () => {
  const limited = { PUBLIC_RATE_PER_SECOND: '0.1', PUBLIC_RATE_BURST: '5' }
  const from = (address: string) => ({ key: null, headers: { 'x-forwarded-for': address } })

  it('are limited by address, in the shape of every refusal', async (test) => {
    const service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1', ...limited })
    test.after(() => service.close())
    const paths = ['/api/public/v1/openapi.json', '/llms.txt', '/files/images/x/y', '/nothing', '/']
    for (const [index, path] of paths.entries()) {
      const address = `192.0.2.${index}`
      for (let count = 0; count < 5; count += 1) {
        assert.notEqual((await service.get(path, from(address))).status, 429, path)
      }
      const { status, body, headers } = await service.get(path, from(address))
      assert.deepEqual([status, body.errorCode], [429, 'rate_limited'], path)
      assert.match(body.error, /^Too many requests from this address to paths that need no key\./)
      assert.ok(Number(headers.get('retry-after')) >= 1)
      // Methods that are refused without a key count as well; probes and keys do not.
      const posted = await service.get(path, { ...from(address), method: 'POST' })
      assert.equal(posted.status, 429)
      for (const probe of ['/healthz', '/readyz']) {
        assert.equal((await service.get(probe, from(address))).status, 200)
      }
      const { headers: forwarded } = from(address)
      assert.equal((await service.get('tags', { headers: forwarded })).status, 200)
      const encoded = '/api/public/v1/brands/aldermoor/t%61gs'
      assert.equal((await service.get(encoded, { headers: forwarded })).status, 200)
      assert.equal((await service.get('tags', from(address))).status, 401)
    }
  })

  it('are limited for a network of IPv6 as for one client, and probes too in the end', async (test) => {
    const service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1', ...limited })
    test.after(() => service.close())
    const statuses: number[] = []
    for (let host = 1; host <= 6; host += 1) {
      statuses.push((await service.get('/llms.txt', from(`[2001:db8::${host}]:${host}`))).status)
    }
    assert.deepEqual(statuses, [200, 200, 200, 200, 200, 429])
    for (let count = 0; count < 50; count += 1) {
      assert.equal((await service.get('/healthz', from('192.0.2.1'))).status, 200)
    }
    assert.equal((await service.get('/healthz', from('192.0.2.1'))).status, 429)
  })

  it('serve a console and probes at once without being limited by default', async (test) => {
    const service = await openTestService({
      PUBLIC_RATE_PER_SECOND: '200',
      PUBLIC_RATE_BURST: '2000',
    })
    test.after(() => service.close())
    for (let count = 0; count < 500; count += 1) {
      assert.equal((await service.get('/llms.txt', { key: null })).status, 200)
    }
    assert.equal((await service.get('/healthz', { key: null })).status, 200)
  })
})
