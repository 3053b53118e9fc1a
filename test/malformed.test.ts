import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath, type ErrorCode, errors } from '#contract'
import { itHolds } from './support/figure.ts'
import { openTestService, type TestService } from './support/service.ts'

const brandPath = `${basePath}/brands/aldermoor`
const tags = `${brandPath}/tags`

let service: TestService
let authorization = ''

before(async () => {
  // Each case comes from an address of its own, so that none is refused for the others' failures.
  service = await openTestService({ TRUSTED_PROXIES: '127.0.0.1' })
  authorization = `Authorization: Bearer ${await service.key('aldermoor')}`
})

after(() => service.close())

interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** What came back on a socket: whole answers, and whether the server has closed it. */
interface Conversation {
  readonly answers: readonly RawAnswer[]
  readonly rest: string
  readonly closed: boolean
}

/** A socket that is read as Latin-1, so that a character is a byte. */
const openSocket = () => {
  const socket: Socket = connect(Number(new URL(service.url).port), '127.0.0.1')
  let received = ''
  let closed = false
  let heard = () => {}
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    heard()
  })
  socket.on('close', () => {
    closed = true
    heard()
  })
  // A reset after an answer is the same end as any other.
  socket.on('error', () => {})
  const said = (): Conversation => ({ ...readAnswers(received), closed })
  return {
    send: (text: string) => {
      if (socket.writable) socket.write(text, 'latin1')
    },
    said,
    until: async (enough: (said: Conversation) => boolean, limitMs = 3_000) => {
      const deadline = performance.now() + limitMs
      while (!enough(said()) && performance.now() < deadline) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, deadline - performance.now())
          heard = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      return said()
    },
    destroy: () => socket.destroy(),
  }
}

const readAnswers = (text: string): { answers: RawAnswer[]; rest: string } => {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (end === -1 || Number.isNaN(status)) break
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      }),
    )
    const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0)
    if (rest.length < bodyEnd) break
    answers.push({ status, headers, body: rest.slice(end + 4, bodyEnd) })
    rest = rest.slice(bodyEnd)
  }
  return { answers, rest }
}

const message = (line: string, ...headers: string[]): string =>
  [line, ...headers, '', ''].join('\r\n')

let visitors = 0

/** A message whose headers are as they should be, and those that are being tried. */
const ask = (line: string, ...headers: string[]): string => {
  visitors += 1
  const from = `X-Forwarded-For: 10.1.${visitors >> 8}.${visitors & 255}`
  return message(line, 'Host: api', authorization, from, ...headers)
}

const get = (target: string, ...headers: string[]): string =>
  ask(`GET ${target} HTTP/1.1`, ...headers)

const assertShape = ({ status, headers, body }: RawAnswer): ErrorCode => {
  assert.equal(headers.get('content-type'), 'application/json; charset=utf-8')
  assert.equal(headers.get('x-content-type-options'), 'nosniff')
  assert.equal(Number(headers.get('content-length')), body.length)
  const parsed = JSON.parse(body) as { error: string; errorCode: ErrorCode; details?: unknown }
  const extra = Object.keys(parsed).filter((name) => !/^(error|errorCode|details)$/.test(name))
  assert.deepEqual(extra, [])
  assert.equal(typeof parsed.error, 'string')
  assert.equal(errors[parsed.errorCode]?.status, status, body)
  return parsed.errorCode
}

/** Asks on a new connection, and expects to be served. */
const assertServing = async (): Promise<void> => {
  const socket = openSocket()
  socket.send(get(tags, 'Connection: close'))
  const { answers, rest } = await socket.until(({ closed }) => closed)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  )
  assert.equal(rest, '')
}

interface Case {
  readonly what: string
  /** Written when it is tried, since a key is known only then. */
  readonly send: () => string
  readonly status: number
  readonly code?: ErrorCode
  /** The server ends the connection by itself. */
  readonly closes?: true
}

const refused = (what: string, send: () => string): Case => ({
  what,
  send,
  status: 400,
  code: 'malformed_request',
  closes: true,
})

const tooLarge = (what: string, send: () => string): Case => ({
  what,
  send,
  status: 431,
  code: 'headers_too_large',
  closes: true,
})

const served = (what: string, send: () => string): Case => ({ what, send, status: 200 })

const emptyChunks = '0\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked'

