/** What clients may occupy who ask for more than they read. */
import assert from 'node:assert/strict'
import { createHook } from 'node:async_hooks'
import { randomBytes } from 'node:crypto'
import { get } from 'node:http'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createConsole } from '#console'
import { ApiError, basePath } from '#contract'
import { openResponseCounter } from '../../reliability/pipelining/responses.ts'
import { createHeldBytes } from '../../src/http/load-limits.ts'
import { compress } from '../../src/http/response.ts'
import { until } from '../support/cluster.ts'
import { openSocket } from '../support/raw-socket.ts'
import { openTestService, type TestService } from '../support/service.ts'

const document = `${basePath}/openapi.json`
const messageOf = (path: string, ...headers: readonly string[]): string =>
  [`GET ${path} HTTP/1.1`, 'Host: api', ...headers, '', ''].join('\r\n')

/** A figure of the metrics, or of those among them with a label. */
const figureOf = async (service: TestService, name: string): Promise<number> => {
  const { body } = await service.metrics.text()
  return Number(new RegExp(`^${name.replaceAll(/[{}]/g, '\\$&')} (\\S+)`, 'm').exec(body)?.[1] ?? 0)
}

/** A client that sends a message and reads nothing. */
const openUnread = (service: TestService, message: string): Socket => {
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1', () => {
    socket.write(message)
  })
  socket.pause()
  socket.on('error', () => undefined)
  return socket
}

describe('bytes that are held for responses', () => {
  it('make their owner wait, and others only when the total is exhausted', async () => {
    const held = createHeldBytes({ total: 100, perOwner: 25, waitMs: 50 })
    held.add('busy', 30)
    assert.equal(held.room('other'), null)
    await assert.rejects(
      async () => held.room('busy'),
      (error) => error instanceof ApiError && error.code === 'rate_limited',
    )
    held.add('large', 70)
    await assert.rejects(
      async () => held.room('other'),
      (error) =>
        error instanceof ApiError &&
        error.code === 'store_unavailable' &&
        error.retryAfterSeconds === 1,
    )
    const [busy, other] = [held.room('busy'), held.room('other')]
    held.add('large', -70)
    await other
    held.add('busy', -30)
    await busy
    assert.deepEqual([held.total, held.of('busy'), held.fullSince], [0, 0, null])
  })
})

describe('pipelined requests', { timeout: 180_000 }, () => {
  let service: TestService
  before(async () => {
    service = await openTestService()
  })
  after(() => service.close())

  it('1,000 on one connection are answered one by one, in order', async () => {
    const socket = openSocket(service.url)
    const paths = ['/healthz', '/', '/nosuchpage', `${basePath}/brands/aldermoor/tags`]
    const count = 1_000
    const messages = Array.from({ length: count }, (_, index) =>
      messageOf(paths[index % paths.length] ?? '', `X-Request-Id: turn-${index}`),
    )
    socket.send(messages.join(''))
    const { answers, rest } = await socket.until((said) => said.answers.length >= count, 60_000)
    socket.destroy()
    assert.equal(rest, '')
    assert.deepEqual(
      answers.map(({ headers }) => headers.get('x-request-id')),
      Array.from({ length: count }, (_, index) => `turn-${index}`),
    )
  })

  it('of one connection are processed 16 at a time; the others wait until they are read', async () => {
    const count = 1_000
    const socket = openUnread(service, messageOf(document).repeat(count))
    await until(async () => (await figureOf(service, 'selvedge_requests_in_flight')) > 0)
    for (let times = 0; times < 20; times += 1) {
      const inFlight = await figureOf(service, 'selvedge_requests_in_flight')
      assert.ok(inFlight <= 16, `${inFlight} requests in progress`)
      await wait(10)
    }
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    socket.resume()
    const { length } = Buffer.from(await (await fetch(service.url + document)).arrayBuffer())
    await until(() => bytes > length * 40)
    socket.destroy()
    await until(async () => (await figureOf(service, 'selvedge_requests_in_flight')) === 0)
  })

  it('that were not read for longer than a head may take are answered when they are', async () => {
    // Long heads: what is read at once ends within one of them.
    const message = messageOf(document, `X-Padding: ${'x'.repeat(900)}`)
    const count = 100
    const socket = openUnread(service, message.repeat(count))
    await wait(7_000)
    let answers = 0
    const counter = openResponseCounter(() => {
      answers += 1
    })
    socket.on('data', counter)
    socket.resume()
    await until(() => answers === count || socket.destroyed)
    assert.equal(answers, count)
    // The head of another is begun and never ended: reading continues, so that it is late now.
    socket.write(message.slice(0, -2))
    await until(() => socket.destroyed)
  })

  it('an Expect header that is not offered does not lead past that', async () => {
    const socket = openSocket(service.url)
    socket.send(messageOf(document) + messageOf('/healthz', 'Expect: wonders').repeat(100))
    const { answers, closed } = await socket.until((said) => said.closed, 20_000)
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 417],
    )
    assert.ok(closed)
  })

  it('a connection whose requests would be too many for the process is cut, others are served', async () => {
    const small = await openTestService(
      {},
      { story: false, connectionLimits: { unfinishedMax: 100 } },
    )
    try {
      const socket = openSocket(small.url)
      socket.send(messageOf(document).repeat(1_000))
      const { closed } = await socket.until((said) => said.closed, 20_000)
      assert.ok(closed)
      assert.equal(await figureOf(small, 'selvedge_connections_cut_total{reason="pipelined"}'), 1)
      assert.equal((await fetch(`${small.url}/healthz`)).status, 200)
    } finally {
      await small.close()
    }
  })
})

