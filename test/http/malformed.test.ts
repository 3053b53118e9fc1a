import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { until } from '../support/cluster.ts'
import { message, openSocket as openSocketTo } from '../support/raw-socket.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  assertServing as assertServingTo,
  assertShape,
  brandPath,
  openSpeaker,
  type Speaker,
  shapes,
  tags,
  tryShape,
} from '../support/shapes.ts'

let service: TestService
let speaker: Speaker

before(async () => {
  service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
  speaker = openSpeaker(service.url, await service.key('aldermoor'))
})

after(() => service.close())

const openSocket = () => openSocketTo(service.url)
const assertServing = () => assertServingTo(speaker)
const get = (target: string, ...headers: string[]) => speaker.get(target, ...headers)
const chunked = 'Transfer-Encoding: chunked'

for (const [about, cases] of Object.entries(shapes)) {
  describe(`odd ${about}`, () => {
    for (const shape of cases) {
      const end = shape.closes ? ' and the connection is closed' : ''
      it(`${shape.what} is answered once, with ${shape.code ?? shape.status}${end}`, () =>
        tryShape(speaker, shape))
    }
  })
}

it('there are at least 60 odd shapes', () => {
  assert.ok(Object.values(shapes).flat().length >= 60)
})

describe('several messages on one connection', () => {
  it('200 requests at once are answered one by one, in order', async () => {
    const socket = openSocket()
    const count = 200
    const one = (index: number) =>
      get(`${brandPath}/${index % 2 === 0 ? 'tags' : 'orders'}`, `X-Request-Id: turn-${index}`)
    socket.send(Array.from({ length: count }, (_, index) => one(index)).join(''))
    const { answers, rest } = await socket.until((said) => said.answers.length >= count, 5_000)
    socket.destroy()
    assert.equal(rest, '')
    assert.deepEqual(
      answers.map(({ status, headers }) => `${status} ${headers.get('x-request-id')}`),
      Array.from({ length: count }, (_, index) => `200 turn-${index}`),
    )
  })

  it('a good request before garbage is answered, the garbage refused', async () => {
    const socket = openSocket()
    socket.send(`${get(tags)}garbage\r\n\r\n`)
    const { answers, rest, closed } = await socket.until((said) => said.closed)
    socket.destroy()
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 400],
    )
    assert.equal(rest, '')
    assert.ok(closed)
    await assertServing()
  })

  it('nothing follows the answer to a pipelined request whose body then turns out bad', async () => {
    const socket = openSocket()
    socket.send(get(tags) + get(tags, chunked))
    await socket.until(({ answers }) => answers.length === 2)
    socket.send('zz\r\n')
    const { answers, rest, closed } = await socket.until((said) => said.closed)
    socket.destroy()
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200],
    )
    assert.equal(rest, '')
    assert.ok(closed)
  })

  it('a smuggled request in a body is never answered', async () => {
    const socket = openSocket()
    const inner = get(`${brandPath}/orders`, 'X-Request-Id: smuggled')
    socket.send(get(tags, `Content-Length: ${inner.length}`) + inner)
    await socket.until(({ answers }) => answers.length > 0)
    socket.send(message('GET /healthz HTTP/1.1', 'Host: api', 'Connection: close'))
    const { answers } = await socket.until(({ closed }) => closed)
    socket.destroy()
    assert.equal(answers.length, 2)
    assert.ok(answers.every(({ headers }) => headers.get('x-request-id') !== 'smuggled'))
  })

  it('Expect: 100-continue gets 100 Continue, then one response', async () => {
    const socket = openSocket()
    socket.send(get(tags, 'Expect: 100-continue', 'Content-Length: 2'))
    await socket.until(({ answers }) => answers.length > 0)
    socket.send(`hi${message('GET /healthz HTTP/1.1', 'Host: api', 'Connection: close')}`)
    const { answers } = await socket.until(({ closed }) => closed)
    socket.destroy()
    assert.deepEqual(
      answers.map(({ status }) => status),
      [100, 200, 200],
    )
  })
})

describe('slow clients', { concurrency: true }, () => {
  let dripping = 0

  /** Sends a byte at a time until the server has had enough. */
  const drip = async (socket: ReturnType<typeof openSocket>, text: string, limitMs: number) => {
    const startedAt = performance.now()
    dripping += 1
    try {
      for (let index = 0; !socket.said().closed; index += 1) {
        assert.ok(performance.now() - startedAt < limitMs, `still open after ${limitMs} ms`)
        socket.send(text[index % text.length] ?? '')
        await wait(250)
      }
    } finally {
      dripping -= 1
    }
  }

  it('headers that drip are cut within 7 s, with request_timeout', async () => {
    const socket = openSocket()
    socket.send(`GET ${tags} HTTP/1.1\r\nHost: api\r\nX-A: `)
    await drip(socket, 'a', 7_500)
    const { answers, rest } = socket.said()
    assert.equal(rest, '')
    assert.equal(answers.length, 1)
    const [answer] = answers
    assert.ok(answer)
    assert.equal(assertShape(answer), 'request_timeout')
    assert.equal(answer.headers.get('connection'), 'close')
  })

  it('a body that drips after the answer is cut within 12 s, and nothing more is sent', async () => {
    const socket = openSocket()
    socket.send(get(tags, 'Content-Length: 1000'))
    const first = await socket.until(({ answers }) => answers.length > 0)
    assert.equal(first.answers[0]?.status, 200)
    await drip(socket, 'a', 12_500)
    const { answers, rest } = socket.said()
    assert.equal(answers.length, 1)
    assert.equal(rest, '')
  })

  it('others are served meanwhile', async () => {
    await until(() => dripping === 2)
    while (dripping > 0) {
      await assertServing()
      await wait(100)
    }
  })
})

it('none of it reached the log as an error', () => {
  const levels = service.logged.map((line) => (JSON.parse(line) as { level: string }).level)
  assert.ok(!levels.includes('error'))
})

describe('a client that asks for a tunnel and goes away', () => {
  it('does not take the server with it', async () => {
    const service = await openTestService({}, { story: false })
    const { port } = new URL(service.url)
    for (let round = 0; round < 60; round += 1) {
      const socket = connect(Number(port), '127.0.0.1')
      socket.on('error', () => undefined)
      await new Promise((connected) => socket.once('connect', connected))
      socket.write('CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n')
      await new Promise((done) => setTimeout(done, round % 5))
      socket.resetAndDestroy()
    }
    assert.equal((await service.get('/healthz')).status, 200)
    await service.close()
  })
})
