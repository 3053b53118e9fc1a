/** Messages share one buffer, as long as the kernel takes them at once. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { endWith, writeRawHead } from '../../src/http/raw-response.ts'
import { until } from '../support/cluster.ts'

const size = 60_000

const piecesOf = (digit: string) =>
  ['[', digit.repeat(size - 2), ']'].map((text) => Buffer.from(text))

/** Responds to `/7` with a page of 7s. */
const startServer = async (test: TestContext, bodyOf = piecesOf): Promise<number> => {
  const server = createServer((request, response) => {
    const pieces = bodyOf((request.url ?? '').slice(1, 2))
    assert.ok(writeRawHead(response, 200, `content-length: ${size}\r\n`, 0))
    endWith(response, pieces, size)
  })
  test.after(() => server.closeAllConnections())
  server.listen(0, '127.0.0.1')
  test.after(() => server.close())
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

const open = async (test: TestContext, port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1')
  test.after(() => socket.destroy())
  await once(socket, 'connect')
  return socket
}

const requestOf = (digit: number) => `GET /${digit} HTTP/1.1\r\nHost: localhost\r\n\r\n`

/** The digits of the pages that come, each checked to be whole. */
const readPages = async (socket: Socket, count: number): Promise<readonly number[]> => {
  let text = ''
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1')
  })
  socket.resume()
  const pages = () => text.match(/\[\d+\]/g) ?? []
  await until(() => pages().length >= count)
  return pages().map((page) => {
    assert.equal(page, `[${page.charAt(1).repeat(size - 2)}]`)
    return Number(page.charAt(1))
  })
}

setFlagsFromString('--expose-gc')
const collectGarbage: () => void = runInNewContext('gc')

const bufferBytes = (): number => {
  collectGarbage()
  return process.memoryUsage().arrayBuffers
}

describe('the buffer that messages share', () => {
  it('is left to a client that does not read, while others get their pages', async (test) => {
    const port = await startServer(test)
    const slow = await open(test, port)
    slow.pause()
    // More than the kernel takes for a client that does not read.
    const slowPages = Array.from({ length: 200 }, (_, index) => index % 8)
    slow.write(slowPages.map(requestOf).join(''))
    const other = await open(test, port)
    for (let round = 0; round < 20; round += 1) {
      other.write(requestOf(9))
      const pages = await readPages(other, 1)
      assert.deepEqual(pages, [9])
      other.removeAllListeners('data')
    }
    assert.deepEqual(await readPages(slow, slowPages.length), slowPages)
  })

  it('is left to pipelined responses', async (test) => {
    const socket = await open(test, await startServer(test))
    const digits = [1, 2, 3, 4, 5]
    socket.write(digits.map(requestOf).join(''))
    assert.deepEqual(await readPages(socket, digits.length), digits)
  })

  it('is not replaced for each client that does not read a cached page', async (test) => {
    const cached = [Buffer.concat(piecesOf('3'))]
    const port = await startServer(test, () => cached)
    const clients: Socket[] = []
    const before = bufferBytes()
    for (let client = 0; client < 10; client += 1) {
      const socket = await open(test, port)
      socket.pause()
      socket.write(requestOf(3).repeat(300))
      clients.push(socket)
    }
    // All requests before this one have been answered.
    const last = await open(test, port)
    last.write(requestOf(3))
    await readPages(last, 1)
    // The kernel does not take all of the 180 MB. Memory is freed a little later than collected.
    await until(() => bufferBytes() - before < 12_000_000)
    for (const socket of clients) {
      assert.deepEqual(new Set(await readPages(socket, 300)), new Set([3]))
    }
  })
})
