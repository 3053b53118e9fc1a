/** Records are bytes from the database to the socket: nothing on the way decodes one. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { basePath, feedBasePath } from '#contract'
import { decodeBody } from '#store'
import { recordsAt } from '../support/model.ts'
import { openTestService, type TestService } from '../support/service.ts'

const mark = 'PO é ’ 中 🧵'
const markBytes = Buffer.from(mark)
const end = Buffer.from('\r\n\r\n')

const bytesIn = (value: unknown): Buffer | null => {
  if (!ArrayBuffer.isView(value)) return null
  return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
}

/** Counts how often bytes with the mark become a string, by any way that JavaScript has. */
const countDecoded = (test: TestContext): (() => number) => {
  let decoded = 0
  const watch = (prototype: object, ...names: readonly string[]) => {
    for (const name of names) {
      const original = Reflect.get(prototype, name) as (...args: unknown[]) => unknown
      test.mock.method(
        prototype as never,
        name as never,
        function (this: unknown, ...args: unknown[]) {
          if ([this, ...args].some((each) => bytesIn(each)?.includes(markBytes))) decoded += 1
          return original.apply(this, args)
        } as never,
      )
    }
  }
  watch(Buffer.prototype, 'toString', 'utf8Slice', 'latin1Slice')
  watch(Object.getPrototypeOf(Uint8Array.prototype), 'toString', 'join')
  watch(TextDecoder.prototype, 'decode')
  return () => decoded
}

describe('a record on its way from the database to the socket', () => {
  let service: TestService
  let key: string
  before(async () => {
    service = await openTestService({ CHANGE_FEED: 'on' })
    key = await service.key('aldermoor')
    const orders = recordsAt('orders')
    const [first] = orders
    await service.write('aldermoor', { orders: [{ ...first, orderNumber: mark }] })
  })
  after(() => service.close())

  /** The bytes of an answer's body. Nothing here decodes them either. */
  const bodyOf = async (path: string, encoding = 'identity'): Promise<Buffer> => {
    const { hostname, port } = new URL(service.url)
    const socket = connect(Number(port), hostname)
    const lines = [
      `GET ${path} HTTP/1.1`,
      `Host: ${hostname}`,
      `Authorization: Bearer ${key}`,
      `Accept-Encoding: ${encoding}`,
      'Connection: close',
    ]
    const chunks: Buffer[] = []
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.write(`${lines.join('\r\n')}\r\n\r\n`)
    await once(socket, 'close')
    const whole = Buffer.concat(chunks)
    assert.ok(whole.includes('HTTP/1.1 200 OK'))
    return whole.subarray(whole.indexOf(end) + end.length)
  }

  const brand = `${basePath}/brands/aldermoor`
  const order = recordsAt('orders')[0]?.['id']
  const paths: { readonly [what: string]: string } = {
    'a page': `${brand}/orders?limit=100`,
    'a filtered page': `${brand}/orders?orderNumber=${encodeURIComponent(mark)}`,
    'a record': `${brand}/orders/${order}`,
    'a page with included records': `${brand}/order-items?limit=100&include=order`,
    'a page of the feed': `${feedBasePath}/brands/aldermoor/changes?collection=orders`,
  }
  for (const [what, path] of Object.entries(paths)) {
    it(`is never a string: ${what}, read, cached and compressed`, async (test) => {
      const decoded = countDecoded(test)
      // From the second request on it is cached, from the third it comes from the cache.
      for (let request = 0; request < 4; request += 1) {
        assert.ok((await bodyOf(path)).includes(markBytes))
      }
      for (let request = 0; request < 2; request += 1) {
        const body = await bodyOf(path, 'gzip')
        const isShort = body.includes(markBytes)
        assert.ok(isShort || gunzipSync(body).includes(markBytes))
      }
      assert.equal(decoded(), 0)
      decodeBody(await bodyOf(path))
      assert.ok(decoded() > 0, 'decoding is noticed')
    })
  }
})
