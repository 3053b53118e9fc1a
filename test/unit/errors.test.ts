import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import fastify from 'fastify'
import { ApiError, errors as codes, type ErrorCode } from '#contract'
import { errorBody, errorHeaders, sendError, writeError } from '../../src/http/errors.ts'
import { openVisits, type Visit } from '../../src/http/visit.ts'

const json = 'application/json; charset=utf-8'
const usual = {
  'content-type': json,
  'x-content-type-options': 'nosniff',
  vary: 'Authorization, Accept-Encoding',
}

/** What a client sees of an answer that is written by hand; twice, since some are remembered. */
const seen = async (
  answer: (response: ServerResponse, visit: Visit) => void,
  asked = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
): Promise<{ readonly text: string; readonly visit: Visit }> => {
  const visits = openVisits('test')
  let visit: Visit | undefined
  const server = createServer((request, response) => {
    visit = visits(request)
    answer(response, visit)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.setTimeout(2_000, () => socket.destroy())
  let text = ''
  socket.write(asked)
  await new Promise<void>((done) => {
    socket.on('close', () => done())
    socket.on('error', () => done())
    socket.on('data', (bytes) => {
      text += bytes
      const [, length] = /content-length: (\d+)/i.exec(text) ?? []
      const [, body] = text.split('\r\n\r\n')
      if (length && body !== undefined && Buffer.byteLength(body) >= Number(length))
        socket.destroy()
    })
  })
  server.closeAllConnections()
  server.close()
  assert.ok(visit)
  return { text, visit }
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

  it('the framework sends it, with the headers of the visit', async () => {
    const app = fastify()
    const visits = openVisits('test')
    let visit: Visit | undefined
    app.get('/', (request, reply) => {
      visit = visits(request.raw)
      return sendError(reply, visit, new ApiError('not_found', 'Not there.'))
    })
    const answer = await app.inject({ url: '/', headers: { 'x-request-id': 'mine' } })
    await app.close()
    assert.equal(answer.statusCode, 404)
    assert.equal(answer.body, '{"error":"Not there.","errorCode":"not_found"}')
    assert.equal(answer.headers['content-type'], json)
    assert.equal(answer.headers['x-request-id'], 'mine')
    assert.equal(visit?.errorCode, 'not_found')
  })

  it('it is written the same way where the framework has no part', async () => {
    const error = new ApiError('not_found', 'Nicht für dich.')
    const { text, visit } = await seen((response, each) => writeError(response, each, error))
    assert.match(text, /^HTTP\/1\.1 404 Not Found\r\n/)
    for (const [name, value] of Object.entries({
      ...usual,
      'cache-control': 'private, no-cache',
      'content-length': String(
        Buffer.byteLength('{"error":"Nicht für dich.","errorCode":"not_found"}'),
      ),
      'x-request-id': 'test-1',
    })) {
      assert.ok(text.includes(`${name}: ${value}\r\n`), text)
    }
    assert.ok(text.endsWith('\r\n\r\n{"error":"Nicht für dich.","errorCode":"not_found"}'), text)
    assert.equal(visit.errorCode, 'not_found')
  })

  it('a refusal for the rate goes out as one text, and is the same', async () => {
    const error = new ApiError('rate_limited', 'Wait für me.', { retryAfterSeconds: 3 })
    for (const now of [undefined, 1_000, 1_000]) {
      const { text, visit } = await seen((response, each) => writeError(response, each, error, now))
      assert.match(text, /^HTTP\/1\.1 429 Too Many Requests\r\n/)
      for (const [name, value] of Object.entries({
        ...usual,
        'cache-control': 'no-store',
        'retry-after': '3',
        'content-length': String(
          Buffer.byteLength('{"error":"Wait für me.","errorCode":"rate_limited"}'),
        ),
        'x-request-id': 'test-1',
      })) {
        assert.ok(text.toLowerCase().includes(`${name}: ${value}\r\n`.toLowerCase()), text)
      }
      assert.ok(text.endsWith('{"error":"Wait für me.","errorCode":"rate_limited"}'), text)
      assert.equal(text.split('HTTP/1.1').length, 2)
      assert.equal(visit.errorCode, 'rate_limited')
      if (now !== undefined) assert.match(text, /\r\nDate: Thu, 01 Jan 1970/i)
    }
  })
})
