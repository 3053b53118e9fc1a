/** Messages that are not valid HTTP, or just odd, and how each is answered. */
import assert from 'node:assert/strict'
import { basePath, type ErrorCode, errors } from '#contract'
import { message, openSocket, type RawAnswer } from './raw-socket.ts'

export const brandPath = `${basePath}/brands/aldermoor`
export const tags = `${brandPath}/tags`

/** Writes messages that are as they should be but for what is being tried. */
export interface Speaker {
  readonly url: string
  /** The header with a good key. */
  readonly authorization: string
  /** A message whose headers are as they should be, and those that are being tried. */
  ask(line: string, ...headers: string[]): string
  get(target: string, ...headers: string[]): string
}

/** Each message comes from an address of its own, so that none is refused for the others' failures. */
export const openSpeaker = (url: string, key: string): Speaker => {
  const authorization = `Authorization: Bearer ${key}`
  let visitors = 0
  const ask = (line: string, ...headers: string[]): string => {
    visitors += 1
    const from = `X-Forwarded-For: 10.1.${visitors >> 8}.${visitors & 255}`
    return message(line, 'Host: api', authorization, from, ...headers)
  }
  return {
    url,
    authorization,
    ask,
    get: (target, ...headers) => ask(`GET ${target} HTTP/1.1`, ...headers),
  }
}

export const assertShape = ({ status, headers, body }: RawAnswer): ErrorCode => {
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
export const assertServing = async ({ url, get }: Speaker): Promise<void> => {
  const socket = openSocket(url)
  socket.send(get(tags, 'Connection: close'))
  const { answers, rest } = await socket.until(({ closed }) => closed)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200],
  )
  assert.equal(rest, '')
}

export interface Shape {
  readonly what: string
  /** Written when it is tried, since a key is known only then. */
  readonly send: (speaker: Speaker) => string
  readonly status: number
  readonly code?: ErrorCode
  /** The server ends the connection by itself. */
  readonly closes?: true
}

const refused = (what: string, send: (speaker: Speaker) => string): Shape => ({
  what,
  send,
  status: 400,
  code: 'malformed_request',
  closes: true,
})

const tooLarge = (what: string, send: (speaker: Speaker) => string): Shape => ({
  what,
  send,
  status: 431,
  code: 'headers_too_large',
  closes: true,
})

const served = (what: string, send: (speaker: Speaker) => string): Shape => ({
  what,
  send,
  status: 200,
})

const emptyChunks = '0\r\n\r\n'
const chunked = 'Transfer-Encoding: chunked'

