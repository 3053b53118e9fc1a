/** Links to downloads: what they give, to whom, and what is known of them afterwards. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { linksPath, queryBasePath } from '#contract'
import type { IssueRequest } from '#keys'
import { issueLink } from '#operator'
import { rights } from '../support/auth.ts'
import { until } from '../support/cluster.ts'
import { openTestService, type TestService } from '../support/service.ts'

describe('a link to a download', () => {
  let service: TestService
  before(async () => {
    service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
  })
  after(() => service.close())

  const issue = async (
    changes: Partial<IssueRequest> = {},
    download = 'tags?format=csv&labels=en',
    expires?: string,
  ) => {
    const { keys, links, store } = service.records
    const key = await keys.issue(rights({ brands: ['aldermoor'], ...changes }))
    const parts = { keys, links, store, now: Date.now }
    const link = await issueLink(parts, {
      ...{ keyId: key.id, brand: 'aldermoor', download },
      ...(expires && { expires }),
    })
    return { key, link }
  }
  const ask = async (
    token: string,
    { method = 'GET', address = '203.0.113.1', rest = '' } = {},
  ) => {
    const response = await fetch(`${service.url}${linksPath}/${token}${rest}`, {
      method,
      headers: { 'x-forwarded-for': address },
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it('gives what the download gives, without a header, and is not kept', async () => {
    const { link, key } = await issue()
    const { status, headers, text } = await ask(link.token)
    assert.equal(status, 200, text)
    const path = `${service.url}${queryBasePath}/brands/aldermoor/tags/download?format=csv&labels=en`
    const own = await fetch(path, { headers: { authorization: `Bearer ${key.key}` } })
    assert.equal(text, await own.text())
    assert.match(text, /^Name,Code,/)
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.equal(headers.get('referrer-policy'), 'no-referrer')
    assert.match(headers.get('content-disposition') ?? '', /^attachment; filename="tags-aldermoor-/)
    const head = await ask(link.token, { method: 'HEAD' })
    assert.deepEqual([head.status, head.text], [200, ''])
    assert.equal(head.headers.get('total-items'), headers.get('total-items'))
  })

  it('gives nothing else: parameters of a request change nothing, and no path takes it as a key', async () => {
    const { link } = await issue()
    const { text } = await ask(link.token)
    assert.equal((await ask(link.token, { rest: '?format=ndjson&code=x' })).text, text)
    assert.equal((await ask(link.token, { rest: '/orders' })).status, 404)
    assert.equal((await ask(link.token, { method: 'POST' })).status, 405)
    const { status } = await service.get('tags', { key: link.token })
    assert.equal(status, 401)
  })

  it('is refused alike when unknown, expired, removed, or no longer in the scope of its key', async () => {
    const { keys, links } = service.records
    const refusals: readonly [string, (token: string) => Promise<string>][] = [
      ['unknown', async (token) => token.replace(/.{7}$/, '_000000')],
      ['malformed', async () => 'x'],
      ['a key', async () => (await issue()).key.key],
      [
        'removed',
        async () => {
          const { link } = await issue()
          await links.remove(link.id)
          return link.token
        },
      ],
      [
        'expired',
        async () => {
          const { link } = await issue({}, 'tags?format=csv', '1s')
          await until(() => Date.parse(link.expiresAt) <= Date.now())
          return link.token
        },
      ],
      [
        'of a revoked key',
        async () => {
          const { link, key } = await issue()
          assert.equal((await ask(link.token)).status, 200)
          await keys.revoke(key.id)
          await until(async () => (await ask(link.token)).status !== 200)
          return link.token
        },
      ],
      [
        'of a key that lost the brand',
        async () => {
          const { link, key } = await issue()
          await keys.update(key.id, (each) => ({ ...each, brands: ['halden'] }))
          await until(async () => (await ask(link.token)).status !== 200)
          return link.token
        },
      ],
      [
        'of a key that lost the group',
        async () => {
          const { link, key } = await issue()
          await keys.update(key.id, (each) => ({ ...each, onlyGroups: ['orders'] }))
          await until(async () => (await ask(link.token)).status !== 200)
          return link.token
        },
      ],
      [
        'from another address',
        async () => (await issue({ addresses: ['198.51.100.0/24'] })).link.token,
      ],
    ]
    const { link } = await issue()
    const bodies = new Set<string>()
    for (const [index, [what, tokenOf]] of refusals.entries()) {
      const token = await tokenOf(link.token)
      const { status, headers, text } = await ask(token, { address: `203.0.113.${10 + index}` })
      assert.equal(status, 404, what)
      assert.equal(headers.get('cache-control'), 'no-store', what)
      assert.equal(headers.get('referrer-policy'), 'no-referrer', what)
      bodies.add(text)
    }
    assert.equal(bodies.size, 1, [...bodies].join('\n'))
  })

  it('shows nothing that its key may not read', async () => {
    const download = 'orders?format=csv&labels=en&fields=orderNumber,supplierId'
    const whole = await ask((await issue({}, download)).link.token)
    const limited = await ask((await issue({ withoutGroups: ['suppliers'] }, download)).link.token)
    const named = (text: string) => text.split('\r\n').filter((line) => !/[0-9a-f]{8}$/.test(line))
    assert.ok(named(whole.text).filter(Boolean).length > 1)
    assert.deepEqual(named(limited.text).filter(Boolean), ['Order number,Supplier'])
  })

  it('counts for its key, and a wrong token for the address', async () => {
    const { link, key } = await issue({ perSecond: 0.001, burst: 2 })
    const statuses: number[] = []
    for (let count = 0; count < 3; count += 1) statuses.push((await ask(link.token)).status)
    assert.deepEqual(statuses, [200, 200, 429])
    await until(async () => {
      const all = await service.records.keys.list()
      return all.some(({ id }) => id === key.id)
    })
    const address = '192.0.2.200'
    let limited = false
    for (let count = 0; count < 80 && !limited; count += 1) {
      limited = (await ask(`sll_${count}`, { address })).status === 429
    }
    assert.ok(limited)
    const { link: good } = await issue()
    assert.equal((await ask(good.token, { address })).status, 200)
  })

  it('is in no log, no metric, no table and no entry, though its key and brand are', async () => {
    const { link, key } = await issue()
    await ask(link.token)
    await ask(encodeURIComponent(link.token).replace('_', '%5f'))
    await ask(link.token.replace(/.$/, link.token.endsWith('a') ? 'b' : 'a'))
    await ask(link.token, { rest: '/more' })
    const secret = link.token.slice(4, 30)
    const lineOf = () =>
      service.logged.find((each) => each.includes(key.id) && each.includes('downloadLink'))
    await until(() => lineOf() !== undefined)
    const line = lineOf()
    assert.match(String(line), /"brand":"aldermoor"/)
    assert.match(String(line), /"path":"\/links\/sll_…"/)
    assert.ok(service.logged.length > 4)
    assert.ok(!service.logged.join('').includes(secret))
    const metrics = await fetch(`${service.url}/metrics`)
    assert.ok(!(await metrics.text()).includes(secret))
    const files = readdirSync(service.folder).filter((name) => name.includes('.db'))
    assert.ok(files.length > 1)
    for (const name of files) {
      assert.ok(!readFileSync(join(service.folder, name)).includes(secret), name)
    }
  })

  it('is issued only for what its key may download', async () => {
    const cases: readonly [Partial<IssueRequest>, string, RegExp][] = [
      [{}, 'tags?format=xls', /format names "xls"/],
      [{}, 'tags', /format is missing/],
      [{}, 'nothing?format=csv', /"nothing" is not a list/],
      [{ onlyGroups: ['orders'] }, 'tags?format=csv', /tags/],
      [{ brands: ['halden'] }, 'tags?format=csv', /may not read the brand aldermoor/],
      [{}, `tags?format=csv&code=${'x'.repeat(4_000)}`, /more than 4000 characters/],
    ]
    for (const [changes, download, reason] of cases) {
      await assert.rejects(issue(changes, download), reason, download)
    }
    const address = `https://records.example${queryBasePath}/brands/aldermoor/tags/download?format=csv`
    assert.equal((await ask((await issue({}, address)).link.token)).status, 200)
  })
})