const framing: readonly Case[] = [
  refused('garbage', () => 'asdf\r\n\r\n'),
  refused('NUL bytes', () => '\0\0\0\0\r\n\r\n'),
  refused('the beginning of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  refused('Content-Length and Transfer-Encoding', () => {
    return get(tags, 'Content-Length: 5', chunked) + emptyChunks
  }),
  refused('Transfer-Encoding and Content-Length', () => {
    return get(tags, chunked, 'Content-Length: 5') + emptyChunks
  }),
  refused('two equal Content-Lengths', () => get(tags, 'Content-Length: 0', 'Content-Length: 0')),
  refused('two Content-Lengths', () => get(tags, 'Content-Length: 0', 'Content-Length: 5')),
  refused('Content-Length: +0', () => get(tags, 'Content-Length: +0')),
  refused('Content-Length: 0x0', () => get(tags, 'Content-Length: 0x0')),
  refused('Content-Length: -1', () => get(tags, 'Content-Length: -1')),
  refused('Content-Length: 5, 5', () => `${get(tags, 'Content-Length: 5, 5')}hello`),
  refused('an empty Content-Length', () => get(tags, 'Content-Length:')),
  refused('a Content-Length beyond all numbers', () => {
    return get(tags, `Content-Length: ${'9'.repeat(30)}`)
  }),
  refused('Transfer-Encoding: xchunked', () => get(tags, 'Transfer-Encoding: xchunked')),
  refused('Transfer-Encoding: identity', () => get(tags, 'Transfer-Encoding: identity')),
  refused('Transfer-Encoding: chunked, identity', () => {
    return get(tags, 'Transfer-Encoding: chunked, identity')
  }),
  refused('two Transfer-Encodings', () => get(tags, chunked, chunked) + emptyChunks),
  refused('a vertical tab before chunked', () => {
    return get(tags, 'Transfer-Encoding: \x0bchunked') + emptyChunks
  }),
  refused('a blank before the colon of Transfer-Encoding', () => {
    return get(tags, 'Transfer-Encoding : chunked') + emptyChunks
  }),
  served('a tab before chunked', () => get(tags, 'Transfer-Encoding:\tchunked') + emptyChunks),
  refused('a chunk whose size is no number', () => `${get(tags, chunked)}zz\r\n`),
  refused('a chunk extension of 20 KiB', () => {
    return `${get(tags, chunked)}1;${'x'.repeat(20_480)}\r\na\r\n${emptyChunks}`
  }),
  served('trailers', () => `${get(tags, chunked, 'Trailer: X-T')}1\r\na\r\n0\r\nX-T: y\r\n\r\n`),
  served('a body on a GET', () => `${get(tags, 'Content-Length: 5')}hello`),
  served('half a JSON body on a GET', () => {
    return `${get(tags, 'Content-Type: application/json', 'Content-Length: 5')}{"a":`
  }),
  {
    what: 'a key that comes in a trailer',
    send: () =>
      `${message(`GET ${tags} HTTP/1.1`, 'Host: api', chunked)}0\r\n${authorization}\r\n\r\n`,
    status: 401,
    code: 'missing_api_key',
  },
  {
    what: 'a body on a POST',
    send: () => `${ask(`POST ${tags} HTTP/1.1`, 'Content-Length: 3')}abc`,
    status: 405,
    code: 'method_not_allowed',
  },
]

const headers: readonly Case[] = [
  refused('a folded header', () => get(tags, 'X-A: b', ' c')),
  refused('a folded first header', () => message(`GET ${tags} HTTP/1.1`, ' Host: api')),
  refused('bare line feeds', () => get(tags).replaceAll('\r\n', '\n')),
  refused('bare carriage returns', () => get(tags).replaceAll('\r\n', '\r')),
  refused('a bare line feed in a value', () => get(tags, 'X-A: b\nX-B: c')),
  refused('a bare carriage return in a value', () => get(tags, 'X-A: b\rc')),
  refused('a blank before a colon', () => get(tags, 'X-A : b')),
  refused('a NUL in a value', () => get(tags, 'X-A: b\0c')),
  refused('a NUL in a name', () => get(tags, 'X\0A: b')),
  refused('a control character in a value', () => get(tags, 'X-A: \x01')),
  refused('a header without a colon', () => get(tags, 'XA')),
  refused('a header without a name', () => get(tags, ': b')),
  refused('no Host', () => message(`GET ${tags} HTTP/1.1`, authorization)),
  refused('two Hosts', () => get(tags, 'Host: other')),
  refused('the same Host twice', () => get(tags, 'host: api')),
  tooLarge('a second Host after 1,100 short headers', () => {
    return get(tags, ...Array.from({ length: 1_100 }, () => 'a:1'), 'Host: other')
  }),
  served('bytes beyond ASCII in a value', () => get(tags, 'X-A: \xff\xfe')),
  served('Connection naming Authorization', () => {
    return get(tags, 'Connection: keep-alive, authorization')
  }),
  served('an upgrade to h2c', () => {
    return get(
      tags,
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
    )
  }),
  served('an upgrade to WebSocket', () => get(tags, 'Connection: Upgrade', 'Upgrade: websocket')),
  {
    what: 'Expect: foo',
    send: () => get(tags, 'Expect: foo'),
    status: 417,
    code: 'expectation_failed',
    closes: true,
  },
  {
    what: 'two Authorization headers',
    send: () => get(tags, authorization),
    status: 401,
    code: 'invalid_api_key',
  },
  tooLarge('a header over 16 KiB', () => get(tags, `X-A: ${'a'.repeat(17_000)}`)),
  tooLarge('2,000 headers', () => {
    return get(tags, ...Array.from({ length: 2_000 }, (_, index) => `X-${index}: a`))
  }),
]

