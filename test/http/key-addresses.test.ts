/** Keys that may be used from some addresses only, wherever a key or a token of it is accepted. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type IssueRequest, signingKeyOf } from '#keys'
import { lineOf } from '../support/access-log.ts'
import { rights } from '../support/auth.ts'
import { lines, openTestIngest, putItem, recordOf } from '../support/ingest-service.ts'
import { createRawClient, sendForm, ticketIn } from '../support/oauth.ts'
import { openTestService, type TestService } from '../support/service.ts'

const own = '203.0.113.9'
const foreign = '198.51.100.9'
const addresses = ['203.0.113.0/24', '2001:db8:0:1::7']
const from = (address: string) => ({ 'x-forwarded-for': address })
const sentence = (address: string) => `The API key may not be used from the address ${address}.`

describe('a key for some addresses', () => {
  let service: TestService
  before(async () => {
    service = await openTestService({
      TRUSTED_PROXIES: '127.0.0.1,10.0.0.0/8',
      OAUTH: 'on',
      PUBLIC_URL: 'http://localhost:1',
    })
  })
  after(() => service.close())

  const issue = (changes: Partial<IssueRequest> = {}) =>
    service.records.keys.issue(rights({ addresses, ...changes }))
  const ask = (key: string, address: string, path = 'tags') =>
    service.get(path, { key, headers: from(address) })

  it('is valid from these alone, whatever the form of the address', async () => {
    const { key } = await issue()
    const valid = [
      own,
      '203.0.113.255',
      '::ffff:203.0.113.9',
      '2001:db8:0:1::7',
      '2001:DB8::1:0:0:0:7',
    ]
    for (const address of [...valid, `${foreign}, ${own}`, `${own}, 10.1.2.3`, `${own}:4711`]) {
      assert.equal((await ask(key, address)).status, 200, address)
    }
    // The last one differs in the part of an IPv6 address that limits of addresses ignore.
    const invalid = [foreign, '10.1.2.3', 'nobody', '', `${own}, ${foreign}`, '2001:db8:0:1::8']
    for (const address of invalid) {
      for (const path of [
        'tags',
        'tags?limit=x',
        '/whoami',
        '/api/query/v1/brands/aldermoor/tags',
      ]) {
        const { status, body } = await ask(key, address, path)
        assert.deepEqual([status, body.errorCode], [401, 'out_of_scope'], `${address} ${path}`)
      }
    }
  })

  it('is judged before a cached response, and for an unchanged one', async () => {
    const { key } = await issue()
    for (let count = 1; count <= 4; count += 1) {
      const { status, headers } = await ask(key, own, 'tags?limit=9')
      assert.equal(status, 200)
      const conditional = { ...from('192.0.2.77'), 'if-none-match': headers.get('etag') ?? '' }
      const answer = await service.get('tags?limit=9', { key, headers: conditional })
      assert.deepEqual([answer.status, answer.body.error], [401, sentence('192.0.2.77')])
    }
  })

  it('pays for nothing from elsewhere: the address does, and the key is in the log', async () => {
    const { key, id } = await issue({ perSecond: 0.001, burst: 2 })
    const address = '192.0.2.1'
    let refused = 0
    for (; refused < 1_000; refused += 1) {
      const answer = await ask(key, address)
      if (answer.status === 429) break
      assert.equal(answer.status, 401)
      assert.equal(answer.headers.get('www-authenticate'), 'Bearer error="invalid_token"')
      assert.ok(!answer.headers.has('ratelimit'))
      if (refused > 0) continue
      const line = await lineOf(service, answer.headers.get('x-request-id'))
      assert.deepEqual([line['keyId'], line['errorCode']], [id, 'out_of_scope'])
    }
    assert.ok(refused > 1 && refused < 1_000, `${refused}`)
    // Like any failed authentication of that address. Five are let through again each second.
    const unknown = Array.from({ length: 40 }, () => ask('slv_unknown', address))
    assert.ok((await Promise.all(unknown)).some(({ status }) => status === 429))
    assert.deepEqual([(await ask(key, own)).status, (await ask(key, own)).status], [200, 200])
    assert.equal((await ask(key, own)).status, 429)
  })

  it('is not used through a header of a proxy that is not trusted', async (test) => {
    const direct = await openTestService({}, { folder: service.folder, story: false })
    test.after(() => direct.close())
    const { key } = await issue()
    const answer = await direct.get('tags', { key, headers: from(own) })
    assert.deepEqual([answer.status, answer.body.error], [401, sentence('127.0.0.1')])
  })

  it('limits the tokens of an assistant too, and who may allow them', async () => {
    const { key, id } = await issue({ addresses: null })
    const client = await createRawClient(service.url, { issuer: 'http://localhost:1' })
    const { access, refresh } = await client.connect(key)
    const page = client.authorizeUrl()
    const person = { origin: 'http://localhost:1', 'sec-fetch-site': 'same-origin' }
    const entered = await sendForm(page, { key }, person)
    const ticket = ticketIn(entered.text)
    assert.equal((await client.call(access)).status, 200)

    await service.records.keys.update(id, (old) => ({ ...old, addresses }))
    for (;;) if ((await client.call(access)).status === 401) break
    const call = await client.call(access)
    assert.equal(call.body.errorCode, 'out_of_scope')
    assert.match(call.headers.get('www-authenticate') ?? '', /resource_metadata=/)
    assert.equal((await client.call(key)).body.errorCode, 'out_of_scope')
    const refreshed = await client.refresh(refresh)
    assert.deepEqual(
      [refreshed.status, refreshed.body.error, refreshed.body.error_description],
      [400, 'invalid_grant', sentence('127.0.0.1')],
    )
    for (const form of [{ key }, { ticket }]) {
      const answer = await sendForm(page, form, person)
      assert.equal(answer.status, 400)
      assert.ok(answer.text.includes('This API key may not be used from your IP address.'))
      assert.ok(!answer.text.includes('name="ticket"'))
    }
    const allowed = await sendForm(page, { ticket }, { ...person, ...from(own) })
    assert.equal(allowed.status, 303, allowed.text)
  })
})

describe('an ingest key for some addresses', () => {
  const body = lines([putItem('tags', recordOf('tags'))])

  it('sends from these alone, with the key and with signatures', async (test) => {
    const service = await openTestIngest({ TRUSTED_PROXIES: '127.0.0.1' })
    test.after(() => service.close())
    const { key, id } = await service.issue({ addresses, webhook: true })
    const seconds = String(Math.floor(Date.now() / 1_000))
    const signatureOf = (text: string) =>
      createHmac('sha256', signingKeyOf(service.records.secret, id))
        .update(`m.${seconds}.${text}`)
        .digest('base64')
    const send = (address: string, signed?: string) =>
      signed === undefined
        ? service.send(body, { key, headers: from(address) })
        : service.send(body, {
            key: null,
            query: `key=${id}`,
            headers: {
              ...from(address),
              'webhook-id': 'm',
              'webhook-timestamp': seconds,
              'webhook-signature': `v1,${signatureOf(signed)}`,
            },
          })
    for (const signed of [undefined, body]) {
      const refused = await send(foreign, signed)
      assert.deepEqual([refused.status, refused.body.error], [401, sentence(foreign)])
      assert.ok(!refused.headers.has('ratelimit'))
      assert.equal((await send(own, signed)).status, 202)
    }
    // Only who can sign learns that there is such a key.
    assert.equal((await send(foreign, 'other')).body.errorCode, 'invalid_signature')
    for (const signed of [undefined, body]) {
      let last = 401
      for (let count = 1; count <= 1_000 && last === 401; count += 1) {
        last = (await send(foreign, signed)).status
      }
      assert.equal(last, 429)
    }
    assert.equal((await send(own)).status, 202)
  })
})