describe('documents and files that do not change', () => {
  it('are compressed once, however often they are asked for', async () => {
    const service = await openTestService({}, { story: false })
    try {
      const body = Buffer.from(await (await fetch(service.url + document)).arrayBuffer())
      await compress(body, 'br')
      const once = await cpuOf(() => compress(body, 'br'))
      // Not fetch, which would decompress in this process.
      const ask = () =>
        new Promise<void>((resolve, reject) => {
          const headers = { 'accept-encoding': 'br' }
          get(service.url + document, { headers }, (response) => {
            assert.equal(response.headers['content-encoding'], 'br')
            response.resume().on('end', resolve)
          }).on('error', reject)
        })
      await ask()
      const count = 60
      const all = await cpuOf(() => Promise.all(Array.from({ length: count }, ask)))
      assert.ok(all < (once * count) / 2, `${all} µs for ${count}; compressing takes ${once} µs`)
    } finally {
      await service.close()
    }
  })

  it('are read from disk once, and shared', async () => {
    const built = await createConsole({ imageOrigin: () => '' })
    assert.ok(built)
    for (const encoding of ['br', 'gzip', null] as const) {
      assert.equal(await built.page().read(encoding), await built.page().read(encoding))
    }
  })
})

const cpuOf = async (action: () => Promise<unknown>): Promise<number> => {
  const started = process.cpuUsage()
  await action()
  const { user, system } = process.cpuUsage(started)
  return user + system
}

describe('compressions', () => {
  it('begin two at a time, and are all done in the end', async () => {
    const encoders = new Set<number>()
    const hook = createHook({
      init: (id, type) => {
        if (type === 'ZLIB') encoders.add(id)
      },
    }).enable()
    const body = randomBytes(200_000)
    const all = Promise.all(Array.from({ length: 20 }, () => compress(body, 'br')))
    assert.equal(encoders.size, 2)
    const packed = await all
    hook.disable()
    assert.equal(encoders.size, 20)
    for (const each of packed) assert.ok(each.length > 0)
  })
})