const framing: readonly Shape[] = [
  refused('garbage', () => 'asdf\r\n\r\n'),
  refused('NUL bytes', () => '\0\0\0\0\r\n\r\n'),
  refused('the beginning of TLS', () => '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03'),
  refused('Content-Length and Transfer-Encoding', ({ get }) => {
    return get(tags, 'Content-Length: 5', chunked) + emptyChunks
  }),
  refused('Transfer-Encoding and Content-Length', ({ get }) => {
    return get(tags, chunked, 'Content-Length: 5') + emptyChunks
  }),
  refused('two equal Content-Lengths', ({ get }) =>
    get(tags, 'Content-Length: 0', 'Content-Length: 0'),
  ),
  refused('two Content-Lengths', ({ get }) => get(tags, 'Content-Length: 0', 'Content-Length: 5')),
  refused('Content-Length: +0', ({ get }) => get(tags, 'Content-Length: +0')),
  refused('Content-Length: 0x0', ({ get }) => get(tags, 'Content-Length: 0x0')),
  refused('Content-Length: -1', ({ get }) => get(tags, 'Content-Length: -1')),
  refused('Content-Length: 5, 5', ({ get }) => `${get(tags, 'Content-Length: 5, 5')}hello`),
  refused('an empty Content-Length', ({ get }) => get(tags, 'Content-Length:')),
  refused('a Content-Length beyond all numbers', ({ get }) => {
    return get(tags, `Content-Length: ${'9'.repeat(30)}`)
  }),
  refused('Transfer-Encoding: xchunked', ({ get }) => get(tags, 'Transfer-Encoding: xchunked')),
  refused('Transfer-Encoding: identity', ({ get }) => get(tags, 'Transfer-Encoding: identity')),
  refused('Transfer-Encoding: chunked, identity', ({ get }) => {
    return get(tags, 'Transfer-Encoding: chunked, identity')
  }),
  refused('two Transfer-Encodings', ({ get }) => get(tags, chunked, chunked) + emptyChunks),
  refused('a vertical tab before chunked', ({ get }) => {
    return get(tags, 'Transfer-Encoding: \x0bchunked') + emptyChunks
  }),
  refused('a blank before the colon of Transfer-Encoding', ({ get }) => {
    return get(tags, 'Transfer-Encoding : chunked') + emptyChunks
  }),
  served(
    'a tab before chunked',
    ({ get }) => get(tags, 'Transfer-Encoding:\tchunked') + emptyChunks,
  ),
  refused('a chunk whose size is not a number', ({ get }) => `${get(tags, chunked)}zz\r\n`),
  refused('a chunk extension of 20 KiB', ({ get }) => {
    return `${get(tags, chunked)}1;${'x'.repeat(20_480)}\r\na\r\n${emptyChunks}`
  }),
  served(
    'trailers',
    ({ get }) => `${get(tags, chunked, 'Trailer: X-T')}1\r\na\r\n0\r\nX-T: y\r\n\r\n`,
  ),
  served('a body on a GET', ({ get }) => `${get(tags, 'Content-Length: 5')}hello`),
  served('half a JSON body on a GET', ({ get }) => {
    return `${get(tags, 'Content-Type: application/json', 'Content-Length: 5')}{"a":`
  }),
  {
    what: 'a key that comes in a trailer',
    send: ({ authorization }) =>
      `${message(`GET ${tags} HTTP/1.1`, 'Host: api', chunked)}0\r\n${authorization}\r\n\r\n`,
    status: 401,
    code: 'missing_api_key',
  },
  {
    what: 'a body on a POST',
    send: ({ ask }) => `${ask(`POST ${tags} HTTP/1.1`, 'Content-Length: 3')}abc`,
    status: 405,
    code: 'method_not_allowed',
  },
]

const headers: readonly Shape[] = [
  refused('a folded header', ({ get }) => get(tags, 'X-A: b', ' c')),
  refused('a folded first header', () => message(`GET ${tags} HTTP/1.1`, ' Host: api')),
  refused('bare line feeds', ({ get }) => get(tags).replaceAll('\r\n', '\n')),
  refused('bare carriage returns', ({ get }) => get(tags).replaceAll('\r\n', '\r')),
  refused('a bare line feed in a value', ({ get }) => get(tags, 'X-A: b\nX-B: c')),
  refused('a bare carriage return in a value', ({ get }) => get(tags, 'X-A: b\rc')),
  refused('a blank before a colon', ({ get }) => get(tags, 'X-A : b')),
  refused('a NUL in a value', ({ get }) => get(tags, 'X-A: b\0c')),
  refused('a NUL in a name', ({ get }) => get(tags, 'X\0A: b')),
  refused('a control character in a value', ({ get }) => get(tags, 'X-A: \x01')),
  refused('a header without a colon', ({ get }) => get(tags, 'XA')),
  refused('a header without a name', ({ get }) => get(tags, ': b')),
  refused('no Host', ({ authorization }) => message(`GET ${tags} HTTP/1.1`, authorization)),
  refused('two Hosts', ({ get }) => get(tags, 'Host: other')),
  refused('the same Host twice', ({ get }) => get(tags, 'host: api')),
  tooLarge('a second Host after 1,100 short headers', ({ get }) => {
    return get(tags, ...Array.from({ length: 1_100 }, () => 'a:1'), 'Host: other')
  }),
  served('bytes beyond ASCII in a value', ({ get }) => get(tags, 'X-A: \xff\xfe')),
  served('Connection naming Authorization', ({ get }) => {
    return get(tags, 'Connection: keep-alive, authorization')
  }),
  served('an upgrade to h2c', ({ get }) => {
    return get(
      tags,
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA',
    )
  }),
  served('an upgrade to WebSocket', ({ get }) =>
    get(tags, 'Connection: Upgrade', 'Upgrade: websocket'),
  ),
  {
    what: 'Expect: foo',
    send: ({ get }) => get(tags, 'Expect: foo'),
    status: 417,
    code: 'expectation_failed',
    closes: true,
  },
  {
    what: 'two Authorization headers',
    send: ({ get, authorization }) => get(tags, authorization),
    status: 401,
    code: 'invalid_api_key',
  },
  tooLarge('a header over 16 KiB', ({ get }) => get(tags, `X-A: ${'a'.repeat(17_000)}`)),
  tooLarge('2,000 headers', ({ get }) => {
    return get(tags, ...Array.from({ length: 2_000 }, (_, index) => `X-${index}: a`))
  }),
]

