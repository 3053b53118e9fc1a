/**
 * Plain `node:http`, which sends as many bytes as a path says, or the file in `PLAIN_FILE` for any
 * other path. Its first message is its port and process id.
 */
import { createReadStream, fstatSync, openSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const { PLAIN_FILE: file = '' } = process.env
// Opened once: a thousand streams would need as many descriptors.
const fd = openSync(file, 'r')
const bodies = new Map<number, Buffer>()

const bodyOf = (bytes: number): Buffer => {
  const body = bodies.get(bytes) ?? Buffer.alloc(bytes, 'x')
  bodies.set(bytes, body)
  return body
}

const server = createServer((request, response) => {
  const bytes = Number(request.url?.slice(1))
  if (Number.isNaN(bytes)) {
    response.setHeader('content-length', fstatSync(fd).size)
    createReadStream(file, { fd, start: 0, autoClose: false }).pipe(response)
    return
  }
  response.setHeader('content-length', bytes)
  response.end(bodyOf(bytes))
})
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port, pid: process.pid })
})
process.on('disconnect', () => process.exit())
