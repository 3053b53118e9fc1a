/** What clients, pages and people without rights try with OAuth, and what becomes of it. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { catalog } from '#contract'
import { oauthPaths } from '#oauth'
import { rights } from '../support/auth.ts'
import { until } from '../support/cluster.ts'
import {
  allow,
  createRawClient,
  redirectUri,
  register,
  sendForm,
  ticketIn,
} from '../support/oauth.ts'
import { openTestService, type TestService } from '../support/service.ts'

/** Two processes of one server, as behind a load balancer. */
const issuer = 'http://localhost:1'
let service: TestService
let other: TestService
let key: string
before(async () => {
  service = await openTestService({ OAUTH: 'on', PUBLIC_URL: issuer })
  const { folder } = service
  other = await openTestService({ OAUTH: 'on', PUBLIC_URL: issuer }, { story: false, folder })
  key = await service.key('aldermoor')
})
after(async () => {
  await other.close()
  await service.close()
})

const newClient = (url = service.url) => createRawClient(url, { issuer })

/** What a browser sends with a form of the page itself. */
const ownPage = { origin: issuer, 'sec-fetch-site': 'same-origin' }

/** The same as `allow`, for the address that browsers reach this server at. */
const enterKey = (url: string, own = key) => sendForm(url, { key: own }, ownPage)

const keyFile = () => readFileSync(join(service.folder, 'selvedge.keys.db-wal')).toString('latin1')

describe('a code', () => {
  it('is valid once: used again, it ends the tokens that it was exchanged for', async () => {
    const client = await newClient()
    const code = await client.code(key)
    const first = await client.token({ code })
    assert.equal(first.status, 200)
    assert.equal(first.headers.get('cache-control'), 'no-store')
    assert.equal((await client.call(first.body.access_token)).status, 200)
    const second = await client.token({ code })
    assert.deepEqual([second.status, second.body.error], [400, 'invalid_grant'])
    assert.equal((await client.call(first.body.access_token)).status, 401)
    assert.equal((await client.refresh(first.body.refresh_token)).body.error, 'invalid_grant')
  })

  it('is refused with another verifier, redirect URI or client, and then not valid any more', async () => {
    const stranger = await newClient()
    const wrong: readonly { readonly [name: string]: string | undefined }[] = [
      { code_verifier: 'x'.repeat(43) },
      { code_verifier: 'short' },
      { redirect_uri: 'https://assistant.example/other' },
      { client_id: stranger.id },
    ]
    for (const changes of wrong) {
      const client = await newClient()
      const code = await client.code(key)
      const refused = await client.token({ code, ...changes })
      const shown = JSON.stringify(changes)
      assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'], shown)
      assert.equal((await client.token({ code })).body.error, 'invalid_grant', shown)
    }
  })

  it('is exchanged once by many requests at the same time, in two processes', async () => {
    const client = await newClient()
    const code = await client.code(key)
    const elsewhere = { ...client, token: (await createRawClient(other.url, { issuer })).token }
    const { id, verifier } = client
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        (index % 2 ? client : elsewhere).token({ code, client_id: id, code_verifier: verifier }),
      ),
    )
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })
})

