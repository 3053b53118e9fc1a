/** The headers that are written as one text, compared with those of Node's own `writeHead`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import { ApiError } from '#contract'
import { createContexts, type RequestContext } from '../../src/http/context.ts'
import { createResponder, type Responder } from '../../src/http/response.ts'
import { until } from '../support/cluster.ts'

const error = new ApiError('rate_limited', 'Zu viele Anfragen für heute.', { retryAfterSeconds: 2 })

const encoded = (...pieces: readonly (string | Buffer)[]) => {
  const encodedBody = pieces.map((piece) => Buffer.from(piece))
  const length = Buffer.concat(encodedBody).length
  const lines = `content-type: text/plain\r\netag: "a"\r\ncontent-length: ${length}\r\n`
  return { encodedBody, length, lines, records: 0, groups: null }
}

const responses: {
  readonly [what: string]: (responder: Responder, ctx: RequestContext) => void
} = {
  'a short text': (to, ctx) => to.sendEncoded(ctx, encoded('short "text"')),
  'a text of two bytes a character': (to, ctx) => to.sendEncoded(ctx, encoded('für – 布')),
  'an empty body': (to, ctx) => to.sendEncoded(ctx, encoded('')),
  'a short buffer': (to, ctx) => to.sendEncoded(ctx, encoded(Buffer.from([0, 255, 10, 13]))),
  'a long text': (to, ctx) => to.sendEncoded(ctx, encoded('x'.repeat(9_000))),
  'a long buffer': (to, ctx) => to.sendEncoded(ctx, encoded(Buffer.alloc(9_000, 'x'))),
  'short pieces': (to, ctx) => to.sendEncoded(ctx, encoded('{"items":[', '"für"', ']}')),
  'pieces of a page': (to, ctx) => to.sendEncoded(ctx, encoded('[', '布'.repeat(9_000), ']')),
  'pieces that are not copied to the headers': (to, ctx) =>
    to.sendEncoded(ctx, encoded('[', 'x'.repeat(90_000), ']')),
  'no pieces': (to, ctx) => to.sendEncoded(ctx, encoded()),
  'a response with timings': (to, ctx) => {
    ctx.stages = 'admit;dur=0.1, run;dur=2'
    to.sendEncoded(ctx, encoded('timed'))
  },
  'a response with rate-limit headers': (to, ctx) => {
    ctx.responseHeaders['ratelimit-policy'] = '"default";q=5;w=1'
    ctx.responseHeaders['ratelimit'] = '"default";r=5;t=1'
    to.sendEncoded(ctx, encoded('limited'))
  },
  'not modified': (to, ctx) => to.sendNotModified(ctx, 'a'),
  'too many requests': (to, ctx) => to.sendError(ctx, error),
}

describe('headers that are written as one text', () => {
  for (const [what, send] of Object.entries(responses)) {
    for (const method of ['GET', 'HEAD']) {
      it(`are the bytes of writeHead: ${what}, ${method}`, async (test) => {
        const createContext = createContexts('test')
        const byNode: string[] = []
        class Recording extends ServerResponse<IncomingMessage> {
          override writeHead(...args: readonly unknown[]): this {
            byNode.push(this.req.url ?? '')
            return super.writeHead(...(args as [number]))
          }
        }
        const raw = createResponder({ now: Date.now, draining: () => false })
        const node = createResponder({ now: Date.now, draining: () => true })
        const server = createServer({ ServerResponse: Recording }, (request, response) =>
          send(request.url === '/raw' ? raw : node, createContext(request, response, false)),
        )
        server.maxRequestsPerSocket = 100
        server.listen(0, '127.0.0.1')
        await once(server, 'listening')
        test.after(() => {
          server.closeAllConnections()
          server.close()
        })
        const { port } = server.address() as AddressInfo
        const bytesOf = async (path: string): Promise<string> => {
          const socket = connect(port, '127.0.0.1')
          let text = ''
          socket.setEncoding('latin1').on('data', (chunk: string) => {
            text += chunk
          })
          socket.write(`${method} ${path} HTTP/1.1\r\nHost: api\r\nX-Request-Id: same\r\n\r\n`)
          const isWhole = () => {
            const end = text.indexOf('\r\n\r\n')
            const [, length = 0] = /content-length: (\d+)/.exec(text) ?? []
            return end !== -1 && text.length >= end + 4 + (method === 'HEAD' ? 0 : Number(length))
          }
          await until(isWhole)
          socket.destroy()
          return text
        }
        const dateIn = (text: string) => /Date: .*/.exec(text)?.[0]
        let [one, other] = ['', '']
        // Again where a second ended in between.
        do [one, other] = [await bytesOf('/raw'), await bytesOf('/node')]
        while (dateIn(one) !== dateIn(other))
        assert.equal(one, other)
        assert.ok(byNode.length > 0 && byNode.every((path) => path === '/node'))
      })
    }
  }

  it('are left to writeHead where the connection is not kept', async (test) => {
    const createContext = createContexts('test')
    const responder = createResponder({ now: Date.now, draining: () => false })
    const server = createServer((request, response) =>
      responder.sendEncoded(createContext(request, response, false), encoded('x')),
    )
    server.maxRequestsPerSocket = 1
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    test.after(() => server.close())
    const { port } = server.address() as AddressInfo
    for (const request of [
      'GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n',
      'GET / HTTP/1.0\r\n\r\n',
      'GET / HTTP/1.1\r\nHost: x\r\n\r\n',
    ]) {
      const socket = connect(port, '127.0.0.1')
      let text = ''
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        text += chunk
      })
      socket.write(request)
      await once(socket, 'close')
      assert.match(text, /\r\nConnection: close\r\n/)
    }
  })
})
