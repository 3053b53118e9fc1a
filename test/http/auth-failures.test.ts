/** Failed authentication is limited for each address. */
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { generateKey } from '#keys'
import { assertRefused, rights } from '../support/auth.ts'
import { until } from '../support/cluster.ts'
import { type AskOptions, openTestService, type TestService } from '../support/service.ts'

/** How many failures of an address are let through again each second. */
const refillPerSecond = 5
const tags = `${basePath}/brands/aldermoor/tags`

describe('failed attempts', () => {
  const statusOf = async (service: TestService, options: AskOptions) =>
    (await service.get(tags, { key: null, ...options })).status

  /**
   * Sends failing requests until one is limited. Returns how many were let through, less those for
   * which the limit had refilled in the meantime.
   */
  const exhaust = async (service: TestService, options: AskOptions): Promise<number> => {
    const began = performance.now()
    for (let passed = 0; ; ) {
      const statuses = await Promise.all(
        Array.from({ length: 10 }, () => statusOf(service, options)),
      )
      passed += statuses.filter((status) => status !== 429).length
      const refilled = (refillPerSecond * (performance.now() - began)) / 1_000
      if (statuses.includes(429)) return passed - refilled
      assert.ok(passed - refilled < 1_000, 'there is no limit')
    }
  }

  describe('from a peer that is not a trusted proxy', () => {
    let service: TestService
    before(async () => {
      service = await openTestService({ TRUSTED_PROXIES: '10.0.0.0/8' })
    })
    after(() => service.close())

    it('are limited by its address, whatever it says of others', async () => {
      const wrong = { key: generateKey(randomBytes).key }
      const failures = await exhaust(service, wrong)
      assert.ok(failures <= 60, `${failures} attempts were let through`)
      for (const name of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'x-client-ip']) {
        const headers = { [name]: name === 'forwarded' ? 'for=192.0.2.1' : '192.0.2.1' }
        // The limit is used up already; another address would have one of its own.
        const more = await exhaust(service, { ...wrong, headers })
        assert.ok(more <= 20, `${more} more with ${name}`)
      }
    })

    it('are answered in shape, with a Retry-After that is kept', async () => {
      let limited = await service.get(tags, { key: null })
      while (limited.status !== 429) limited = await service.get(tags, { key: null })
      const { headers, body } = limited
      assert.equal(body.errorCode, 'rate_limited')
      assert.equal(headers.get('cache-control'), 'no-store')
      const seconds = Number(headers.get('retry-after'))
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 2, `${seconds} s`)
      await wait(seconds * 1_000)
      assert.equal(await statusOf(service, {}), 401)
    })

    it('do not touch good keys from the same address', async () => {
      await exhaust(service, {})
      for (let count = 0; count < 20; count += 1) {
        assert.equal((await service.get(tags)).status, 200)
      }
    })

    it('are not charged for a good key that asks for other brands: its own limit is', async () => {
      await exhaust(service, {})
      const path = `${basePath}/brands/birkholm/tags`
      const limits = { perSecond: 0.01, burst: 3 }
      const { id, key } = await service.records.keys.issue(rights(limits))
      for (const remaining of [2, 1, 0]) {
        const answer = await service.get(path, { key })
        assertRefused(answer, 'out_of_scope')
        assert.match(answer.headers.get('ratelimit') ?? '', new RegExp(`;r=${remaining};`))
      }
      for (const each of [path, tags]) {
        const { status, body, headers } = await service.get(each, { key })
        assert.deepEqual([status, body.errorCode], [429, 'rate_limited'])
        assert.match(body.error, /^The rate limit of 0\.01 requests a second is used up\./)
        assert.equal(headers.get('ratelimit-policy'), '"default";q=3;w=300')
      }
      const lines = (code: string) =>
        service.logged.filter(
          (line) => line.includes(`"keyId":"${id}"`) && line.includes(`"errorCode":"${code}"`),
        )
      await until(() => lines('rate_limited').length === 2)
      assert.equal(lines('out_of_scope').length, 3)
    })

    it('are not charged for a good key that asks for other brands: the address is not', async () => {
      const path = `${basePath}/brands/birkholm/tags`
      for (let count = 0; count < 100; count += 1) {
        assert.equal((await service.get(path)).status, 401)
      }
    })

    it('do not keep a key that was just issued from being looked for', async () => {
      await exhaust(service, {})
      const { key } = await service.records.keys.issue(rights())
      assert.equal((await service.get(tags, { key })).status, 200)
    })
  })

  describe('through a trusted proxy', () => {
    let service: TestService
    before(async () => {
      service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
    })
    after(() => service.close())

    const from = (address: string): AskOptions => ({ headers: { 'x-forwarded-for': address } })

    it('are limited by the address the proxy names', async () => {
      assert.ok((await exhaust(service, from('192.0.2.1'))) <= 60)
      assert.equal(await statusOf(service, from('192.0.2.2')), 401)
      assert.equal((await service.get(tags, from('192.0.2.1'))).status, 200)
    })

    it('are counted together for a network of IPv6, and whatever the port', async () => {
      for (const [what, address] of [
        ['hosts of a network', (host: number) => `2001:db8:1:2:${host.toString(16)}::${host}`],
        ['spellings of a network', (host: number) => `2001:0DB8:1:3::${host.toString(16)}`],
        ['ports of IPv4', (port: number) => `192.0.2.9:${40_000 + port}`],
        ['ports of IPv6', (port: number) => `[2001:db8:1:4::1]:${40_000 + port}`],
        ['IPv4 in IPv6', (port: number) => `[::ffff:192.0.2.10]:${40_000 + port}`],
        // A proxy in front of the trusted one, which writes ports too.
        ['proxies', (port: number) => `192.0.2.11:${port}, 127.0.0.1:${40_000 + port}`],
      ] as const) {
        const statuses = await Promise.all(
          Array.from({ length: 100 }, (_, index) => statusOf(service, from(address(index + 1)))),
        )
        assert.ok(statuses.includes(429), what)
      }
      assert.equal(await statusOf(service, from('2001:db8:1:5::1')), 401, 'the network beside it')
    })

    it('cannot hide behind addresses that the client itself put first', async () => {
      await exhaust(service, from('192.0.2.3'))
      for (const first of ['198.51.100.1', '198.51.100.2']) {
        const more = await exhaust(service, from(`${first}, 192.0.2.3`))
        assert.ok(more <= 20, `${more} more`)
      }
    })
  })
})
