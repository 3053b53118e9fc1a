/** Messages over HTTP: batches, limits, cost, and keys for several brands. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { messageBudget } from '#mcp'
import { type Free, httpAgent } from '../support/agent.ts'
import { type Agents, listing, openAgents, order } from '../support/mcp-agents.ts'
import { openTestService, type TestService } from '../support/service.ts'

let agents: Agents
let service: TestService
before(async () => {
  agents = await openAgents()
  service = agents.service
})
after(() => agents.close())

describe('messages over HTTP', () => {
  it('get one JSON body, compressed if the client accepts it', async () => {
    const { status, headers, body } = await agents.post(listing(7), { 'accept-encoding': 'br' })
    assert.equal(status, 200)
    assert.equal(body.id, 7)
    assert.equal(headers.get('content-type'), 'application/json')
    assert.equal(headers.get('content-encoding'), 'br')
    assert.equal(headers.get('cache-control'), 'no-store')
    assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+/)
    assert.match(headers.get('server-timing') ?? '', /admit;dur=.*run;dur=/)
    assert.ok(headers.get('x-request-id'))
  })

  it('that are not JSON or not a message are errors of the protocol', async () => {
    const garbled = await agents.post('{"jsonrpc":')
    assert.deepEqual([garbled.status, garbled.body.error.code], [400, -32_700])
    const empty = await agents.post('')
    assert.deepEqual([empty.status, empty.body.error.code], [400, -32_700])
    for (const none of [{ hello: 1 }, 5, null, 'text', { jsonrpc: '1.0', id: 1, method: 'ping' }]) {
      const { status, body } = await agents.post(JSON.stringify(none))
      assert.equal(status, 400, JSON.stringify(none))
      assert.ok(body.error.code < 0)
      assert.doesNotMatch(body.error.message, /\.ts:|node_modules/)
    }
  })

  it('of an unknown method get an error', async () => {
    const { body } = await agents.post({ jsonrpc: '2.0', id: 1, method: 'resources/list' })
    assert.equal(body.error.code, -32_601)
  })

  it('that are pings are answered, and notifications are taken without an answer', async () => {
    const { body } = await agents.post({ jsonrpc: '2.0', id: 'p', method: 'ping' })
    assert.deepEqual(body, { jsonrpc: '2.0', id: 'p', result: {} })
    const noted = await agents.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
    assert.deepEqual([noted.status, noted.text], [202, ''])
  })

  it('come in batches where the revision has them', async () => {
    const { status, body } = await agents.post([listing(1), listing(2, 'nothing'), listing(3)])
    assert.equal(status, 200)
    const byId = new Map(body.map((each: Free) => [each.id, each.result]))
    assert.deepEqual([...byId.keys()].sort(), [1, 2, 3])
    assert.equal((byId.get(2) as Free).isError, true)
    assert.equal((byId.get(3) as Free).structuredContent.shown, 1)
  })

  it('are answered though one of their batch cancels another', async () => {
    const cancel = (requestId: number) => ({
      jsonrpc: '2.0',
      method: 'notifications/cancelled',
      params: { requestId },
    })
    const { status, body } = await agents.post([listing(1), cancel(1), listing(2)])
    assert.equal(status, 200)
    assert.deepEqual(body.map(({ id }: Free) => id).sort(), [1, 2])
    assert.equal((await agents.post([cancel(1)])).status, 202)
  })

  it('never open a stream', async () => {
    const get = await fetch(`${service.url}/mcp`, {
      headers: { authorization: `Bearer ${agents.key}`, accept: 'text/event-stream' },
    })
    assert.equal(get.status, 405)
    assert.equal(get.headers.get('allow'), 'POST')
    assert.equal(((await get.json()) as Free).errorCode, 'method_not_allowed')
    for (const method of ['DELETE', 'PUT', 'HEAD']) {
      const { status, headers } = await fetch(`${service.url}/mcp`, { method })
      assert.deepEqual([status, headers.get('allow')], [405, 'POST'], method)
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    }
    const method = 'subscriptions/listen'
    const params = { _meta, notifications: { toolsListChanged: true } }
    const { headers } = await agents.post(
      { jsonrpc: '2.0', id: 1, method, params },
      { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method },
    )
    assert.ok(headers.has('content-length'))
  })

  it('are refused without a good key, in the shape of the API', async () => {
    const sent: readonly [string | null, string][] = [
      [null, 'missing_api_key'],
      ['Bearer slv_wrong', 'invalid_api_key'],
    ]
    for (const [authorization, code] of sent) {
      const response = await fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...(authorization && { authorization }) },
        body: JSON.stringify(listing(1)),
      })
      assert.equal(response.status, 401)
      assert.match(response.headers.get('www-authenticate') ?? '', /^Bearer/)
      const body = (await response.json()) as Free
      assert.deepEqual(Object.keys(body), ['error', 'errorCode'])
      assert.equal(body.errorCode, code)
    }
    await assert.rejects(httpAgent(service.url, 'slv_wrong'), /not valid|401/i)
  })

  it('are refused from pages of other origins, and taken from those that are listed', async () => {
    const foreign = await agents.post(listing(1), { origin: 'https://evil.example' })
    assert.equal(foreign.status, 403)
    assert.equal(foreign.body.errorCode, 'forbidden_origin')
    // A name that an attacker lets point here does not help.
    const rebound = await agents.post(listing(1), { origin: 'http://evil.example:8080' })
    assert.equal(rebound.status, 403)
    assert.equal((await agents.post(listing(1), { origin: service.url })).status, 200)
    const open = await openTestService({ CORS_ORIGINS: 'https://app.example.com' })
    const origin = 'https://app.example.com'
    const preflight = await fetch(`${open.url}/mcp`, { method: 'OPTIONS', headers: { origin } })
    assert.equal(preflight.headers.get('access-control-allow-methods'), 'POST')
    assert.match(preflight.headers.get('access-control-allow-headers') ?? '', /Mcp-Method/)
    const response = await fetch(`${open.url}/mcp`, {
      method: 'POST',
      headers: {
        origin,
        authorization: `Bearer ${await open.key('aldermoor')}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify(listing(1)),
    })
    assert.equal(response.status, 200)
    assert.equal(response.headers.get('access-control-allow-origin'), origin)
    await open.close()
  })

  it('that are too long are refused before they are read as JSON', async () => {
    const { status, body } = await agents.post(`"${'x'.repeat(300_000)}"`)
    assert.deepEqual([status, body.errorCode], [413, 'body_too_large'])
    const still = await agents.post(listing(1))
    assert.equal(still.status, 200)
  })

  it('of another type than JSON are refused', async () => {
    const { status } = await agents.post(JSON.stringify(listing(1)), {
      'content-type': 'text/plain',
    })
    assert.equal(status, 415)
  })

  it('may have a body at this path alone', async () => {
    for (const path of ['/whoami', '/api/public/v1/brands/aldermoor/orders', '/healthz']) {
      const { status } = await fetch(service.url + path, { method: 'POST', body: '{}' })
      assert.equal(status, 405, path)
    }
  })

  it('are counted against the limit of the key, each call of a batch too', async () => {
    const slow = await openTestService({ RATE_PER_SECOND: '0.001', RATE_BURST: '8' })
    const limited = await slow.key('aldermoor')
    const send = (message: object) =>
      fetch(`${slow.url}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${limited}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
        },
        body: JSON.stringify(message),
      })
    const left = (response: Response) =>
      Number(/r=(\d+)/.exec(response.headers.get('ratelimit') ?? '')?.[1])
    const first = left(await send(listing(1)))
    const batch = await send([listing(1), listing(2), listing(3)])
    assert.equal(left(batch), first - 3)
    const rest = await send(Array.from({ length: 10 }, (_, index) => listing(index)))
    const results = (await rest.json()) as Free[]
    const errors = results.filter(({ result }) => result.isError)
    assert.ok(errors.length > 0)
    const { errorCode, retryAfterSeconds } = JSON.parse(errors[0].result.content[0].text)
    assert.equal(errorCode, 'rate_limited')
    assert.ok(retryAfterSeconds > 0)
    const refusal = await send(listing(1))
    assert.equal(refusal.status, 429)
    assert.match(refusal.headers.get('retry-after') ?? '', /^\d+$/)
    assert.equal(((await refusal.json()) as Free).errorCode, 'rate_limited')
    await slow.close()
  })

  const tracing = (id: number) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'trace_lineage', arguments: { group: 'orders', id: order } },
  })

  it('come in batches of ten at most', async () => {
    const ten = await agents.post(Array.from({ length: 10 }, (_, id) => listing(id)))
    assert.deepEqual([ten.status, ten.body.length], [200, 10])
    const eleven = await agents.post(Array.from({ length: 11 }, (_, id) => listing(id)))
    assert.deepEqual([eleven.status, eleven.body.errorCode], [413, 'body_too_large'])
    assert.match(eleven.body.error, /at most 10 messages\. Send the others in further requests/)
  })

  it('share a limit on reads, and say what to do when it is reached', async () => {
    const { body } = await agents.post(Array.from({ length: 10 }, (_, id) => tracing(id)))
    const results = body.map(({ result }: Free) => result)
    const partly = results.filter(
      ({ structuredContent }: Free) => structuredContent?.ended === 'reads',
    )
    assert.ok(partly.length > 0, 'ten walks read as much as they liked')
    for (const { structuredContent } of partly) {
      assert.match(structuredContent.summary, /may read 200 lists and records together/)
      assert.match(structuredContent.summary, /again in a message of its own/)
      assert.ok(structuredContent.next, 'it does not say how to continue')
    }
    const alone = await agents.post(tracing(1))
    assert.equal(alone.body.result.structuredContent.ended, 'complete')
  })

  it('cost the key a request for every ten reads, and a walk shows what it has until then', async () => {
    const slow = await openTestService({ RATE_PER_SECOND: '0.001', RATE_BURST: '4' })
    after(() => slow.close())
    const agent = await httpAgent(slow.url, await slow.key('aldermoor'), 'stateless')
    const args = { group: 'orders', id: order }
    const { ended, summary, total, next } = await agent.ask('trace_lineage', args)
    assert.equal(ended, 'reads', summary)
    assert.match(summary, /The rate limit of 0\.001 requests a second is used up\. Try again in/)
    assert.ok(total > 1 && next)
    await agent.close()
  })

  it('let others in between two of their reads', async () => {
    const { store } = service.records
    let [isAnswered, iterations, reads] = [false, 0, 0]
    const list = store.list.bind(store)
    const count = () => {
      iterations += 1
      if (!isAnswered) setImmediate(count)
    }
    const counted = (async () => {
      setImmediate(count)
      const { body } = await agents.post(Array.from({ length: 10 }, (_, id) => tracing(id)))
      isAnswered = true
      assert.equal(body.length, 10)
    })()
    Object.assign(store, {
      list: (request: Parameters<typeof list>[0]) => {
        reads += 1
        return list(request)
      },
    })
    await counted
    Object.assign(store, { list })
    assert.ok(
      reads > 50 && iterations >= reads,
      `${iterations} iterations of the event loop for ${reads} reads`,
    )
    assert.ok(reads <= messageBudget.reads)
  })

  it('write nothing to the terminal', async (context) => {
    const written = ['log', 'info', 'warn', 'error'].map((name) =>
      context.mock.method(console, name as 'log', () => undefined),
    )
    await agents.over('http stateless').ask('list_groups')
    await agents.over('http').ask('list_groups')
    for (const { mock } of written) assert.equal(mock.callCount(), 0)
  })

  it('are logged and counted by tool, with the code of a refusal', async () => {
    await agents.ask('get_record', { group: 'orders', id: order })
    await agents.refused('list_records', { group: 'nothing' })
    const lines = service.logged.map((line) => JSON.parse(line))
    const got = lines.find(({ route }) => route === 'mcp.get_record')
    assert.equal(got.brand, 'aldermoor')
    assert.equal(got.method, 'POST')
    assert.ok(got.keyId && got.requestId)
    const failed = lines.filter(({ route }) => route === 'mcp.list_records')
    assert.ok(failed.some(({ errorCode }) => errorCode === 'not_found'))
    const { body } = await service.metrics.text()
    assert.match(
      body,
      /selvedge_requests_total\{operation="mcp.get_record",method="POST",status="200"\}/,
    )
    assert.ok(!service.logged.some((line) => line.includes(agents.key)))
    const mcpLines = service.logged.filter((line) => line.includes('"route":"mcp'))
    assert.ok(!mcpLines.some((line) => line.includes('PO-5512')))
  })

  it('load the library of the protocol, and nothing else does', () => {
    const sources = globSync('src/**/*.ts', { cwd: new URL('../..', import.meta.url) })
    assert.ok(sources.length > 100)
    for (const path of sources.filter((each) => !/^src.mcp./.test(each))) {
      const source = readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
      for (const [line] of source.matchAll(/^.*from '#mcp'$/gm)) {
        assert.match(line, /^import type /, `${path}: ${line}`)
      }
    }
  })

  it('are not taken where they are switched off', async () => {
    const off = await openTestService({ MCP: 'off' })
    for (const method of ['GET', 'POST']) {
      const { status } = await fetch(`${off.url}/mcp`, { method })
      assert.equal(status, 404)
    }
    await off.close()
  })
})

describe('a key for several brands', () => {
  it('must name one, and gets the list of brands it can read', async () => {
    const { body } = await service.get('')
    await service.write('birkholm', { brand: [{ ...body, slug: 'birkholm' }] })
    const global = await httpAgent(service.url, await service.key())
    const { error, errorCode } = await global.refused('list_records', { group: 'orders' })
    assert.equal(errorCode, 'invalid_parameter')
    assert.match(error, /brand is missing: 2 brands can be read\. Name one: aldermoor, birkholm\./)
    const { brands } = await global.ask('list_groups')
    assert.deepEqual(brands, ['aldermoor', 'birkholm'])
    const args = { group: 'orders', brand: 'aldermoor' }
    const { total, brand } = await global.ask('list_records', args)
    assert.equal(brand, 'aldermoor')
    assert.ok(total > 0)
    const wrong = await global.refused('list_records', { group: 'orders', brand: 'aldermor' })
    assert.match(wrong.error, /There is no such brand\. Did you mean aldermoor\?/)
    await global.close()
  })
})
