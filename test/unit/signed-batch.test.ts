/** What messages whose signature is not verified yet can take from others, and what they cost. */
import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import type { ApiError } from '#contract'
import { signingKeyOf } from '#keys'
import { createRequestBodies } from '../../src/http/request-body.ts'
import { createSignedBatches, type SignedBatchParts } from '../../src/http/signed-batch.ts'
import { until } from '../support/cluster.ts'

const secret = 'secret'
const keyId = 'key_aaaaaaaaaaaa'
const item = '{}\n'
/** Too long for the slots of short bodies. */
const long = item.repeat(30_000)

/** A server that does nothing but verify signed messages. */
const openVerifier = async (seconds = 30) => {
  let time = Date.now()
  const failures: string[] = []
  const signed = createSignedBatches({
    bodies: createRequestBodies({
      ...{ bytesMax: 2 ** 20, concurrent: 4, seconds, memoryBytes: 2 ** 30 },
    }),
    keyVerifier: { isStale: false, findSigner: () => ({ keyId, addresses: null }) },
    limiter: {
      consume: async (bucket: string) => {
        failures.push(bucket)
        return { allowed: true, retryAfterSeconds: 0 }
      },
    },
    clientIp: ({ headers }: { headers: { [name: string]: string } }) => headers['x-address'],
    failurePolicy: { perSecond: 1, burst: 1 },
    ...{ secret, now: () => time },
  } as unknown as SignedBatchParts)
  const server = createServer({ keepAliveTimeout: 100 }, async (request, response) => {
    const ctx = { request, response } as never
    try {
      await signed.authenticate({ ctx, match: { query: `key=${keyId}`, params: ['b'] } } as never)
      signed.take(ctx)?.release()
      response.writeHead(202).end()
    } catch (error) {
      response.writeHead((error as ApiError).status ?? 500).end()
    }
  })
  server.on('checkContinue', (...both) => server.emit('request', ...both))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    failures,
    port: (server.address() as AddressInfo).port,
    pass: (ms: number) => {
      time += ms
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

interface Sending {
  readonly address: string
  readonly headers?: readonly string[]
  readonly length?: number
}

const signatureOf = (body: string | Buffer, seconds: number): string =>
  createHmac('sha256', signingKeyOf(secret, keyId))
    .update(`m.${seconds}.`)
    .update(body)
    .digest('base64')

describe('a message whose signature is not verified yet', () => {
  let verifier: Awaited<ReturnType<typeof openVerifier>>
  let sockets: Socket[] = []
  beforeEach(async () => {
    verifier = await openVerifier()
  })
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy()
    verifier.close()
  })

  /** Sends a request; the status is 0 until there is one. */
  const open = (
    { address, headers = [], length }: Sending,
    body: string | Buffer,
    signature = 'abc',
    seconds = Math.floor(Date.now() / 1_000),
  ) => {
    const socket = connect(verifier.port, '127.0.0.1')
    sockets = [...sockets, socket]
    let text = ''
    socket.setEncoding('latin1').on('data', (piece) => {
      text += piece
    })
    socket.on('error', () => undefined)
    const head = [
      ...['POST / HTTP/1.1', 'Host: x', 'Content-Type: application/x-ndjson'],
      ...[`X-Address: ${address}`, 'webhook-id: m', `webhook-timestamp: ${seconds}`],
      ...[`webhook-signature: v1,${signature}`, `Content-Length: ${length ?? body.length}`],
      ...headers,
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(body)
    const isContinued = () => text.startsWith('HTTP/1.1 100 ')
    const status = () => Number(/^HTTP\/1\.1 ([2-5]\d\d) /m.exec(text)?.[1] ?? 0)
    return { socket, isContinued, status }
  }
  const answered = async (sent: ReturnType<typeof open>): Promise<number> => {
    await until(() => sent.status() > 0)
    return sent.status()
  }
  const sendSigned = (sending: Sending, body: string) => {
    const seconds = Math.floor(Date.now() / 1_000)
    return answered(open(sending, body, signatureOf(body, seconds), seconds))
  }
  /** Bodies that have slots, and never arrive. */
  const hold = async (addresses: readonly string[], length: number) => {
    const held = addresses.map((address) =>
      open({ address, length, headers: ['Expect: 100-continue'] }, ''),
    )
    await until(() => held.every(({ isContinued, status }) => isContinued() || status() > 0))
    return held
  }

  it('leaves slots for short ones of other addresses, if it is short', async () => {
    await hold(['a', 'a', 'b', 'b', 'c', 'c'], 1_000)
    assert.equal(await sendSigned({ address: 'd' }, item), 202)
  })

  it('leaves slots for short ones, if it is long', async () => {
    await hold(['a', 'b'], 100_000)
    assert.equal(await sendSigned({ address: 'c' }, item), 202)
  })

  it('takes no slot of a sender whose last message was signed', async () => {
    assert.equal(await sendSigned({ address: 'known' }, long), 202)
    await hold(['a', 'b'], 100_000)
    assert.equal(await sendSigned({ address: 'known' }, long), 202)
    // A failure makes it a sender like any other, and the slots of those are taken.
    assert.equal(await answered(open({ address: 'known' }, item)), 401)
    assert.equal(await sendSigned({ address: 'known' }, long), 503)
  })

  it('holds its address back for nine times as long as it took, if it fails', async () => {
    const [slow] = await hold(['a'], 1_000)
    verifier.pass(1_000)
    slow?.socket.destroy()
    await until(() => verifier.failures.length > 0)
    assert.equal(await sendSigned({ address: 'a' }, item), 429)
    assert.equal(await sendSigned({ address: 'b' }, item), 202)
    verifier.pass(8_999)
    assert.equal(await sendSigned({ address: 'a' }, item), 429)
    verifier.pass(1)
    assert.equal(await sendSigned({ address: 'a' }, item), 202)
  })

  const assertOneFailure = async (sending: Sending, body: string | Buffer, status: number) => {
    const sent = open(sending, body)
    assert.equal(await answered(sent), status)
    sent.socket.destroy()
    // The server has seen the end of that connection before this one.
    assert.equal(await sendSigned({ address: 'b' }, item), 202)
    assert.deepEqual(verifier.failures, ['address a'])
  }
  const failing: readonly [
    what: string,
    sending: Partial<Sending>,
    body: string | Buffer,
    status: number,
  ][] = [
    ['is wrong', {}, item, 401],
    ['has no items', {}, '\n'.repeat(1_000), 400],
    ['is not gzip', { headers: ['Content-Encoding: gzip'] }, item, 400],
    [
      'is not gzip, and does not end',
      { headers: ['Content-Encoding: gzip'], length: 1_000 },
      item,
      400,
    ],
    [
      'is too large',
      { headers: ['Content-Encoding: gzip'] },
      gzipSync(Buffer.alloc(2 ** 21, ' ')),
      413,
    ],
    ['has an unknown encoding', { headers: ['Content-Encoding: br'] }, item, 415],
  ]
  for (const [what, sending, body, status] of failing) {
    it(`is one failure if it ${what}`, async () => {
      await assertOneFailure({ address: 'a', ...sending }, body, status)
    })
  }

  it('is one failure if it is slow', async () => {
    verifier.close()
    verifier = await openVerifier(0.3)
    await assertOneFailure({ address: 'a', length: 1_000 }, item, 408)
  })

  it('is one failure if its client goes away', async () => {
    const [client] = await hold(['a'], 1_000)
    client?.socket.destroy()
    await until(() => verifier.failures.length > 0)
    assert.equal(await sendSigned({ address: 'b' }, item), 202)
    assert.deepEqual(verifier.failures, ['address a'])
  })

  it('is not a failure if it turns out to be signed, or if there is no slot', async () => {
    assert.equal(await sendSigned({ address: 'a' }, '\n'), 400)
    await hold(['b', 'c'], 100_000)
    assert.equal(await sendSigned({ address: 'd' }, long), 503)
    assert.deepEqual(verifier.failures, [])
  })
})
