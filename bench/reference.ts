/**
 * The reference of ratios: plain node:http that sends a prepared Buffer. `/14600` has a body of
 * 14,600 bytes; `/304` has that status and no body. Prints its port.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const bodies = new Map<string, Buffer>()

const bodyOf = (url: string): Buffer => {
  const body = bodies.get(url) ?? Buffer.alloc(Number(url.slice(1)), 'x')
  bodies.set(url, body)
  return body
}

const server = createServer((request, response) => {
  const { url = '' } = request
  if (url === '/304') {
    response.writeHead(304, { etag: '"reference"' }).end()
    return
  }
  const body = bodyOf(url)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': body.length })
  response.end(body)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
