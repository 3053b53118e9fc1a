/** Bodies that are too large, too deep, too many or too slow are refused within limits. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { ingestBasePath, ingestLimits } from '#contract'
import { scanLines, scanValues } from '../../src/http/body-scan.ts'
import {
  lines,
  openTestIngest,
  putItem,
  recordOf,
  storyBrand,
  type TestIngest,
} from '../support/ingest-service.ts'

const item = putItem('tags', recordOf('tags'))
const bytesMax = 2 ** 20

/** A connection that sends what it is given, and collects what comes back. */
const open = async (url: string): Promise<{ socket: Socket; received: () => string }> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  let received = ''
  socket.setEncoding('latin1').on('data', (text) => {
    received += text
  })
  socket.on('error', () => undefined)
  return { socket, received: () => received }
}

const until = async (what: () => boolean, ms = 30_000): Promise<void> => {
  const end = performance.now() + ms
  while (!what()) {
    assert.ok(performance.now() < end, 'it did not come in time')
    await wait(10)
  }
}

describe('a body', () => {
  let service: TestIngest
  let key: string
  before(async () => {
    service = await openTestIngest({
      INGEST_BODY_MB: '1',
      INGEST_BODY_SECONDS: '4',
      INGEST_BODIES: '4',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    key = (await service.issue()).key
  })
  after(() => service.close())

  const head = (more: readonly string[], sender: string | null = key, query = ''): string =>
    [
      `POST ${ingestBasePath}/brands/${storyBrand}/batches${query} HTTP/1.1`,
      'Host: x',
      ...(sender === null ? [] : [`Authorization: Bearer ${sender}`]),
      'Content-Type: application/x-ndjson',
      ...more,
      '',
      '',
    ].join('\r\n')

  it('that is too large is refused with the limit, before it is sent', async () => {
    const { socket, received } = await open(service.url)
    socket.write(head([`Content-Length: ${bytesMax + 1}`, 'Expect: 100-continue']))
    await until(() => /\r\n\r\n\{.*\}$/.test(received()))
    assert.match(received(), /^HTTP\/1\.1 413 /)
    assert.match(received(), /A body has at most 1,048,576 bytes/)
    socket.destroy()
  })

  it('that a client waits to send is asked for once it can be read', async () => {
    const { socket, received } = await open(service.url)
    const body = lines([item])
    socket.write(head([`Content-Length: ${body.length}`, 'Expect: 100-continue']))
    await until(() => received().startsWith('HTTP/1.1 100 Continue\r\n'))
    socket.write(body)
    await until(() => received().includes('HTTP/1.1 202 '))
    socket.destroy()
  })

  it('of a client that offers HTTP/2 is read as usual', async () => {
    const { socket, received } = await open(service.url)
    const body = lines([item])
    const upgrade = [
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAEAAEAA',
    ]
    socket.write(head([`Content-Length: ${body.length}`, ...upgrade]) + body)
    await until(() => received().includes('HTTP/1.1 202 '))
    socket.destroy()
  })

  it('without a length is refused when it has become too large', async () => {
    const line = lines([item])
    const many = line.repeat(Math.ceil(bytesMax / line.length) + 1)
    const stream = new ReadableStream({
      start: (controller) => {
        for (let at = 0; at < many.length; at += 65_536) {
          controller.enqueue(Buffer.from(many.slice(at, at + 65_536)))
        }
        controller.close()
      },
    })
    const response = await fetch(`${service.url}${ingestBasePath}/brands/${storyBrand}/batches`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: stream,
      duplex: 'half',
    } as RequestInit)
    assert.equal(response.status, 413)
  })

  it('that becomes too large when it is decompressed is refused, and takes little memory', async () => {
    for (const [encoding, compress] of [
      ['gzip', gzipSync],
      ['zstd', zstdCompressSync],
    ] as const) {
      // 256 MiB of spaces, which are neither items nor nesting.
      const bomb = compress(Buffer.alloc(256 * 2 ** 20, ' '))
      assert.ok(bomb.length < bytesMax)
      const before = process.memoryUsage()
      let most = 0
      const watch = setInterval(() => {
        const { external, arrayBuffers } = process.memoryUsage()
        most = Math.max(most, external + arrayBuffers)
      }, 5)
      const sent = await Promise.all(
        Array.from({ length: 4 }, () =>
          service.send(bomb, { headers: { 'content-encoding': encoding } }),
        ),
      )
      clearInterval(watch)
      for (const { status, body } of sent) {
        assert.deepEqual([status, body.errorCode], [413, 'body_too_large'])
      }
      const grown = most - before.external - before.arrayBuffers
      assert.ok(grown < 64 * 2 ** 20, `${encoding}: ${grown} bytes`)
    }
  })

  it('is never in memory as a whole', async () => {
    const large = await openTestIngest()
    const spaces = `${' '.repeat(65_535)}\n`
    const body = gzipSync(lines([item]) + spaces.repeat(255))
    const before = process.memoryUsage()
    let most = 0
    const watch = setInterval(() => {
      const { external, arrayBuffers } = process.memoryUsage()
      most = Math.max(most, external + arrayBuffers - before.external - before.arrayBuffers)
    }, 5)
    const headers = { 'content-encoding': 'gzip' }
    const sent = await Promise.all(
      Array.from({ length: 4 }, () => large.send(body, { query: 'dry-run=true', headers })),
    )
    clearInterval(watch)
    await large.close()
    assert.deepEqual(new Set(sent.map(({ status }) => status)), new Set([202]))
    assert.ok(most < 96 * 2 ** 20, `${most} bytes`)
  })

  it('that is nested too deeply is refused, with its line', async () => {
    const deep = (depth: number) => `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`
    const within = await service.send(`${deep(ingestLimits.depth - 1)}\n`)
    assert.equal(within.status, 202)
    const { status, body } = await service.send(`{}\n${deep(ingestLimits.depth)}\n`)
    assert.deepEqual([status, body.errorCode], [400, 'malformed_request'])
    assert.match(body.error, /more than 64 objects and arrays within each other on line 2/)
    // Brackets in texts do not nest.
    const text = JSON.stringify({ a: `\\"${'['.repeat(1_000)}` })
    assert.equal((await service.send(`${text}\n`)).status, 202)
    const events = { 'content-type': 'application/json' }
    const event = await service.send(deep(50_000), { headers: events })
    assert.deepEqual([event.status, event.body.errorCode], [400, 'malformed_request'])
  })

  it('with too many items is refused', async () => {
    const { status, body } = await service.send('{}\n'.repeat(ingestLimits.items + 1))
    assert.deepEqual([status, body.errorCode], [413, 'body_too_large'])
    assert.match(body.error, /at most 100,000 items/)
  })

  it('that drips is refused with 408, and one at the minimum rate when its time is over', async () => {
    const dripping = await open(service.url)
    const steady = await open(service.url)
    for (const { socket } of [dripping, steady]) socket.write(head(['Content-Length: 100000']))
    const drip = setInterval(() => {
      dripping.socket.write(' ')
      steady.socket.write(' '.repeat(1_000))
    }, 100)
    // Of another key.
    assert.equal((await service.send([item])).status, 202)
    await until(() => dripping.received().includes('\r\n\r\n'))
    assert.equal(steady.received(), '')
    await until(() => steady.received().includes('\r\n\r\n'))
    clearInterval(drip)
    for (const { socket, received } of [dripping, steady]) {
      assert.match(received(), /^HTTP\/1\.1 408 .*connection: close\r\n/is)
      assert.match(received(), /within 4 s, and at 1,000 bytes per second at least/)
      socket.destroy()
    }
  })

  it('beyond those that may be received at the same time is refused with 503 and Retry-After', async () => {
    const { key: other } = await service.issue()
    // Requests that were refused because they were too slow have given their places back.
    const slow = await Promise.all([1, 2].map(() => open(service.url)))
    for (const { socket } of slow) socket.write(head(['Content-Length: 1000'], other))
    await wait(200)
    const { status, headers, body } = await service.send([item], { key: other })
    assert.deepEqual([status, body.errorCode], [503, 'queue_full'])
    assert.ok(Number(headers.get('retry-after')) >= 1)
    // Other keys have room.
    assert.equal((await service.send([item])).status, 202)
    for (const { socket } of slow) socket.destroy()
    const end = performance.now() + 20_000
    let last = 503
    while (last === 503 && performance.now() < end) {
      last = (await service.send([item], { key: other })).status
    }
    assert.equal(last, 202)
  })

  it('of a key that has none in progress is received, whatever two other keys drip', async () => {
    const keys = await Promise.all([service.issue(), service.issue()])
    const slow = await Promise.all(
      keys.flatMap(({ key: sender }) =>
        [1, 2].map(async () => ({ sender, ...(await open(service.url)) })),
      ),
    )
    for (const { socket, sender } of slow) {
      socket.write(`${head(['Content-Length: 1000', 'Expect: 100-continue'], sender)}`)
    }
    // Three of the four slots; the last one is kept.
    await until(() => slow.filter(({ received }) => received().includes(' 100 ')).length === 3)
    assert.equal((await service.send([item])).status, 202)
    for (const { socket } of slow) socket.destroy()
  })

  describe('that is signed', () => {
    let signerId: string
    before(async () => {
      signerId = (await service.issue({ webhook: true })).id
    })
    const signedHead = (address: string, length: number): string =>
      head(
        [
          `Content-Length: ${length}`,
          'Expect: 100-continue',
          `X-Forwarded-For: ${address}`,
          'webhook-id: m',
          `webhook-timestamp: ${Math.floor(Date.now() / 1_000)}`,
          'webhook-signature: v1,abc',
        ],
        null,
        `?key=${signerId}`,
      )

    it('takes no slot of a key before its signature is verified', async () => {
      const slow = await Promise.all(
        ['10.4.0.1', '10.4.0.1', '10.4.0.2', '10.4.0.2'].map(async (address) => ({
          address,
          ...(await open(service.url)),
        })),
      )
      for (const { socket, address } of slow) socket.write(signedHead(address, 100_000))
      const answered = (status: string) =>
        slow.filter(({ received }) => received().includes(` ${status} `)).length
      await until(() => answered('100') === 2)
      assert.equal((await service.send([item])).status, 202)
      await until(() => answered('503') === 2)
      for (const { socket } of slow) socket.destroy()
    })

    it('and is abandoned counts for its address', async () => {
      let times = 0
      for (let text = ''; !text.includes(' 429 '); times += 1) {
        assert.ok(times < 100, text)
        const { socket, received } = await open(service.url)
        socket.write(signedHead('10.4.0.3', 1_000))
        await until(() => received().includes('\r\n\r\n'))
        text = received()
        socket.destroy()
      }
    })
  })

  it('whose client goes away leaves nothing behind', async () => {
    const clients = await Promise.all(Array.from({ length: 8 }, () => open(service.url)))
    for (const { socket } of clients) {
      socket.write(`${head(['Content-Length: 1000'])}{`)
      await wait(20)
      socket.destroy()
    }
    assert.equal((await service.send([item])).status, 202)
    assert.equal((await service.get('/healthz', null)).status, 200)
  })
})

describe('JSON values of a body become lines', () => {
  const scan = (text: string, pieces = 1): readonly [items: number, lines: string[]] => {
    const scanned = scanValues()
    const bytes = Buffer.from(text)
    const size = Math.ceil(bytes.length / pieces)
    for (let at = 0; at < bytes.length; at += size) scanned.write(bytes.subarray(at, at + size))
    const items = scanned.end()
    return [
      items,
      bytes
        .toString()
        .split('\n')
        .map((line) => line.trim()),
    ]
  }
  const event = { payload: { op: 'c', after: { a: 'x,]}\\"[{\n' } } }

  it('whatever their layout is, and wherever they are cut', () => {
    for (const spaces of [0, 2]) {
      const text = JSON.stringify(event, null, spaces)
      for (const pieces of [1, 3, text.length]) {
        const [items, [line = '', ...more]] = scan(text, pieces)
        assert.deepEqual([items, JSON.parse(line), more], [1, event, []])
        const list = JSON.stringify([event, event, event], null, spaces)
        const [count, all] = scan(list, pieces)
        assert.deepEqual([count, all.map((each) => JSON.parse(each))], [3, [event, event, event]])
      }
    }
    assert.deepEqual(scan(' [ ] '), [0, ['']])
  })

  it('and anything else is refused', () => {
    for (const text of [
      '1',
      '"a"',
      '[1]',
      '[{}',
      '{',
      '{} {}',
      '[{}]x',
      '[{},]',
      '[{} {}]',
      '[,{}]',
      '[[{}]]',
      '[{}, {"a": "x\ny"}]',
      '{"a": "x\\\ny"}',
    ]) {
      for (const pieces of [1, text.length]) {
        assert.throws(() => scan(text, pieces), { code: 'malformed_request' }, text)
      }
    }
  })
})

describe('Lines of a body are counted', () => {
  const countOf = (text: string, size: number): number => {
    const scan = scanLines()
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; at += size) scan.write(bytes.subarray(at, at + size))
    return scan.end()
  }

  it('also after a string without an end, and wherever the body is cut', () => {
    const deep = `${'{"[":'.repeat(30)}"é\\"${'}'.repeat(30)}`
    for (const [text, count] of [
      ['{"a":"\\"}\n\n \t{"b":"]}\\\\"}', 2],
      ['"\\\n{}\n"\n\\\n{}', 5],
      [`${deep}\n${deep}`, 2],
    ] as const) {
      for (const size of [1, 3, text.length * 2]) assert.equal(countOf(text, size), count, text)
    }
  })

  it('and one that is nested too deeply is named', () => {
    const text = `{}\n${'['.repeat(ingestLimits.depth)}\n${'{"a":'.repeat(ingestLimits.depth + 1)}`
    for (const size of [1, 7, text.length]) {
      assert.throws(() => countOf(text, size), { message: /within each other on line 3\.$/ })
    }
  })
})
