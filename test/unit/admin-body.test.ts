/** Bodies of files that the operator page receives. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { ApiError } from '#contract'
import { discardRest, openRaw } from '../../src/admin/body.ts'

const bytesMax = 1_000_000

describe('the body of a file', () => {
  let server: Server
  let received: (request: IncomingMessage) => Promise<string>
  before(async () => {
    server = createServer(async (message, response) => {
      const said = await received(message).catch((error: unknown) =>
        error instanceof ApiError ? error.code : String(error),
      )
      if (!response.destroyed) response.end(said)
      discardRest(message)
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
  })
  after(() => {
    server.closeAllConnections()
    server.close()
  })

  /** Sends chunks without their total length, and returns what the server says. */
  const send = async (chunks: readonly Buffer[]): Promise<string> => {
    const { port } = server.address() as AddressInfo
    const body = ReadableStream.from(chunks)
    const options = { method: 'POST', body, duplex: 'half' } as RequestInit
    return (await fetch(`http://127.0.0.1:${port}`, options)).text()
  }
  const size = async (message: IncomingMessage): Promise<string> => {
    let total = 0
    for await (const chunk of openRaw(message, bytesMax)) {
      total += chunk.length
      // Slower than it arrives.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return String(total)
  }

  it('arrives whole, at the pace of its reader', async () => {
    received = size
    const chunks = Array.from({ length: 20 }, () => Buffer.alloc(50_000))
    assert.equal(await send(chunks), '1000000')
  })

  it('fails beyond its limit, and the sender hears of it', async () => {
    received = size
    const chunks = Array.from({ length: 60 }, () => Buffer.alloc(50_000))
    assert.equal(await send(chunks), 'body_too_large')
  })

  it('is discarded if it is not read', async () => {
    received = async () => 'no'
    const chunks = Array.from({ length: 60 }, () => Buffer.alloc(50_000))
    assert.equal(await send(chunks), 'no')
    received = async (message) => {
      for await (const _ of openRaw(message, bytesMax)) break
      return 'begun'
    }
    assert.equal(await send(chunks), 'begun')
  })

  it('fails if its sender goes away', async () => {
    const failed = Promise.withResolvers<string>()
    received = async (message) => {
      const said = await size(message).catch((error: ApiError) => error.code)
      failed.resolve(said)
      return said
    }
    const { port } = server.address() as AddressInfo
    const sent = request({ port, host: '127.0.0.1', method: 'POST' })
    sent.on('error', () => undefined)
    sent.write('some')
    await once(server, 'request')
    sent.destroy()
    assert.equal(await failed.promise, 'malformed_request')
  })
})
