/** Assistants without a key: the protocol's own client, and a person who enters a key once. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client'
import { type Era, eras, type Free, httpAgent } from '../support/agent.ts'
import { type Assistant, allow, createAssistant, createRawClient } from '../support/oauth.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let key: string
before(async () => {
  service = await openTestService({ OAUTH: 'on' })
  key = await service.key('aldermoor')
})
after(() => service.close())

const open = (assistant: Assistant, era: Era = 'handshake') => {
  const client = new Client(
    { name: 'test', version: '1.0.0' },
    { versionNegotiation: { mode: eras[era] } },
  )
  const transport = new StreamableHTTPClientTransport(new URL('/mcp', service.url), {
    authProvider: assistant,
  })
  return { client, transport, connect: () => client.connect(transport as never) }
}

/** Connects as a person does for the first time. */
const connect = async (assistant: Assistant, own = key, era?: Era): Promise<Client> => {
  const first = open(assistant, era)
  await assert.rejects(first.connect(), UnauthorizedError)
  const answer = await allow(assistant.sentTo().href, own)
  await first.transport.finishAuth(answer.searchParams)
  const second = open(assistant, era)
  await second.connect()
  return second.client
}

const brandsOf = async (client: Client): Promise<readonly string[]> => {
  const result = (await client.callTool({ name: 'list_groups', arguments: {} })) as Free
  return result.structuredContent.brands
}

describe('an assistant with the client of the protocol', () => {
  for (const era of ['handshake', 'stateless'] as const) {
    it(`finds the server, registers, is allowed by a person, and reads (${era})`, async () => {
      const assistant = createAssistant()
      const client = await connect(assistant, key, era)
      assert.deepEqual(await brandsOf(client), ['aldermoor'])
      const tokens = (await assistant.tokens()) as Free
      assert.match(tokens.access_token, /^sla_/)
      assert.equal(tokens.expires_in, 3_600)
      assert.equal(tokens.scope, 'records:read')
      await client.close()
    })
  }

  it('continues with its refresh token when its access token is not accepted any more', async () => {
    const assistant = createAssistant()
    const client = await connect(assistant)
    await client.close()
    const before = (await assistant.tokens()) as Free
    await assistant.saveTokens({ ...before, access_token: `${before.access_token.slice(0, -2)}xx` })
    const again = open(assistant)
    await again.connect()
    assert.deepEqual(await brandsOf(again.client), ['aldermoor'])
    const after = (await assistant.tokens()) as Free
    assert.notEqual(after.refresh_token, before.refresh_token)
    assert.notEqual(after.access_token, before.access_token)
    await again.client.close()
  })

  it('is sent to the person again once its key is revoked', async () => {
    const assistant = createAssistant()
    const rights = { expiresAt: null, perSecond: null, burst: null, global: false }
    const own = await service.records.keys.issue({ name: 'own', brands: ['aldermoor'], ...rights })
    const client = await connect(assistant, own.key)
    await client.close()
    await service.records.keys.revoke(own.id)
    await untilRefused(assistant)
    const again = open(assistant)
    await assert.rejects(again.connect(), UnauthorizedError)
    await assistant.invalidateCredentials?.('tokens')
    const answer = await allow(assistant.sentTo().href, key)
    await again.transport.finishAuth(answer.searchParams)
    const third = open(assistant)
    await third.connect()
    await third.client.close()
  })
})

/** Changes of keys are read within 0.4 s. */
const untilRefused = async (assistant: Assistant) => {
  const raw = await createRawClient(service.url)
  const { access_token: token } = (await assistant.tokens()) as Free
  for (;;) {
    const { status } = await raw.call(token)
    if (status === 401) return
  }
}

describe('the documents of OAuth', () => {
  const get = async (path: string): Promise<Free> => (await fetch(service.url + path)).json()

  it('name the resource, its authorization server and what that can do', async () => {
    const resource = await get('/.well-known/oauth-protected-resource/mcp')
    assert.deepEqual(resource, await get('/.well-known/oauth-protected-resource'))
    assert.equal(resource.resource, `${service.url}/mcp`)
    assert.deepEqual(resource.authorization_servers, [service.url])
    const issuer = await get('/.well-known/oauth-authorization-server')
    assert.equal(issuer.issuer, service.url)
    assert.deepEqual(issuer.code_challenge_methods_supported, ['S256'])
    assert.equal(issuer.authorization_response_iss_parameter_supported, true)
    for (const name of ['authorization', 'token', 'registration', 'revocation']) {
      assert.ok(issuer[`${name}_endpoint`].startsWith(`${service.url}/oauth/`), name)
    }
  })

  it('are named by 401 of /mcp, and by no other path', async () => {
    const raw = await createRawClient(service.url)
    const document = `resource_metadata="${service.url}/.well-known/oauth-protected-resource/mcp"`
    const missing = await raw.call(null)
    assert.equal(missing.status, 401)
    assert.equal(missing.headers.get('www-authenticate'), `Bearer ${document}`)
    for (const wrong of ['slv_wrong', 'sla_wrong', `sla_${'x'.repeat(65)}`]) {
      const { status, headers, body } = await raw.call(wrong)
      assert.equal(status, 401)
      assert.equal(body.errorCode, 'invalid_api_key')
      assert.equal(headers.get('www-authenticate'), `Bearer error="invalid_token", ${document}`)
    }
    const { headers } = await service.get('tags', { key: null })
    assert.equal(headers.get('www-authenticate'), 'Bearer')
    const listed = await raw.call(key)
    assert.deepEqual([listed.status, listed.headers.get('www-authenticate')], [200, null])
  })

  it('have the path of a PUBLIC_URL, and are not there where OAuth is off', async () => {
    const url = 'https://records.example.com/selvedge'
    const other = await openTestService({ OAUTH: 'on', PUBLIC_URL: url }, { story: false })
    const off = await openTestService({}, { story: false })
    try {
      const path = '/.well-known/oauth-authorization-server/selvedge'
      const issuer = (await (await fetch(other.url + path)).json()) as Free
      assert.equal(issuer.issuer, url)
      assert.equal(issuer.token_endpoint, `${url}/oauth/token`)
      const { headers } = await fetch(`${other.url}/mcp`, { method: 'POST' })
      const document =
        'https://records.example.com/.well-known/oauth-protected-resource/selvedge/mcp'
      assert.equal(headers.get('www-authenticate'), `Bearer resource_metadata="${document}"`)
      const served = await fetch(other.url + new URL(document).pathname)
      assert.equal(((await served.json()) as Free).resource, `${url}/mcp`)
      for (const each of ['/.well-known/oauth-protected-resource', '/oauth/authorize']) {
        assert.equal((await fetch(off.url + each)).status, 404, each)
      }
    } finally {
      await other.close()
      await off.close()
    }
  })
})

describe('an API key', () => {
  it('is still valid on /mcp by itself', async () => {
    const agent = await httpAgent(service.url, key)
    assert.deepEqual((await agent.ask('list_groups')).brands, ['aldermoor'])
    await agent.close()
  })
})