describe('an access token', () => {
  it('reads the brands of its key alone, and counts for its key', async () => {
    const { access } = await (await newClient()).connect(key)
    const client = await newClient()
    const own = await client.call(access, 'list_records', { group: 'tags', limit: 1 })
    assert.equal(own.body.result.structuredContent.brand, 'aldermoor')
    const foreign = await client.call(access, 'list_records', { group: 'tags', brand: 'elsewhere' })
    assert.equal(JSON.parse(foreign.body.result.content[0].text).errorCode, 'out_of_scope')
    assert.match(own.headers.get('ratelimit') ?? '', /^"default";r=/)
  })

  it('is valid for /mcp alone, not for the API', async () => {
    const { access } = await (await newClient()).connect(key)
    for (const path of ['tags', '/whoami', '/api/query/v1/brands/aldermoor/orders']) {
      const { status, body } = await service.get(path, { key: access })
      assert.deepEqual([status, body.errorCode], [401, 'invalid_api_key'], path)
    }
  })

  it('is not valid on a server with another address', async () => {
    const elsewhere = await openTestService(
      { OAUTH: 'on', PUBLIC_URL: 'http://localhost:2' },
      { story: false, folder: service.folder },
    )
    try {
      const client = await newClient()
      const { access, refresh } = await client.connect(key)
      const foreign = await createRawClient(elsewhere.url, { issuer: 'http://localhost:2' })
      assert.equal((await foreign.call(access)).status, 401)
      const refreshed = {
        grant_type: 'refresh_token',
        refresh_token: refresh,
        client_id: client.id,
      }
      assert.equal((await foreign.token(refreshed)).body.error, 'invalid_grant')
      assert.equal((await client.call(access)).status, 200)
    } finally {
      await elsewhere.close()
    }
  })

  it('is valid in another process at once, and not any more when it is revoked there', async () => {
    const client = await newClient()
    const elsewhere = await createRawClient(other.url, { issuer })
    const { access, refresh } = await client.connect(key)
    assert.equal((await elsewhere.call(access)).status, 200)
    const stranger = await elsewhere.revoke(refresh)
    assert.deepEqual([stranger.status, stranger.body.error], [400, 'invalid_client'])
    const revoked = await sendForm(other.url + oauthPaths.revoke, {
      ...{ token: refresh, client_id: client.id },
    })
    assert.equal(revoked.status, 200)
    assert.equal((await elsewhere.call(access)).status, 401)
    let status = 200
    while (status === 200) status = (await client.call(access)).status
    assert.equal(status, 401)
    assert.equal((await client.revoke(refresh)).status, 200)
  })

  it('has its requests logged by the id of its key; no secret is logged or stored', async () => {
    const client = await newClient()
    const code = await client.code(key)
    const { body } = await client.token({ code })
    await client.call(body.access_token)
    await client.refresh(body.refresh_token)
    // A client may send them where they do not belong.
    for (const each of [code, body.access_token, body.refresh_token]) {
      await fetch(`${service.url}/healthz?x=${each}&y=${each.replace('_', '%5F')}`)
    }
    await until(() => service.logged.some((line) => line.includes('/healthz?x=slr_…')))
    const lines = service.logged.join('')
    assert.match(lines, /"keyId":"key_[\w-]+","route":"mcp.list_groups"/)
    for (const secret of [key, code, body.access_token, body.refresh_token]) {
      assert.ok(!lines.includes(secret.slice(0, 12)), `${secret.slice(0, 4)} is logged`)
      assert.ok(!keyFile().includes(secret.slice(30)), `${secret.slice(0, 4)} is stored`)
    }
  })
})

describe('a refresh token', () => {
  it('is replaced by each use; an old one that is used again ends all tokens', async () => {
    const client = await newClient()
    const first = await client.connect(key)
    const second = (await client.refresh(first.refresh)).body
    const third = (await client.refresh(second.refresh_token)).body
    assert.equal(new Set([first.refresh, second.refresh_token, third.refresh_token]).size, 3)
    assert.equal((await client.refresh(first.refresh)).body.error, 'invalid_grant')
    assert.equal((await client.refresh(third.refresh_token)).body.error, 'invalid_grant')
    assert.equal((await client.call(third.access_token)).status, 401)
  })

  it('leads to the same tokens for requests at the same time, in two processes', async () => {
    const client = await newClient()
    const { refresh } = await client.connect(key)
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        sendForm((index % 2 ? service : other).url + oauthPaths.token, {
          ...{ grant_type: 'refresh_token', refresh_token: refresh, client_id: client.id },
        }),
      ),
    )
    assert.deepEqual(
      answers.map(({ status }) => status),
      Array(6).fill(200),
    )
    const pairs = answers.map(({ body }) => `${body.access_token} ${body.refresh_token}`)
    assert.equal(new Set(pairs).size, 1)
    assert.equal((await client.call(answers[0]?.body.access_token)).status, 200)
  })
})

