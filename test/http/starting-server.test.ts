import assert from 'node:assert/strict'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { it } from 'node:test'
import { catalog } from '#contract'
import { createStartingServer } from '#http'
import { message, openSocket } from '../support/raw-socket.ts'

it('a request whose body is malformed gets one response while the server starts', async () => {
  const server = createStartingServer({ catalog, idPrefix: 't', corsOrigins: [], now: Date.now })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  for (const path of ['/readyz', '/api/public/v1/brands/aldermoor/tags', '/mcp']) {
    const socket = openSocket(`http://127.0.0.1:${port}`)
    socket.send(`${message(`GET ${path} HTTP/1.1`, 'Host: a', 'Transfer-Encoding: chunked')}ZZ\r\n`)
    const { answers, rest, closed } = await socket.until((said) => said.closed)
    socket.destroy()
    assert.deepEqual(
      answers.map(({ status }) => status),
      [400],
      path,
    )
    assert.equal(rest, '')
    assert.ok(closed)
  }
  server.close()
})
