/** The server in front of the framework, with parts that fail, and the bytes it writes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { describe, it } from 'node:test'
import { ApiError } from '#contract'
import { asApiError } from '#request'
import { connectionLimits, openConnections } from '../../src/http/connections.ts'
import { writeError } from '../../src/http/errors.ts'
import { createFront, type FrontParts } from '../../src/http/front.ts'
import { openVisits, type Visit } from '../../src/http/visit.ts'
import { writeNotModified, writeReady } from '../../src/http/write.ts'
import { until } from '../support/cluster.ts'
import { openSocket } from '../support/raw-socket.ts'

const listen = async (server: Server): Promise<string> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const openFailing = async (quickRoad: FrontParts['quickRoad'], next: RequestListener) => {
  const beginVisit = openVisits('test')
  const noted: unknown[] = []
  let ended = 0
  const server = createFront(
    {
      beginVisit,
      endVisit: () => {
        ended += 1
      },
      draining: () => false,
      held: () => null,
      corsOrigins: [],
      isKnown: () => true,
      postPaths: [],
      limitPublic: () => null,
      quickRoad,
      connections: openConnections({
        limits: { ...connectionLimits, sendTimeoutSeconds: 30 },
        isUrgent: () => false,
        onCut: () => undefined,
      }),
      reasonOf: (_visit, thrown) => {
        noted.push(thrown)
        return asApiError(thrown)
      },
    },
    next,
  )
  return { server, url: await listen(server), noted, ended: () => ended }
}

describe('a programming error', () => {
  const mistake = new TypeError('x is not a function')
  const throwing = () => {
    throw mistake
  }
  const roads: { readonly [where: string]: readonly [FrontParts['quickRoad'], RequestListener] } = {
    'on the road before the framework': [throwing, () => undefined],
    'on that road, later': [() => Promise.reject(mistake), () => undefined],
    'in the framework': [() => false, throwing],
  }
  for (const [where, [quickRoad, next]] of Object.entries(roads)) {
    it(`${where} is a 500 in the contract's shape, and the server goes on`, async () => {
      const { server, url, noted, ended } = await openFailing(quickRoad, next)
      try {
        for (let times = 1; times <= 3; times += 1) {
          const response = await fetch(`${url}/x`)
          assert.equal(response.status, 500)
          const body = (await response.json()) as { readonly errorCode: string }
          assert.equal(body.errorCode, 'internal_error')
          assert.ok(!JSON.stringify(body).includes('not a function'))
          assert.equal(noted.length, times)
          assert.equal(noted[times - 1], mistake)
        }
        if (where !== 'on that road, later') assert.equal(ended(), 3)
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  }

  it('after half a response closes the connection', async () => {
    const { server, url } = await openFailing(
      (_request, response) => {
        response.writeHead(200, { 'content-length': '10' })
        response.write('half')
        throw mistake
      },
      () => undefined,
    )
    try {
      const socket = openSocket(url)
      socket.send('GET / HTTP/1.1\r\nHost: api\r\n\r\n')
      const { closed } = await socket.until((said) => said.closed, 20_000)
      assert.ok(closed)
    } finally {
      server.close()
    }
  })
})

describe('a head that is written as one text', () => {
  const error = new ApiError('rate_limited', 'Too many.', { retryAfterSeconds: 2 })
  const short = 'short "text"'
  const long = Buffer.alloc(9_000, 'x')
  const ready = (body: string | Buffer) => ({
    body,
    length: body.length,
    lines: `content-type: text/plain\r\netag: "a"\r\ncontent-length: ${body.length}\r\n`,
  })
  const ways: {
    readonly [what: string]: (to: ServerResponse, visit: Visit, now?: number) => void
  } = {
    'a short body': (to, visit, now) => writeReady(to, visit, ready(short), now),
    'a long body': (to, visit, now) => writeReady(to, visit, ready(long), now),
    'not modified': (to, visit, now) => writeNotModified(to, visit, 'a', now),
    'a refusal': (to, visit, now) => writeError(to, visit, error, now),
  }
  for (const [what, write] of Object.entries(ways)) {
    it(`has the bytes that Node itself would send: ${what}`, async () => {
      const beginVisit = openVisits('test')
      const byNode: string[] = []
      class Noting extends ServerResponse<IncomingMessage> {
        override writeHead(...given: readonly unknown[]): this {
          byNode.push(this.req.url ?? '')
          return super.writeHead(...(given as [number]))
        }
      }
      const server = createServer({ ServerResponse: Noting }, (request, response) => {
        const visit = beginVisit(request)
        visit.headers['ratelimit'] = '"default";r=5'
        write(response, visit, request.url === '/one' ? Date.now() : undefined)
      })
      server.maxRequestsPerSocket = 100
      const { port } = new URL(await listen(server))
      const textOf = async (path: string): Promise<string> => {
        const socket = connect(Number(port), '127.0.0.1')
        const chunks: Buffer[] = []
        socket.on('data', (chunk: Buffer) => chunks.push(chunk))
        socket.write(`GET ${path} HTTP/1.1\r\nHost: api\r\nX-Request-Id: same\r\n\r\n`)
        const text = () => Buffer.concat(chunks).toString('latin1')
        const isWhole = () => {
          const end = text().indexOf('\r\n\r\n')
          const length = Number(/content-length: (\d+)/.exec(text())?.[1] ?? 0)
          return end !== -1 && text().length >= end + 4 + length
        }
        await until(isWhole)
        socket.destroy()
        return text()
      }
      const dateIn = (text: string) => /Date: .*/.exec(text)?.[0]
      try {
        let [one, node] = ['', '']
        // Again where a second ended in between.
        do [one, node] = [await textOf('/one'), await textOf('/node')]
        while (dateIn(one) !== dateIn(node))
        assert.equal(one, node)
        assert.ok(byNode.length > 0 && byNode.every((path) => path === '/node'))
      } finally {
        server.closeAllConnections()
        server.close()
      }
    })
  }
})
