/** The rate at which a body must arrive. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { PassThrough } from 'node:stream'
import { it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import type { ApiError } from '#contract'
import { createRequestBodies, type RequestBodies } from '../../src/http/request-body.ts'

it('a wait for the server excuses a slow body for that part of its time only', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const bodies = createRequestBodies({
    ...{ bytesMax: 2 ** 20, concurrent: 4, seconds: 3, memoryBytes: 2 ** 30 },
  })
  const drained = Promise.withResolvers<void>()
  let failure = ''
  const openPacker = (onDrain: () => void) => ({
    write: () => {
      setImmediate(() => {
        onDrain()
        drained.resolve()
      })
      return false
    },
    heldBytes: 0,
    end: () => Promise.reject(new Error('the body does not end')),
    destroy: () => undefined,
  })
  const scan = { write: () => undefined, end: () => 1 }
  const server = createServer((request, response) => {
    bodies
      .read({ request, response } as never, { owner: { keyId: 'a' }, scan, openPacker })
      .catch(({ code }: ApiError) => {
        failure = code
      })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  // The first third of the time brings enough, the second nothing.
  socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9000\r\n\r\n${' '.repeat(2_000)}`)
  await drained.promise
  const failures: string[] = []
  for (const _ of [1, 2]) {
    t.mock.timers.tick(1_000)
    await turn()
    await turn()
    failures.push(failure)
  }
  socket.destroy()
  server.close()
  assert.deepEqual(failures, ['', 'request_timeout'])
})

/** Bodies of as many keys, whose chunks have all arrived. */
const readBodies = (
  bodies: RequestBodies,
  { count, chunks }: { readonly count: number; readonly chunks: number },
  onChunk: (bytes: number) => void,
) => {
  const scan = { write: ({ length }: Buffer) => onChunk(length), end: () => 1 }
  const openPacker = () => ({
    ...{ write: () => true, heldBytes: 0, destroy: () => undefined },
    end: async () => ({}) as never,
  })
  return Array.from({ length: count }, (_, index) => {
    const request = Object.assign(new PassThrough({ highWaterMark: 2 ** 24 }), { headers: {} })
    for (let sent = 0; sent < chunks; sent += 1) request.write(chunk)
    request.end()
    const response = Object.assign(new EventEmitter(), { closed: false })
    const ctx = { request, response } as never
    return bodies.read(ctx, { owner: { keyId: `${index}` }, scan, openPacker })
  })
}
const chunk = Buffer.alloc(2 ** 16, 'x')
const bodyLimits = { bytesMax: 2 ** 24, concurrent: 16, memoryBytes: 2 ** 30 }

it('two bodies are scanned in one turn, with a chunk of 64 KB each', async () => {
  const bytesOfTurns: number[] = []
  let [since, all, isOver] = [0, 0, false]
  const endTurn = () => {
    bytesOfTurns.push(since)
    since = 0
    if (!isOver) setImmediate(endTurn)
  }
  setImmediate(endTurn)
  const bodies = createRequestBodies({ ...bodyLimits, seconds: 30 })
  const size = { count: 4, chunks: 20 }
  const reads = readBodies(bodies, size, (bytes) => {
    since += bytes
    all += bytes
  })
  await Promise.all(reads)
  isOver = true
  assert.equal(all, size.count * size.chunks * chunk.length)
  // A body begins with its first chunk.
  const later = bytesOfTurns.slice(bytesOfTurns.findIndex((bytes) => bytes > 0) + 1)
  assert.equal(Math.max(...later), 2 * chunk.length)
})

it('a body that waits for its turn is not slow', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  // In a third of the time more than the first chunk must arrive.
  const seconds = 3_000
  const bodies = createRequestBodies({ ...bodyLimits, seconds })
  let scanned = 0
  const reads = readBodies(bodies, { count: 4, chunks: 20 }, () => {
    scanned += 1
    if (scanned === 4) t.mock.timers.tick((seconds * 1_000) / 3)
  })
  await Promise.all(reads)
})
