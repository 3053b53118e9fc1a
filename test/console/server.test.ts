import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createAdminPage } from '#console'
import { basePath } from '#contract'
import { until } from '../support/cluster.ts'
import { openTestService, type TestService } from '../support/service.ts'

const other = {
  id: '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
  slug: 'birkholm',
  name: 'Birkholm',
  timezone: 'Asia/Shanghai',
  baseCurrencyCode: 'CNY',
}
const profiles = {
  aldermoor: {
    slug: 'aldermoor',
    name: 'Aldermoor',
    timezone: 'America/New_York',
    baseCurrency: 'USD',
  },
  birkholm: {
    slug: 'birkholm',
    name: 'Birkholm',
    timezone: 'Asia/Shanghai',
    baseCurrency: 'CNY',
  },
}

describe('the console, as the server sees it', () => {
  let service: TestService
  let key: string

  before(async () => {
    service = await openTestService()
    key = await service.key('aldermoor')
    const { body } = await service.get('')
    await service.write('birkholm', { brand: [{ ...body, ...other }] })
  })
  after(() => service.close())

  const page = async (path: string, headers: { [name: string]: string } = {}) =>
    fetch(service.url + path, { headers })

  const pages = [
    '/',
    '/brands/aldermoor',
    '/brands/aldermoor/orders?status=received',
    '/brands/aldermoor/orders/0465aaa1-f611-4100-8183-c96543dd62a3',
    '/brands/aldermoor/orders/0465aaa1-f611-4100-8183-c96543dd62a3/lineage',
    '/docs',
    '/guides',
    '/guides/tutorial/first-requests',
  ]
  for (const path of pages) {
    it(`${path} is a page that is never cached, with nothing inline`, async () => {
      const answer = await page(path)
      const text = await answer.text()
      assert.equal(answer.status, 200)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.equal(answer.headers.get('cache-control'), 'no-store')
      assert.match(
        answer.headers.get('content-security-policy') ?? '',
        /^default-src 'none'; .*script-src 'self'; connect-src 'self';/,
      )
      assert.doesNotMatch(text, /<script(?![^>]* src=)|<style|style=|(src|data)="https?:/)
    })
  }

  it('the pages of records allow no inline style either, and pictures of the storage alone', async () => {
    const policy = (await page('/')).headers.get('content-security-policy') ?? ''
    assert.match(policy, /style-src 'self'; img-src 'self' http:\/\/127\.0\.0\.1:\d+$/)
    assert.doesNotMatch(policy, /unsafe|\*/)
  })

  it('files carry the hash of what is in them, are kept for ever, and come compressed', async () => {
    const [, script = ''] =
      /src="(\/assets\/[\w-]+\.js)"/.exec(await (await page('/')).text()) ?? []
    for (const encoding of ['br', 'gzip', 'identity']) {
      const answer = await page(script, { 'accept-encoding': encoding })
      assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable')
      assert.equal(
        answer.headers.get('content-encoding'),
        encoding === 'identity' ? null : encoding,
      )
      assert.equal(answer.headers.get('content-type'), 'text/javascript; charset=utf-8')
      assert.match(await answer.text(), /react/i)
    }
    const { status } = await service.get('/assets/nothing.js')
    assert.equal(status, 404)
  })

  it('a browser gets a page at a path without anything, and every other client the error', async () => {
    const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
    const missing = ['/nothing', '/guides/nothing', '/brands/a/b/c/d/e', '/apis']
    for (const path of missing) {
      const answer = await page(path, { accept: browser })
      assert.equal(answer.status, 404)
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8')
      assert.match(answer.headers.get('vary') ?? '', /Accept,/)
      assert.equal(await answer.text(), await (await page('/')).text())
      for (const accept of ['application/json', '*/*', 'application/json, text/html;q=0']) {
        assert.equal((await service.get(path, { headers: { accept } })).body.errorCode, 'not_found')
      }
    }
    for (const path of ['/api', '/api/nothing', `${basePath}/brands/aldermoor/nothing`]) {
      const headers = { accept: browser }
      assert.equal((await service.get(path, { headers })).body.errorCode, 'not_found')
    }
    const posted = await service.get('/nothing', { method: 'POST', headers: { accept: browser } })
    assert.equal(posted.body.errorCode, 'not_found')
    await until(() => service.logged.some((line) => /"path":"\/nothing".*not_found/.test(line)))
  })

  it('the public port has nothing of the operator page', async () => {
    const admin = await createAdminPage()
    assert.ok(admin)
    const html = String(await admin.page().read(null))
    const names = [...html.matchAll(/"\/assets\/([\w.-]+)"/g)].map(([, name = '']) => name)
    assert.ok(names.length > 1)
    for (const name of names) {
      assert.ok(admin.asset(name), name)
      // What is the same in both builds, such as the mark, has the same name.
      const file = await page(`/assets/${name}`)
      assert.equal(file.status, /\.svg$/.test(name) ? 200 : 404, name)
    }
    for (const path of ['/admin/admin.html', '/admin.html', '/assets/../admin/admin.html']) {
      assert.equal((await service.get(path)).body.errorCode, 'not_found')
    }
    assert.doesNotMatch(await (await page('/')).text(), /admin/)
    assert.equal((await service.get('/api/session')).body.errorCode, 'not_found')
  })

  it('the reference names the OpenAPI documents that the server has, and no others', async () => {
    const linked = async (url: string) =>
      (await fetch(`${url}/docs`)).headers.get('link')?.match(/(?<=<)[^>]+/g) ?? []
    const always = ['/api/public/v1/openapi.json', '/api/query/v1/openapi.json']
    assert.deepEqual(await linked(service.url), always)
    for (const path of always) {
      const { 'x-tagGroups': areas } = (await service.get(path)).body
      assert.equal(areas.at(-1).name, 'Reference')
    }
    const more = await openTestService({ CHANGE_FEED: 'on' })
    try {
      assert.deepEqual(await linked(more.url), [...always, '/api/feed/v1/openapi.json'])
      for (const path of await linked(more.url)) {
        assert.equal((await fetch(more.url + path)).status, 200)
      }
    } finally {
      await more.close()
    }
  })

  it('other paths keep the responses of the API', async () => {
    for (const path of ['/nothing', '/assets/../package.json', '/assets/%2e%2e%2findex.html']) {
      assert.equal((await service.get(path)).body.errorCode, 'not_found')
    }
    assert.equal((await service.get('/', { method: 'POST' })).body.errorCode, 'method_not_allowed')
    assert.equal((await service.get('/docs', { method: 'PUT' })).status, 405)
    assert.equal((await service.get('/whoami', { method: 'DELETE' })).status, 405)
    assert.equal((await service.get('/nothing', { method: 'POST' })).status, 404)
  })

  describe('whoami', () => {
    it('lists the brands that a key may read with zones and currencies, and no others', async () => {
      const { status, body, headers } = await service.get('/whoami', { key })
      assert.equal(status, 200)
      assert.deepEqual(body, { brands: [profiles.aldermoor] })
      assert.equal(headers.get('cache-control'), 'no-store')
      assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+/)
    })

    it('lists every brand for a global key', async () => {
      const { body } = await service.get('/whoami', { key: await service.key() })
      assert.deepEqual(body, { brands: [profiles.aldermoor, profiles.birkholm] })
    })

    it('omits a brand that does not exist', async () => {
      const { body } = await service.get('/whoami', { key: await service.key('birkholm', 'gone') })
      assert.deepEqual(body, { brands: [profiles.birkholm] })
    })

    it('refuses as the API does, word for word', async () => {
      const api = `${basePath}/brands/aldermoor/tags`
      for (const wrong of [null, 'slv_nonsense', `${key}x`]) {
        const here = await service.get('/whoami', { key: wrong })
        const there = await service.get(api, { key: wrong })
        assert.deepEqual([here.status, here.body], [there.status, there.body])
        assert.equal(here.headers.get('www-authenticate'), there.headers.get('www-authenticate'))
      }
      const rights = { global: false, perSecond: null, burst: null }
      const over = await service.records.keys.issue({
        name: 'over',
        brands: ['aldermoor'],
        expiresAt: '2020-01-01T00:00:00.000Z',
        ...rights,
      })
      const { body } = await service.get('/whoami', { key: over.key })
      assert.equal(body.errorCode, 'expired_api_key')
    })

    it('takes from the same bucket as the API', async () => {
      const narrow = await openTestService({ RATE_PER_SECOND: '1', RATE_BURST: '2' })
      try {
        const mine = await narrow.key('aldermoor')
        await narrow.get('tags', { key: mine })
        await narrow.get('/whoami', { key: mine })
        const refused = await narrow.get('/whoami', { key: mine })
        assert.equal(refused.body.errorCode, 'rate_limited')
        assert.ok(Number(refused.headers.get('retry-after')) >= 1)
      } finally {
        await narrow.close()
      }
    })

    it('has a name in the log and in the metrics, and no key in either', async () => {
      await service.get('/whoami', { key })
      await page('/brands/aldermoor')
      const routes = () =>
        service.logged.map((line) => (JSON.parse(line) as { route?: string }).route)
      for (const route of ['whoami', 'console', 'consoleFile', 'reference', 'guides']) {
        await until(() => routes().includes(route))
      }
      const { body: metrics } = await service.metrics.text()
      assert.match(metrics, /operation="whoami"/)
      assert.ok(!service.logged.join('').includes(key))
      assert.ok(!metrics.includes(key))
    })
  })
})
