/** Which requests the server of the operator page refuses. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import {
  type AdminAsk,
  openTestAdmin,
  type SignedIn,
  type TestAdmin,
} from '../support/admin-service.ts'
import { until } from '../support/cluster.ts'
import { openTestService } from '../support/service.ts'

describe('the server of the operator page', () => {
  let admin: TestAdmin
  let browser: SignedIn
  before(async () => {
    admin = await openTestAdmin()
    browser = await admin.signIn()
  })
  after(() => admin.close())

  const refuses = (name: string, path: string, ask: AdminAsk, status: number, code: string) =>
    it(`refuses ${name}`, async () => {
      const answer = await browser.ask(path, ask)
      assert.equal(answer.status, status, answer.text)
      assert.equal(answer.body.errorCode, code)
      assert.equal(typeof answer.body.error, 'string')
      assert.match(String(answer.headers['x-request-id']), /^[\w-]+$/)
      // Nothing has happened: the session is still there.
      assert.equal((await browser.ask('/api/session')).status, 200)
    })
  const change = { method: 'DELETE' }
  const path = '/api/session'

  refuses('another Host', path, { headers: { host: 'evil.example' } }, 403, 'forbidden_host')
  refuses(
    'another Host for the page',
    '/',
    { headers: { host: 'evil.example:80' } },
    403,
    'forbidden_host',
  )
  refuses('a Host that is none', path, { headers: { host: 'a/b' } }, 403, 'forbidden_host')
  refuses(
    'a name that ends in localhost',
    path,
    { headers: { host: 'evil-localhost' } },
    403,
    'forbidden_host',
  )
  refuses(
    'a change without Origin',
    path,
    { ...change, headers: { origin: undefined } },
    403,
    'forbidden_origin',
  )
  refuses(
    'a change of another origin',
    path,
    { ...change, headers: { origin: 'http://evil.example' } },
    403,
    'forbidden_origin',
  )
  refuses(
    'a change of another port',
    path,
    { ...change, headers: { origin: 'http://127.0.0.1:1' } },
    403,
    'forbidden_origin',
  )
  refuses(
    'a change of a page without an origin',
    path,
    { ...change, headers: { origin: 'null' } },
    403,
    'forbidden_origin',
  )
  refuses(
    'a read of another origin',
    path,
    { headers: { origin: 'http://evil.example' } },
    403,
    'forbidden_origin',
  )
  refuses(
    'a change of another site',
    path,
    { ...change, headers: { 'sec-fetch-site': 'cross-site' } },
    403,
    'forbidden_origin',
  )
  refuses(
    'a read of another port',
    path,
    { headers: { 'sec-fetch-site': 'same-site' } },
    403,
    'forbidden_origin',
  )
  refuses(
    'a change without a CSRF token',
    path,
    { ...change, headers: { 'x-csrf-token': undefined } },
    403,
    'invalid_csrf_token',
  )
  refuses(
    'a change with a wrong CSRF token',
    path,
    { ...change, headers: { 'x-csrf-token': 'x'.repeat(43) } },
    403,
    'invalid_csrf_token',
  )
  refuses(
    'a change without the cookie',
    path,
    { ...change, headers: { cookie: undefined } },
    401,
    'signed_out',
  )
  refuses('a wrong cookie', path, { headers: { cookie: 'a=b' } }, 401, 'signed_out')
  refuses('an unknown path', '/api/nothing', {}, 404, 'not_found')
  refuses('a path that is not encoded', '/api/%E0%A4%A', {}, 404, 'not_found')
  refuses(
    'a method that a path does not have',
    path,
    { method: 'PATCH', body: {} },
    405,
    'method_not_allowed',
  )
  refuses('a change of a page', '/', { method: 'POST' }, 405, 'method_not_allowed')
  refuses('an unknown parameter', `${path}?x=1`, {}, 400, 'invalid_parameter')
  refuses('a repeated parameter', `${path}?x=1&x=2`, {}, 400, 'invalid_parameter')
  refuses(
    'a body that is too large',
    path,
    { method: 'POST', body: { token: 'x'.repeat(100_000) } },
    413,
    'body_too_large',
  )
  refuses('a body where none is', path, { ...change, body: {} }, 413, 'body_too_large')
  refuses(
    'a body that is no JSON',
    path,
    { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } },
    400,
    'malformed_request',
  )
  refuses(
    'a body that is not an object',
    path,
    { method: 'POST', body: [] },
    400,
    'malformed_request',
  )
  refuses(
    'a form',
    path,
    {
      method: 'POST',
      body: 'token=x',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    },
    415,
    'unsupported_media_type',
  )
  refuses(
    'an unknown field',
    path,
    { method: 'POST', body: { token: 'x', more: 1 } },
    400,
    'invalid_parameter',
  )

  it('says which methods a path has', async () => {
    const answer = await browser.ask('/api/session', { method: 'PATCH', body: {} })
    assert.equal(answer.headers['allow'], 'GET, POST, DELETE, HEAD')
  })

  it('is reached under any IP address and localhost, also through a tunnel', async () => {
    for (const host of ['localhost:9999', '127.0.0.1:9999', '[::1]:9999', '192.0.2.7']) {
      const answer = await browser.ask('/api/session', { headers: { host } })
      assert.equal(answer.status, 200, host)
      // The origin belongs to the Host that was asked.
      const foreign = await browser.ask('/api/session', { method: 'DELETE', headers: { host } })
      assert.equal(foreign.status, 403, host)
    }
  })

  it('lets no response be framed, sniffed, kept or referred from', async () => {
    for (const answer of [
      await browser.ask('/api/session'),
      await admin.ask('/api/session'),
      await admin.ask('/'),
      await admin.ask('/assets/nothing.js'),
      await admin.ask('/', { headers: { host: 'evil.example' } }),
    ]) {
      const { headers } = answer
      assert.match(String(headers['content-security-policy']), /default-src 'none'/)
      assert.match(String(headers['content-security-policy']), /frame-ancestors 'none'/)
      assert.doesNotMatch(String(headers['content-security-policy']), /https?:|\*|unsafe/)
      assert.equal(headers['x-frame-options'], 'DENY')
      assert.equal(headers['x-content-type-options'], 'nosniff')
      assert.equal(headers['referrer-policy'], 'no-referrer')
      assert.equal(headers['cache-control'], 'no-store')
      assert.equal(headers['access-control-allow-origin'], undefined)
    }
  })

  /** What comes back on a connection of its own. */
  const send = async (message: string): Promise<string> => {
    const { hostname, port } = new URL(admin.url)
    const socket = connect(Number(port), hostname)
    socket.end(message)
    let said = ''
    for await (const bytes of socket.setEncoding('utf8')) said += bytes
    return said
  }

  it('answers what is no HTTP, and two Host headers, with 400', async () => {
    for (const message of ['nonsense\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n']) {
      const said = await send(message)
      assert.match(said, /^HTTP\/1\.1 400 /)
      assert.match(said, /"errorCode":"malformed_request"/)
    }
  })

  it('takes no more connections than it has room for, and then again', async () => {
    const { hostname, port } = new URL(admin.url)
    const request = 'GET /api/session HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    const isServed = async () => /^HTTP\/1\.1 401 /.test(await send(request).catch(() => ''))
    assert.ok(await isServed())
    const sockets: Socket[] = []
    try {
      for (let opened = 0; opened < 200; opened += 1) {
        const socket = connect(Number(port), hostname)
        socket.on('error', () => undefined)
        sockets.push(socket)
        await once(socket, 'connect')
      }
      assert.equal(await isServed(), false)
    } finally {
      for (const socket of sockets) socket.destroy()
    }
    await until(isServed)
  })
})

