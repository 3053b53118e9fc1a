/**
 * Load where there is no wrk: a program that is sent a `Load` and sends back what became of it.
 * It speaks HTTP over bare sockets, a request at a time on each, and reads of an answer no more than
 * where it ends, so that it costs little beside the server that it asks.
 */
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import type { Load, Loaded } from './load.ts'
import { percentile } from './statistics.ts'

const headEnd = Buffer.from('\r\n\r\n')

/** What is to come of an answer whose head ends in these bytes. */
export interface Awaited {
  readonly status: number
  readonly bytes: number
}

/** Reads the head of an answer; null while there is more of it to come. */
export const readHead = (bytes: Buffer): Awaited | null => {
  const end = bytes.indexOf(headEnd)
  if (end === -1) return null
  const head = bytes.toString('latin1', 0, end + 2)
  const status = Number(head.slice(9, 12))
  const [, length] = /\r\ncontent-length: *(\d+)\r\n/i.exec(head) ?? []
  if (length === undefined && status !== 304 && status !== 204) {
    throw new Error(`An answer has no Content-Length: ${head}`)
  }
  const body = status === 304 || status === 204 ? 0 : Number(length)
  return { status, bytes: end + headEnd.length + body }
}

const run = async ({ port, file, from, headers, seconds, connections }: Load): Promise<Loaded> => {
  const paths = readFileSync(file, 'utf8').trimEnd().split('\n')
  const head = [
    ' HTTP/1.1',
    `Host: 127.0.0.1:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '\r\n',
  ].join('\r\n')
  const took: number[] = []
  let asked = 0
  let refused = 0
  const began = performance.now()
  const until = began + seconds * 1_000

  const lane = () =>
    new Promise<void>((resolve, reject) => {
      const socket = connect({ port, host: '127.0.0.1', noDelay: true })
      let sentAt = 0
      let seen: Buffer | null = null
      let awaited: Awaited | null = null
      let received = 0
      const ask = () => {
        const path = paths[(from + asked) % paths.length]
        asked += 1
        sentAt = performance.now()
        socket.write(`GET ${path}${head}`, 'latin1')
      }
      const read = (chunk: Buffer) => {
        received += chunk.length
        if (!awaited) {
          seen = seen ? Buffer.concat([seen, chunk]) : chunk
          awaited = readHead(seen)
        }
        if (!awaited || received < awaited.bytes) return
        const now = performance.now()
        took.push(now - sentAt)
        if (awaited.status >= 400) refused += 1
        seen = null
        awaited = null
        received = 0
        if (now < until) ask()
        else socket.end(resolve)
      }
      socket.once('connect', ask)
      socket.once('error', reject)
      socket.on('data', (chunk: Buffer) => {
        try {
          read(chunk)
        } catch (error) {
          socket.destroy(error as Error)
        }
      })
      socket.once('end', () => reject(new Error('The server closed a connection.')))
    })

  await Promise.all(Array.from({ length: connections }, lane))
  const sorted = Float64Array.from(took).sort()
  return {
    requests: took.length,
    seconds: (performance.now() - began) / 1_000,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    asked,
    refused,
  }
}

if (import.meta.main) {
  process.on('message', (load: Load) => {
    run(load).then(
      (loaded) => process.send?.(loaded),
      (error: unknown) => process.send?.({ problem: String(error) }),
    )
  })
}
