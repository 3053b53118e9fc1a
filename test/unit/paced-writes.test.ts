import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { writeNow, writeSoon } from '../../src/http/paced-writes.ts'
import { progressOf } from '../../src/http/raw-response.ts'

test('A piece is handed to the kernel during the call that writes it', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: api\r\n\r\n')
  const [, response] = (await once(server, 'request')) as [unknown, ServerResponse]
  const { socket } = response
  assert.ok(socket)
  const piece = Buffer.alloc(10_000, 'x')
  response.writeHead(200, { 'content-length': piece.length })
  writeNow(response, piece)
  assert.ok(progressOf(socket).sentBytes > piece.length)
  client.destroy()
  server.close()
})

test('Writes that take long are spread over turns of the event loop', async () => {
  const burn = () => {
    const until = performance.now() + 2
    while (performance.now() < until);
  }
  const counts: number[] = []
  let written = 0
  for (let n = 0; n < 50; n += 1) {
    writeSoon(() => {
      burn()
      written += 1
    })
  }
  while (written < 50) {
    await nextTurn()
    counts.push(written)
  }
  const perTurn = counts.map((count, index) => count - (counts[index - 1] ?? 0))
  assert.ok(Math.max(...perTurn) <= 3, `${perTurn}`)
})
