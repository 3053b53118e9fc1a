import assert from 'node:assert/strict'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { ApiError, errors as codes, type ErrorCode } from '#contract'
import { encodeError, errorBody, errorHeaders, sendErrorOn } from '../../src/http/error-response.ts'

const usual = {
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  vary: 'Authorization, Accept-Encoding',
}

describe('an error response', () => {
  it('a body has error, errorCode, and details where there are any', () => {
    const bare = new ApiError('not_found', 'Not there.')
    assert.equal(errorBody(bare), '{"error":"Not there.","errorCode":"not_found"}')
    const detailed = new ApiError('invalid_parameter', 'Odd.', { details: [] })
    assert.equal(
      errorBody(detailed),
      '{"error":"Odd.","errorCode":"invalid_parameter","details":[]}',
    )
  })

  it('each code has the headers that belong to its status', () => {
    for (const code of Object.keys(codes) as ErrorCode[]) {
      const { status } = codes[code]
      assert.deepEqual(errorHeaders(new ApiError(code, 'Words.')), {
        ...usual,
        'cache-control': status === 400 || status === 404 ? 'private, no-cache' : 'no-store',
        ...(code === 'missing_api_key' && { 'www-authenticate': 'Bearer' }),
        ...(status === 401 &&
          code !== 'missing_api_key' && { 'www-authenticate': 'Bearer error="invalid_token"' }),
        ...(status === 405 && { allow: 'GET, HEAD' }),
      })
    }
    const late = new ApiError('rate_limited', 'Wait.', { retryAfterSeconds: 0 })
    assert.equal(errorHeaders(late)['retry-after'], '0')
  })

  it('lines and body are what is sent, a character for each byte', () => {
    const error = new ApiError('rate_limited', 'Wait für me.', { retryAfterSeconds: 3 })
    const encoded = encodeError(error)
    const { lines, body } = encoded
    const text = '{"error":"Wait für me.","errorCode":"rate_limited"}'
    assert.equal(body, Buffer.from(text).toString('latin1'))
    assert.ok(lines.includes('retry-after: 3\r\n'))
    assert.ok(lines.endsWith(`content-length: ${body.length}\r\n`))
    assert.equal(encodeError(error), encoded, 'encoded once')
    const other = new ApiError('not_found', 'Not there.')
    assert.deepEqual(encodeError(other), encodeError(other))
    assert.notEqual(encodeError(other), encodeError(other), 'not kept, since it is sent once')
  })

  it('on a socket begins with its status and the name of that status', () => {
    const statusLine = (code: ErrorCode): string | undefined => {
      const sent: string[] = []
      const socket = { end: (text: string) => sent.push(text) } as unknown as Socket
      sendErrorOn(socket, new ApiError(code, 'Words.'))
      return sent.join('').split('\r\n')[0]
    }
    assert.equal(statusLine('malformed_request'), 'HTTP/1.1 400 Bad Request')
    assert.equal(statusLine('method_not_allowed'), 'HTTP/1.1 405 Method Not Allowed')
    assert.equal(statusLine('request_timeout'), 'HTTP/1.1 408 Request Timeout')
    assert.equal(statusLine('headers_too_large'), 'HTTP/1.1 431 Request Header Fields Too Large')
    assert.equal(statusLine('internal_error'), 'HTTP/1.1 500 Internal Server Error')
    assert.equal(statusLine('not_found'), 'HTTP/1.1 404 Error')
  })

  it('on a socket without a request is a whole message, and the last one', async () => {
    const error = new ApiError('malformed_request', 'Was für ein Text.')
    const server = createServer((socket) => sendErrorOn(socket, error))
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    let text = ''
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
    })
    await new Promise<void>((done) => socket.once('close', () => done()))
    server.close()
    assert.match(text, /^HTTP\/1\.1 400 Bad Request\r\n/)
    assert.match(text, /\r\ncontent-length: \d+\r\nconnection: close\r\n\r\n/)
    assert.ok(
      text.endsWith('\r\n\r\n{"error":"Was für ein Text.","errorCode":"malformed_request"}'),
    )
  })
})