describe('a request for tokens', () => {
  it('that is wrong is refused in the form of RFC 6749', async () => {
    const client = await newClient()
    const cases: readonly [changes: { [name: string]: string | undefined }, error: string][] = [
      [{ grant_type: 'password' }, 'unsupported_grant_type'],
      [{ grant_type: undefined }, 'invalid_request'],
      [{ code: undefined }, 'invalid_request'],
      [{ code: 'x', client_id: undefined }, 'invalid_request'],
      [{ code: 'x', client_id: 'x.y' }, 'invalid_client'],
      [{ code: 'x', client_id: `${client.id}A` }, 'invalid_client'],
      [{ code: 'x', resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
      [{ code: 'x' }, 'invalid_grant'],
      [{ code: `slc_${'x'.repeat(65)}` }, 'invalid_grant'],
    ]
    for (const [changes, error] of cases) {
      const { status, body, headers } = await client.token(changes)
      assert.deepEqual([status, body.error], [400, error], JSON.stringify(changes))
      assert.equal(typeof body.error_description, 'string')
      assert.equal(headers.get('cache-control'), 'no-store')
    }
    const twice = new URLSearchParams([...Array(2)].map(() => ['grant_type', 'refresh_token']))
    assert.equal(
      (await sendForm(service.url + oauthPaths.token, twice)).body.error,
      'invalid_request',
    )
  })

  it('that is too long is refused, as a registration is', async () => {
    const long = 'x'.repeat(20_000)
    const client = await newClient()
    const token = await client.token({ code: long })
    assert.deepEqual([token.status, token.body.error], [413, 'invalid_request'])
    const registered = await register(service.url, {
      client_name: long,
      redirect_uris: [redirectUri],
    })
    assert.deepEqual([registered.status, registered.body.error], [413, 'invalid_request'])
    assert.equal((await enterKey(client.authorizeUrl(), long)).status, 413)
  })
})

describe('registrations', () => {
  it('take no room, however many there are, and are limited by address', async () => {
    const limited = await openTestService(
      { OAUTH: 'on', PUBLIC_RATE_BURST: '40', PUBLIC_RATE_PER_SECOND: '1' },
      { story: false },
    )
    try {
      const size = () =>
        limited.records.keyDatabase.read([
          { text: 'select count(*) from "selvedge_consents"', values: [] },
        ])
      const answers = await Promise.all(
        Array.from({ length: 60 }, () => register(limited.url, { redirect_uris: [redirectUri] })),
      )
      const statuses = answers.map(({ status }) => status)
      assert.ok(statuses.filter((status) => status === 201).length >= 40)
      assert.ok(statuses.filter((status) => status === 429).length >= 15)
      assert.deepEqual(await size(), [[[0]]])
    } finally {
      await limited.close()
    }
  })

  it('with unsafe redirect URIs are refused', async () => {
    const unsafe = ['http://a.example/x', 'javascript:alert(1)', 'https://a.example/#x', 'x', 5]
    for (const uri of [
      ...unsafe,
      'https://user@a.example/',
      `https://a.example/${'x'.repeat(600)}`,
    ]) {
      const { status, body } = await register(service.url, { redirect_uris: [uri] })
      assert.deepEqual([status, body.error], [400, 'invalid_redirect_uri'], String(uri))
    }
    for (const body of ['{', '[]', 'null', '{}']) {
      assert.equal((await register(service.url, body)).status, 400, body)
    }
  })
})

describe('the consent page', () => {
  it('leads to no address that the client has not registered', async () => {
    const client = await newClient()
    const pages = [
      { redirect_uri: 'https://evil.example/' },
      { redirect_uri: 'https://assistant.example/callback' },
      { client_id: 'unknown.client' },
      { client_id: undefined },
    ]
    for (const changes of pages) {
      for (const method of ['GET', 'POST']) {
        const page = await fetch(client.authorizeUrl(changes), { method, redirect: 'manual' })
        assert.equal(page.status, 400)
        assert.equal(page.headers.get('location'), null)
        assert.doesNotMatch(await page.text(), /href=/)
      }
    }
  })

  it('leads to a client by a decision of the person only, also to report an error', async () => {
    const client = await newClient()
    const cases: readonly [changes: { [name: string]: string | undefined }, error: string][] = [
      [{ response_type: 'token' }, 'unsupported_response_type'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ code_challenge_method: 'plain' }, 'invalid_request'],
      [{ code_challenge_method: undefined }, 'invalid_request'],
      [{ resource: 'https://elsewhere.example/mcp' }, 'invalid_target'],
      [{ state: 'x'.repeat(2_001) }, 'invalid_request'],
    ]
    for (const [changes, error] of cases) {
      const page = await fetch(client.authorizeUrl(changes), { redirect: 'manual' })
      assert.deepEqual([page.status, page.headers.get('location')], [400, null])
      const [, link = ''] = /href="([^"]+)"/.exec(await page.text()) ?? []
      const back = new URL(link.replaceAll('&#38;', '&'))
      assert.equal(back.origin, 'https://assistant.example')
      assert.equal(back.searchParams.get('from'), 'selvedge')
      assert.equal(back.searchParams.get('error'), error)
      assert.equal(back.searchParams.get('iss'), issuer)
    }
  })

  it('has neither scripts nor frames, and shows what a client calls itself as text', async () => {
    const name = '<script>alert(1)</script>\u202e"evil'
    const { body } = await register(service.url, {
      client_name: name,
      redirect_uris: [redirectUri],
    })
    const client = await newClient()
    const page = await fetch(client.authorizeUrl({ client_id: body.client_id }))
    const text = await page.text()
    assert.doesNotMatch(text, /<script|\u202e/)
    assert.match(text, /&#60;script&#62;/)
    assert.match(text, /assistant\.example/)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/)
    assert.match(policy, /frame-ancestors 'none'/)
    assert.match(policy, /form-action 'self'(;|$)/)
    assert.doesNotMatch(policy, /script-src|unsafe/)
    assert.equal(page.headers.get('x-frame-options'), 'DENY')
    assert.equal(page.headers.get('cache-control'), 'no-store')
    assert.equal(page.headers.get('set-cookie'), null)
  })

  it('shows the brands of the key before anything is allowed, and the key not at all', async () => {
    const client = await newClient()
    const { status, text } = await enterKey(client.authorizeUrl())
    assert.equal(status, 200)
    assert.match(text, /Aldermoor.*\(aldermoor\)/)
    assert.ok(!text.includes(key))
    const global = await enterKey(client.authorizeUrl(), await service.key())
    assert.match(global.text, /All brands/)
    const none = await enterKey(client.authorizeUrl(), await service.key('elsewhere'))
    assert.doesNotMatch(none.text, /aldermoor|elsewhere/)
  })

  it('shows the groups that the key is limited to, and does not promise all records', async () => {
    const client = await newClient()
    const all = /can read all records of these brands/
    assert.match((await enterKey(client.authorizeUrl())).text, all)
    const only = async (onlyGroups: readonly string[]) => {
      const { key: limited } = await service.records.keys.issue(rights({ onlyGroups }))
      return (await enterKey(client.authorizeUrl(), limited)).text
    }
    const few = await only(['orders', 'order-items'])
    assert.match(few, /<dd>Brand, Orders, Order Items<\/dd>/)
    assert.doesNotMatch(few, all)
    const paths = catalog.resources.map(({ path }) => path)
    assert.match(await only(paths), new RegExp(`, and ${paths.length - 20} more</dd>`))
  })

  it('speaks German to browsers that prefer it', async () => {
    const client = await newClient()
    const headers = { 'accept-language': 'fr, de-AT;q=0.9, en;q=0.5' }
    const text = await (await fetch(client.authorizeUrl(), { headers })).text()
    assert.match(text, /<html lang="de">/)
    assert.match(text, /API-Schlüssel/)
  })

  it('takes no decision from pages of other sites', async () => {
    const client = await newClient()
    const url = client.authorizeUrl()
    const { text } = await enterKey(url)
    const ticket = ticketIn(text)
    for (const headers of [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: issuer, 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'same-origin' },
      {},
    ] as { [name: string]: string }[]) {
      for (const fields of [{ ticket }, { key }] as {
        [name: string]: string
      }[]) {
        const refused = await sendForm(url, fields, headers)
        assert.deepEqual([refused.status, refused.headers.get('location')], [403, null])
      }
    }
  })

  it('accepts one decision, for the request that was shown alone', async () => {
    const client = await newClient()
    const { text } = await enterKey(client.authorizeUrl())
    const ticket = ticketIn(text)
    const [payload = '', signature = ''] = ticket.split('.')
    const forged = Buffer.from(
      Buffer.from(payload, 'base64url')
        .toString()
        .replace(/key_[\w-]+/, 'key_other'),
    ).toString('base64url')
    const attempts: readonly [url: string, ticket: string][] = [
      [client.authorizeUrl({ state: 'another' }), ticket],
      [client.authorizeUrl(), `${forged}.${signature}`],
      [client.authorizeUrl(), `${payload}.`],
      [client.authorizeUrl(), client.id],
    ]
    for (const [url, each] of attempts) {
      const refused = await sendForm(url, { ticket: each }, ownPage)
      assert.deepEqual([refused.status, refused.headers.get('location')], [400, null])
    }
    const allowed = await sendForm(client.authorizeUrl(), { ticket }, ownPage)
    assert.equal(allowed.status, 303)
    const again = await sendForm(client.authorizeUrl(), { ticket }, ownPage)
    assert.deepEqual([again.status, again.headers.get('location')], [400, null])
    assert.match(again.text, /This page was used already, or is too old\. Enter the key again\./)
  })

  it('has a link that reports to the client that a person has cancelled', async () => {
    const client = await newClient()
    const pages = [
      await (await fetch(client.authorizeUrl())).text(),
      (await enterKey(client.authorizeUrl())).text,
    ]
    for (const text of pages) {
      const [, link = ''] = /class="button" href="([^"]+)"/.exec(text) ?? []
      const back = new URL(link.replaceAll('&#38;', '&'))
      assert.equal(back.origin, 'https://assistant.example')
      assert.equal(back.searchParams.get('error'), 'access_denied')
      assert.equal(back.searchParams.get('state'), 'a state')
      assert.equal(back.searchParams.get('iss'), issuer)
      assert.equal(back.searchParams.get('code'), null)
    }
  })

  it('cannot be used to guess keys: failures count for the address', async () => {
    const limited = await openTestService({ OAUTH: 'on' }, { story: false })
    try {
      const client = await createRawClient(limited.url)
      const own = await limited.key('aldermoor')
      assert.equal((await allow(client.authorizeUrl(), own)).searchParams.get('iss'), limited.url)
      const wrong = await Promise.all(
        Array.from({ length: 80 }, () =>
          sendForm(client.authorizeUrl(), { key: 'slv_guess' }, { origin: limited.url }),
        ),
      )
      const statuses = new Set(wrong.map(({ status }) => status))
      assert.deepEqual([...statuses].sort(), [400, 429])
      assert.match(wrong[0]?.text ?? '', /role="alert"/)
      const refused = wrong.find(({ status }) => status === 429)
      assert.ok(Number(refused?.headers.get('retry-after')) > 0)
    } finally {
      await limited.close()
    }
  })
})