const requestLines: readonly Case[] = [
  refused('HTTP/0.9 without a version', () => `GET ${tags}\r\n\r\n`),
  refused('HTTP/0.9', () => ask(`GET ${tags} HTTP/0.9`)),
  {
    what: 'HTTP/1.0 without a Host',
    send: () => message(`GET ${tags} HTTP/1.0`, authorization),
    status: 200,
    closes: true,
  },
  refused('HTTP/1.2', () => ask(`GET ${tags} HTTP/1.2`)),
  refused('HTTP/2.0 in the words of HTTP/1', () => ask(`GET ${tags} HTTP/2.0`)),
  refused('HTTP/3.0', () => ask(`GET ${tags} HTTP/3.0`)),
  refused('http/1.1 in lower case', () => ask(`GET ${tags} http/1.1`)),
  refused('the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('an unknown method', () => ask(`FETCH ${tags} HTTP/1.1`)),
  refused('a method in lower case', () => ask(`get ${tags} HTTP/1.1`)),
  refused('tabs in the request line', () => ask(`GET\t${tags}\tHTTP/1.1`)),
  refused('a blank in the target', () => get(`${tags}?name=a b`)),
  refused('a raw byte beyond ASCII in the target', () => get(`${tags}/\xe9`)),
  refused('a target without a slash', () => get('api')),
  refused('a fragment in the target', () => get(`${tags}#x`)),
  refused('a fragment before the query', () => get(`${tags}#x?limit=1`)),
  served('empty lines before the request', () => `\r\n\r\n${get(tags)}`),
  served('the absolute form with another host', () => get(`http://other.example${tags}`)),
  {
    what: 'the absolute form with a path that is not there',
    send: () => get('http://other.example/nothing'),
    status: 404,
    code: 'not_found',
  },
  served('the absolute form without a path', () => get('http://other.example')),
  {
    what: 'the absolute form of another scheme',
    send: () => get(`ftp://other.example${tags}`),
    status: 404,
    code: 'not_found',
  },
  {
    what: 'CONNECT',
    send: () => message('CONNECT example.com:443 HTTP/1.1', 'Host: example.com:443'),
    status: 405,
    code: 'method_not_allowed',
    closes: true,
  },
  {
    what: 'OPTIONS *',
    send: () => ask('OPTIONS * HTTP/1.1'),
    status: 404,
    code: 'not_found',
  },
  {
    what: 'QUERY',
    send: () => ask(`QUERY ${tags} HTTP/1.1`),
    status: 405,
    code: 'method_not_allowed',
  },
]

const nothingThere = (what: string, target: string): Case => ({
  what,
  send: () => get(target),
  status: 404,
  code: 'not_found',
})

const notThisBrand = (what: string, slug: string): Case => ({
  what,
  send: () => get(`${basePath}/brands/${slug}/tags`),
  status: 401,
  code: 'out_of_scope',
})

const wrong = (what: string, target: string, code: ErrorCode = 'invalid_parameter'): Case => ({
  what,
  send: () => get(target),
  status: 400,
  code,
})

const targets: readonly Case[] = [
  wrong('a path that is not percent-encoded', `${basePath}/brands/%ZZ/tags`, 'malformed_request'),
  wrong('a path that is not UTF-8', `${basePath}/brands/%ff/tags`, 'malformed_request'),
  notThisBrand('a NUL as brand', '%00'),
  notThisBrand('a slash in the brand', 'a%2Fb'),
  notThisBrand('a path into the brand', 'birkholm%2F..%2Faldermoor'),
  notThisBrand('dots as brand', '%2e%2e'),
  notThisBrand('the brand in upper case', 'ALDERMOOR'),
  notThisBrand('the name of a prototype as brand', '__proto__'),
  notThisBrand('a brand of 8 KiB', 'a'.repeat(8_192)),
  nothingThere('an empty segment', `${brandPath}//tags`),
  nothingThere('an empty first segment', `/${tags}`),
  nothingThere('a single dot', `${brandPath}/./tags`),
  nothingThere('two dots', `${brandPath}/../aldermoor/tags`),
  nothingThere('two encoded dots', `${brandPath}/%2e%2e/aldermoor/tags`),
  nothingThere('a parameter of the path', `${tags};v=1`),
  nothingThere('backslashes', tags.replaceAll('/brands/', '\\brands\\')),
  nothingThere('a path in upper case', tags.toUpperCase()),
  nothingThere('a path outside the API', '/nothing'),
  nothingThere('a page below a record', '/brands/aldermoor/tags/1/history'),
  nothingThere('an asterisk', '*'),
  nothingThere('a slash after a collection that has no get', `${brandPath}/product-tags/`),
  wrong('a slash after a collection', `${tags}/`),
  wrong('a slash in an id', `${tags}/a%2Fb`),
  wrong('an id that is encoded twice', `${tags}/%2561`),
  wrong('a NUL in an id', `${tags}/%00`),
  wrong('an id of 8 KiB', `${tags}/${'a'.repeat(8_192)}`),
  wrong('two question marks', `${tags}?limit=1?limit=2`),
  wrong('a target of 15 KiB', `${tags}?name=${'a'.repeat(15_000)}`),
  wrong('a cursor of 12 KiB', `${tags}?cursor=${'a'.repeat(12_000)}`, 'invalid_cursor'),
  wrong(
    '1,001 parameters',
    `${tags}?${Array.from({ length: 1_001 }, (_, index) => `p${index}=1`).join('&')}`,
  ),
  tooLarge('a target of 20 KiB', () => get(`${tags}?name=${'a'.repeat(20_000)}`)),
  tooLarge('a cursor of 64 KiB', () => get(`${tags}?cursor=${'a'.repeat(65_536)}`)),
]

const tables = { framing, headers, 'request lines': requestLines, targets }

for (const [about, cases] of Object.entries(tables)) {
  describe(`odd ${about}`, () => {
    for (const { what, send, status, code, closes } of cases) {
      const end = closes ? ' and the connection is closed' : ''
      it(`${what} is answered once, with ${code ?? status}${end}`, async () => {
        const socket = openSocket()
        socket.send(send())
        if (!closes) {
          await socket.until(({ answers }) => answers.length > 0)
          // Had there been more than one answer, this one would not be the second.
          socket.send(message('GET /healthz HTTP/1.1', 'Host: api', 'Connection: close'))
        }
        const { answers, rest, closed } = await socket.until((said) => said.closed)
        socket.destroy()
        assert.deepEqual(
          answers.map((answer) => answer.status),
          closes ? [status] : [status, 200],
        )
        assert.equal(rest, '')
        assert.ok(closed, 'the connection is still open')
        const [answer] = answers
        assert.ok(answer)
        if (status !== 200) assert.equal(assertShape(answer), code)
        if (closes) assert.equal(answer.headers.get('connection'), 'close')
        await assertServing()
      })
    }
  })
}

it('there are at least 60 odd shapes', () => {
  assert.ok(Object.values(tables).flat().length >= 60)
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

  it('Expect: 100-continue is told to go on, then answered once', async () => {
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
  itHolds('slow')

  /** Sends a byte at a time until the server has had enough; answers how long that took. */
  const drip = async (socket: ReturnType<typeof openSocket>, text: string, limitMs: number) => {
    const startedAt = performance.now()
    for (let index = 0; !socket.said().closed; index += 1) {
      assert.ok(performance.now() - startedAt < limitMs, `still open after ${limitMs} ms`)
      socket.send(text[index % text.length] ?? '')
      await wait(250)
    }
    return performance.now() - startedAt
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
    for (let turn = 0; turn < 10; turn += 1) {
      await assertServing()
      await wait(500)
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