describe('behind a proxy with TLS', () => {
  it('only the address of the proxy is served, and the cookie is for TLS only', async () => {
    const admin = await openTestAdmin({ ADMIN_URL: 'https://selvedge.example' })
    try {
      const own = { host: 'selvedge.example', origin: 'https://selvedge.example' }
      const link = await admin.sessions.issueLink('anna')
      for (const headers of [
        { ...own, host: '127.0.0.1' },
        { ...own, origin: 'http://selvedge.example' },
        { ...own, origin: 'https://selvedge.example:8443' },
      ]) {
        assert.equal((await admin.redeem(link.token, { headers })).status, 403)
      }
      const answer = await admin.redeem(link.token, { headers: own })
      assert.equal(answer.status, 200, answer.text)
      assert.match(
        answer.headers['set-cookie']?.[0] ?? '',
        /^__Host-selvedge-operator-[0-9a-f]{8}=[\w-]{59}; Path=\/; .*; Secure$/,
      )
    } finally {
      await admin.close()
    }
  })
})

describe('the public port beside the operator page', () => {
  it('has neither its operations nor its page', async () => {
    const service = await openTestService({ ADMIN_PORT: '0' }, { story: false })
    try {
      for (const method of ['GET', 'POST', 'DELETE']) {
        const answer = await fetch(`${service.url}/api/session`, { method })
        assert.equal(answer.status, 404, method)
        assert.match(await answer.text(), /"errorCode":"not_found"/)
      }
      const page = await fetch(`${service.url}/admin.html`)
      assert.equal(page.status, 404)
      await page.text()
    } finally {
      await service.close()
    }
  })
})
