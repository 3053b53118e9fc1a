/** What `npm run reliability -- replay` accepts as the same response, and what it reports. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  type BodyKind,
  differenceOf,
  type Message,
  messagesIn,
} from '../../reliability/replay/compare.ts'

const response = (head: readonly string[], body: string | Buffer = ''): Message => ({
  head: head.join('\r\n'),
  body: Buffer.from(body),
})

const ok = 'HTTP/1.1 200 OK'
const badRequest = 'HTTP/1.1 400 Bad Request'

const partOf = (one: Message, other: Message, kind: BodyKind = 'records', wire = '') =>
  differenceOf(one, other, { wire, kind })?.part ?? null

describe('two responses are the same', () => {
  const pairs: readonly [what: string, one: Message, other: Message, kind?: BodyKind][] = [
    ['byte for byte', response([ok, 'etag: "a"'], '{}'), response([ok, 'etag: "a"'], '{}')],
    [
      'but for the order of the headers',
      response([ok, 'a: 1', 'b: 2']),
      response([ok, 'b: 2', 'a: 1']),
    ],
    [
      'but for the moment and the timings',
      response([ok, 'Date: Mon', 'Server-Timing: run;dur=1', 'X-Request-Id: a-1']),
      response([ok, 'Date: Tue', 'Server-Timing: run;dur=2', 'X-Request-Id: b-1']),
    ],
    [
      'but for the wording of an error',
      response([badRequest, 'Content-Length: 33'], '{"error":"No.","errorCode":"bad"}'),
      response([badRequest, 'Content-Length: 38'], '{"error":"A \\"no\\".","errorCode":"bad"}'),
    ],
    [
      'but for descriptions of a document, however it is encoded',
      response([ok, 'content-encoding: gzip', 'etag: "a"'], gzipSync('{"description":"a","b":1}')),
      response([ok, 'content-encoding: gzip', 'etag: "b"'], gzipSync('{"description":"cc","b":1}')),
      'document',
    ],
    [
      'but for sentences within the text of a tool result',
      response([ok], JSON.stringify({ text: JSON.stringify({ summary: 'a', b: 1 }) })),
      response([ok], JSON.stringify({ text: JSON.stringify({ summary: 'c "d" e', b: 1 }) })),
      'agent message',
    ],
    [
      'but for the signature and the end of an image link',
      response([ok], '{"url":"http://a/b?x=1","expiresAt":"2026"}'),
      response([ok], '{"url":"http://a/b?x=2","expiresAt":"2027"}'),
      'image link',
    ],
  ]
  for (const [what, one, other, kind] of pairs) {
    it(what, () => assert.equal(partOf(one, other, kind), null))
  }
})

describe('two responses differ', () => {
  const pairs: readonly [part: string, one: Message, other: Message, kind?: BodyKind][] = [
    ['status line', response([ok]), response(['HTTP/1.1 200 Fine'])],
    ['header etag', response([ok, 'etag: "a"']), response([ok, 'etag: "b"'])],
    ['header allow', response([ok, 'allow: GET']), response([ok])],
    ['header allow', response([ok, 'allow: GET']), response([ok, 'Allow: GET'])],
    ['header b', response([ok, 'a: 1', 'b: 2']), response([ok, 'a: 1'])],
    ['body', response([ok], '{"error":"a"}'), response([ok], '{"error":"b"}')],
    [
      'body',
      response([badRequest], '{"error":"a","errorCode":"b"}'),
      response([badRequest], '{"error":"a","errorCode":"c"}'),
    ],
    [
      'body',
      response([ok], '{"text":"{\\"summary\\":\\"a\\",\\"b\\":1}"}'),
      response([ok], '{"text":"{\\"summary\\":\\"a\\",\\"b\\":2}"}'),
      'agent message',
    ],
  ]
  for (const [part, one, other, kind] of pairs) {
    it(`in the ${part}: ${JSON.stringify([one.head, one.body.toString()])}`, () =>
      assert.equal(partOf(one, other, kind), part))
  }

  it('in a request id that the client sent', () => {
    const [one, other] = [response([ok, 'x-request-id: mine']), response([ok, 'x-request-id: x-1'])]
    assert.equal(partOf(one, other, 'records', 'X-Request-Id: mine'), 'header x-request-id')
  })

  it('and the report shows where', () => {
    const [one, other] = ['b', 'c'].map((end) => response([ok], `${'a'.repeat(1_000)}${end}`))
    assert.ok(one && other)
    const difference = differenceOf(one, other, { wire: '', kind: 'records' })
    assert.match(difference?.before ?? '', /^…a+b$/)
    assert.match(difference?.after ?? '', /^…a+c$/)
  })
})

describe('the responses of a connection', () => {
  it('are told apart by their lengths', () => {
    const received = `${ok}\r\nContent-Length: 2\r\n\r\nab${badRequest}\r\n\r\n`
    assert.deepEqual(
      messagesIn(received).map(({ head, body }) => [head.split('\r\n')[0], body.toString()]),
      [
        [ok, 'ab'],
        [badRequest, ''],
      ],
    )
  })

  it('end with what is left over', () => {
    assert.deepEqual(
      messagesIn('half').map(({ head, body }) => [head, body.toString()]),
      [['', 'half']],
    )
  })
})