describe('responses that clients do not read', { timeout: 180_000 }, () => {
  let service: TestService
  let key: string
  before(async () => {
    service = await openTestService({ SEND_TIMEOUT_SECONDS: '1' })
    key = await service.key('aldermoor')
    const names = Array.from({ length: 100 }, (_, index) => ({
      id: `5d1f3a52-6a0f-4c6e-9a51-${String(index).padStart(12, '0')}`,
      name: `${index} ${'long '.repeat(4_000)}`,
    }))
    const [tag] = (await service.get('tags?limit=1')).body.items
    await service.write('aldermoor', { tags: names.map((each) => ({ ...tag, ...each })) })
    await service.images.put(picture, randomBytes(8 * 2 ** 20))
  })
  after(() => service.close())

  const picture = {
    brand: 'aldermoor',
    id: '5d1f3a52-6a0f-4c6e-9a51-0c8f5e0b7a01',
    mimeType: 'image/png',
    fileName: 'large.png',
  }
  const mcpBody = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  })
  const mcpMessage = () =>
    [
      'POST /mcp HTTP/1.1',
      'Host: api',
      `Authorization: Bearer ${key}`,
      'Content-Type: application/json',
      'Accept: application/json, text/event-stream',
      `Content-Length: ${mcpBody.length}`,
      '',
      mcpBody,
    ].join('\r\n')
  const kinds: { readonly [what: string]: () => Promise<string> } = {
    'a document': async () => messageOf(document),
    'a picture': async () => {
      const { pathname, search } = new URL((await service.images.link(picture))?.url ?? '')
      return messageOf(pathname + search)
    },
    'pages of the API': async () =>
      messageOf(
        `${basePath}/brands/aldermoor/tags?limit=100`,
        `Authorization: Bearer ${key}`,
        'Accept-Encoding: identity',
      ),
    'messages of an agent': async () => mcpMessage(),
  }
  const cuts = () => figureOf(service, 'selvedge_connections_cut_total{reason="stalled"}')

  for (const [what, messageFor] of Object.entries(kinds)) {
    it(`${what}: the connection is cut and nothing is kept`, async () => {
      const before = await cuts()
      const repeats = what === 'messages of an agent' ? 1_500 : 40
      const socket = openUnread(service, (await messageFor()).repeat(repeats))
      await until(async () => (await figureOf(service, 'selvedge_unsent_bytes')) > 0)
      await until(async () => (await cuts()) > before)
      socket.destroy()
      assert.equal(await figureOf(service, 'selvedge_unsent_bytes'), 0)
    })
  }

  it('a client that reads slowly all the time is not cut', async () => {
    const before = await cuts()
    const socket = openUnread(service, messageOf(document).repeat(12))
    let bytes = 0
    const began = performance.now()
    // As many megabytes a second as the kernel's buffers make visible within the short timeout.
    while (performance.now() - began < 3_000) {
      for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) bytes += chunk.length
      await wait(20)
    }
    socket.destroy()
    assert.ok(bytes > 0)
    assert.equal(await cuts(), before)
  })

  it('pictures are sent a few at a time: those who do not read them are cut and others served', async () => {
    const small = await openTestService(
      {},
      { folder: service.folder, story: false, connectionLimits: { heldBytesMax: 2 ** 22 } },
    )
    try {
      const { pathname, search } = new URL((await small.images.link(picture))?.url ?? '')
      const message = messageOf(pathname + search)
      const sockets = Array.from({ length: 12 }, () => openUnread(small, message.repeat(8)))
      await until(async () => (await figureOf(small, 'selvedge_unsent_bytes')) > 0)
      // A piece of 128 KB for each of the four that fit into the share of one client.
      assert.ok((await figureOf(small, 'selvedge_unsent_bytes')) < 5 * 140_000)
      const response = await fetch(small.url + pathname + search)
      assert.equal(response.status, 200)
      assert.equal((await response.arrayBuffer()).byteLength, 8 * 2 ** 20)
      assert.ok((await figureOf(small, 'selvedge_connections_cut_total{reason="memory"}')) > 0)
      for (const socket of sockets) socket.destroy()
    } finally {
      await small.close()
    }
  })

  it('of one key make its own requests wait, and none of another key', async () => {
    const small = await openTestService(
      { SEND_TIMEOUT_SECONDS: '30', KEY_CONCURRENCY: '4' },
      {
        folder: service.folder,
        story: false,
        connectionLimits: { heldBytesMax: 2 ** 24, idleUnderPressureMs: 60_000 },
      },
    )
    try {
      const other = await small.key('aldermoor')
      const path = `${basePath}/brands/aldermoor/tags?limit=`
      const ask = (limit: number, by: string) =>
        fetch(`${small.url}${path}${limit}`, { headers: { authorization: `Bearer ${by}` } })
      // Pages of 1.2 MB, of which the share of a key holds four. None of them is cached.
      const sockets = Array.from({ length: 8 }, (_, index) =>
        openUnread(
          small,
          messageOf(
            `${path}${60 + index}`,
            `Authorization: Bearer ${key}`,
            'Accept-Encoding: identity',
          ).repeat(8),
        ),
      )
      let own = ask(1, key)
      // Longer than a request waits for one of the key's places.
      const isAnswered = () => Promise.race([own.then(() => true), wait(3_000, false)])
      for (let limit = 2; (await isAnswered()) && limit < 50; limit += 1) own = ask(limit, key)
      const answered = await Promise.race([ask(51, other), own])
      assert.equal(answered.status, 200)
      assert.match(answered.url, /limit=51$/)
      for (const socket of sockets) socket.destroy()
      assert.equal((await own).status, 200)
    } finally {
      await small.close()
    }
  })

  it('when they fill the memory meant for them, those who do not read are cut and others served', async () => {
    const small = await openTestService(
      {},
      { folder: service.folder, story: false, connectionLimits: { heldBytesMax: 2 ** 20 } },
    )
    try {
      const page = `${basePath}/brands/aldermoor/tags?limit=99`
      const authorization = `Authorization: Bearer ${key}`
      const message = messageOf(page, authorization, 'Accept-Encoding: identity')
      const sockets = Array.from({ length: 4 }, () => openUnread(small, message.repeat(8)))
      await until(async () => (await figureOf(small, 'selvedge_unsent_bytes')) > 0)
      const response = await fetch(`${small.url}${page}`, {
        headers: { authorization: `Bearer ${key}` },
      })
      assert.equal(response.status, 200)
      assert.equal(((await response.json()) as { items: unknown[] }).items.length, 99)
      assert.ok((await figureOf(small, 'selvedge_connections_cut_total{reason="memory"}')) > 0)
      for (const socket of sockets) socket.destroy()
    } finally {
      await small.close()
    }
  })
})
