/** Messages that are signed with the secret of an ingest key (Standard Webhooks). */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { type IssuedKey, signingSecretOf } from '#keys'
import {
  lines,
  openTestIngest,
  putItem,
  recordOf,
  type TestIngest,
} from '../support/ingest-service.ts'

const body = lines([putItem('tags', recordOf('tags'))])

interface Message {
  readonly id?: string
  readonly timestamp?: number
  readonly secret: string
  readonly signed?: string | Buffer
}

/** Signs as the specification says, without any code of the server. */
const sign = ({ id = 'msg_1', timestamp = Date.now() / 1_000, secret, signed = body }: Message) => {
  const seconds = String(Math.floor(timestamp))
  const digest = createHmac('sha256', Buffer.from(secret.replace('whsec_', ''), 'base64'))
    .update(`${id}.${seconds}.`)
    .update(signed)
    .digest('base64')
  return { 'webhook-id': id, 'webhook-timestamp': seconds, 'webhook-signature': `v1,${digest}` }
}

describe('a signed message', () => {
  let service: TestIngest
  let issued: IssuedKey
  let secret: string
  before(async () => {
    service = await openTestIngest({ TRUSTED_PROXIES: '127.0.0.1' })
    issued = await service.issue({ webhook: true })
    secret = signingSecretOf(service.records.secret, issued.id)
    assert.match(secret, /^whsec_[0-9A-Za-z+/]{43}=$/)
  })
  after(() => service.close())

  let addresses = 0
  const send = (
    headers: { readonly [name: string]: string },
    {
      key = issued.id,
      sent = body as string | Buffer,
      brand = undefined as string | undefined,
    } = {},
  ) => {
    addresses += 1
    return service.send(sent, {
      key: null,
      query: `key=${key}`,
      headers: { ...headers, 'x-forwarded-for': `10.2.0.${addresses}` },
      ...(brand && { brand }),
    })
  }

  it('is accepted in place of the key, and is the same batch when it is sent again', async () => {
    const first = await send({ ...sign({ secret }), prefer: 'wait=30' })
    assert.equal(first.status, 200, JSON.stringify(first.body))
    // A later attempt has another time, and so another signature.
    const again = await send(sign({ secret, timestamp: Date.now() / 1_000 - 60 }))
    assert.deepEqual(again.body, first.body)
    assert.equal(again.headers.get('idempotency-replayed'), 'true')
    const other = body.replace('\n', ' \n')
    const changed = await send(sign({ secret, signed: other }), { sent: other })
    assert.deepEqual([changed.status, changed.body.errorCode], [422, 'idempotency_conflict'])
  })

  it('may have several signatures, one of which is right', async () => {
    const good = sign({ secret, id: 'msg_several' })
    const wrong = sign({
      secret: `whsec_${Buffer.alloc(32).toString('base64')}`,
      id: 'msg_several',
    })
    const both = `v1a,xyz ${wrong['webhook-signature']} ${good['webhook-signature']}`
    assert.equal((await send({ ...good, 'webhook-signature': both })).status, 202)
  })

  it('that is compressed is signed as it is sent', async () => {
    const sent = gzipSync(body)
    const encoding = { 'content-encoding': 'gzip' }
    const good = await send(
      { ...sign({ secret, id: 'msg_z', signed: sent }), ...encoding },
      { sent },
    )
    assert.equal(good.status, 202)
    const plain = await send({ ...sign({ secret, id: 'msg_y' }), ...encoding }, { sent })
    assert.equal(plain.status, 401)
  })

  const now = () => Date.now() / 1_000
  const wrongs: readonly [
    what: string,
    headers: () => { readonly [name: string]: string },
    options: () => Promise<Parameters<typeof send>[1]>,
  ][] = [
    [
      'with another secret',
      () => sign({ secret: `whsec_${Buffer.alloc(32, 1).toString('base64')}` }),
      async () => ({}),
    ],
    ['with another body', () => sign({ secret, signed: `${body} ` }), async () => ({})],
    [
      'of more than 5 minutes ago',
      () => sign({ secret, timestamp: now() - 330 }),
      async () => ({}),
    ],
    [
      'of more than 5 minutes ahead',
      () => sign({ secret, timestamp: now() + 330 }),
      async () => ({}),
    ],
    ['with an id that has a full stop', () => sign({ secret, id: 'msg.1' }), async () => ({})],
    ['without an id', () => ({ ...sign({ secret }), 'webhook-id': '' }), async () => ({})],
    [
      'with a signature of another version only',
      () => ({ ...sign({ secret }), 'webhook-signature': 'v1a,abc' }),
      async () => ({}),
    ],
    [
      'for a key that does not exist',
      () => sign({ secret }),
      async () => ({ key: 'key_aaaaaaaaaaaa' }),
    ],
    [
      'for a key without a secret for signatures',
      () => sign({ secret }),
      async () => ({ key: (await service.issue()).id }),
    ],
  ]
  for (const [what, headers, options] of wrongs) {
    it(`${what} is refused`, async () => {
      const { status, body: answer } = await send(headers(), await options())
      assert.deepEqual([status, answer.errorCode], [401, 'invalid_signature'])
    })
  }

  it('is refused once its key is revoked, and for other brands', async () => {
    const other = await send(sign({ secret }), { brand: 'birkholm' })
    assert.deepEqual([other.status, other.body.errorCode], [401, 'out_of_scope'])
    const { id } = await service.issue({ webhook: true })
    const own = signingSecretOf(service.records.secret, id)
    const end = performance.now() + 10_000
    const becomes = async (wanted: number) => {
      let status = 0
      while (status !== wanted && performance.now() < end) {
        status = (await send(sign({ secret: own, id: `msg_${addresses}` }), { key: id })).status
      }
      assert.equal(status, wanted)
    }
    await becomes(202)
    await service.records.keys.revoke(id)
    await becomes(401)
  })

  it('that is refused counts for its address', async () => {
    const headers = { ...sign({ secret }), 'webhook-signature': 'v1,abc' }
    const statuses = new Set<number>()
    for (let times = 0; times < 60 && !statuses.has(429); times += 1) {
      const answer = await service.send(body, {
        key: null,
        query: `key=${issued.id}`,
        headers: { ...headers, 'x-forwarded-for': '10.3.0.1' },
      })
      statuses.add(answer.status)
    }
    assert.deepEqual([...statuses], [401, 429])
  })
})