const requestLines: readonly Shape[] = [
  refused('HTTP/0.9 without a version', () => `GET ${tags}\r\n\r\n`),
  refused('HTTP/0.9', ({ ask }) => ask(`GET ${tags} HTTP/0.9`)),
  {
    what: 'HTTP/1.0 without a Host',
    send: ({ authorization }) => message(`GET ${tags} HTTP/1.0`, authorization),
    status: 200,
    closes: true,
  },
  refused('HTTP/1.2', ({ ask }) => ask(`GET ${tags} HTTP/1.2`)),
  refused('HTTP/2.0 in the words of HTTP/1', ({ ask }) => ask(`GET ${tags} HTTP/2.0`)),
  refused('HTTP/3.0', ({ ask }) => ask(`GET ${tags} HTTP/3.0`)),
  refused('http/1.1 in lower case', ({ ask }) => ask(`GET ${tags} http/1.1`)),
  refused('the preface of HTTP/2', () => 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  refused('an unknown method', ({ ask }) => ask(`FETCH ${tags} HTTP/1.1`)),
  refused('a method in lower case', ({ ask }) => ask(`get ${tags} HTTP/1.1`)),
  refused('tabs in the request line', ({ ask }) => ask(`GET\t${tags}\tHTTP/1.1`)),
  refused('a blank in the target', ({ get }) => get(`${tags}?name=a b`)),
  refused('a raw byte beyond ASCII in the target', ({ get }) => get(`${tags}/\xe9`)),
  refused('a target without a slash', ({ get }) => get('api')),
  refused('a fragment in the target', ({ get }) => get(`${tags}#x`)),
  refused('a fragment before the query', ({ get }) => get(`${tags}#x?limit=1`)),
  served('empty lines before the request', ({ get }) => `\r\n\r\n${get(tags)}`),
  served('the absolute form with another host', ({ get }) => get(`http://other.example${tags}`)),
  {
    what: 'the absolute form with a path that is not there',
    send: ({ get }) => get('http://other.example/nothing'),
    status: 404,
    code: 'not_found',
  },
  served('the absolute form without a path', ({ get }) => get('http://other.example')),
  {
    what: 'the absolute form of another scheme',
    send: ({ get }) => get(`ftp://other.example${tags}`),
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
    send: ({ ask }) => ask('OPTIONS * HTTP/1.1'),
    status: 404,
    code: 'not_found',
  },
  {
    what: 'QUERY',
    send: ({ ask }) => ask(`QUERY ${tags} HTTP/1.1`),
    status: 405,
    code: 'method_not_allowed',
  },
]

const nothingThere = (what: string, target: string): Shape => ({
  what,
  send: ({ get }) => get(target),
  status: 404,
  code: 'not_found',
})

const notThisBrand = (what: string, slug: string): Shape => ({
  what,
  send: ({ get }) => get(`${basePath}/brands/${slug}/tags`),
  status: 401,
  code: 'out_of_scope',
})

const wrong = (what: string, target: string, code: ErrorCode = 'invalid_parameter'): Shape => ({
  what,
  send: ({ get }) => get(target),
  status: 400,
  code,
})

const targets: readonly Shape[] = [
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
  tooLarge('a target of 20 KiB', ({ get }) => get(`${tags}?name=${'a'.repeat(20_000)}`)),
  tooLarge('a cursor of 64 KiB', ({ get }) => get(`${tags}?cursor=${'a'.repeat(65_536)}`)),
]

export const shapes = { framing, headers, 'request lines': requestLines, targets }

/** Sends one, and expects it to be answered once and as it says, and the next client to be served. */
export const tryShape = async (speaker: Speaker, shape: Shape): Promise<void> => {
  const { send, status, code, closes } = shape
  const socket = openSocket(speaker.url)
  socket.send(send(speaker))
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
  await assertServing(speaker)
}
