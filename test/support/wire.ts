/** Many requests over a few raw connections, each with several under way: as fast as it gets. */
import { connect, type Socket } from 'node:net'

/** The headers of an answer as they came. */
export class WireHeaders {
  readonly #values = new Map<string, string>()
  /** Names that came more than once. */
  readonly doubled: string[] = []

  constructor(lines: readonly string[]) {
    for (const line of lines) {
      const colon = line.indexOf(':')
      const name = line.slice(0, colon).toLowerCase()
      const value = line.slice(colon + 1).trim()
      if (this.#values.has(name)) this.doubled.push(name)
      this.#values.set(name, value)
    }
  }
  get(name: string): string | null {
    return this.#values.get(name) ?? null
  }
  keys(): Iterable<string> {
    return this.#values.keys()
  }
  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#values[Symbol.iterator]()
  }
}

export interface WireAnswer {
  readonly status: number
  /** The status line and the headers as they came. */
  readonly head: string
  readonly headers: WireHeaders
  readonly bytes: Buffer
  readonly text: string
  readonly body: unknown
}

export interface WireRequest {
  readonly method: string
  /** The whole message, a character for each byte. */
  readonly wire: string
}

/** A message of a request without a body. */
export const wireOf = (
  method: string,
  target: string,
  headers: { readonly [name: string]: string } = {},
): string => {
  let lines = `${method} ${target} HTTP/1.1\r\nHost: api\r\n`
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  return `${lines}\r\n`
}

export interface WireOptions {
  readonly connections?: number
  /** Requests under way on each of them. */
  readonly depth?: number
}

/** A request that the server closes on three times without an answer is given up. */
const triesMax = 3

/**
 * Asks everything there is to ask, and hands each answer over with its request. What was asked on
 * a connection that the server closed in time is asked again on another one.
 */
export const askAll = async <Request extends WireRequest>(
  url: string,
  requests: Iterable<Request>,
  heard: (request: Request, answer: WireAnswer) => void,
  { connections = 8, depth = 16 }: WireOptions = {},
): Promise<void> => {
  const port = Number(new URL(url).port)
  const source = requests[Symbol.iterator]()
  const again: Request[] = []
  const tries = new Map<Request, number>()
  const next = (): Request | undefined => {
    const waiting = again.shift()
    if (waiting) return waiting
    const { done, value } = source.next()
    return done ? undefined : value
  }
  /** Asks over one connection until it is closed or there is nothing more; says which. */
  const converse = () =>
    new Promise<'closed' | 'done'>((resolve, reject) => {
      const socket: Socket = connect({ port, host: '127.0.0.1', noDelay: true })
      const pending: Request[] = []
      let rest: Buffer = Buffer.alloc(0)
      let closing = false
      let dry = false
      const fill = () => {
        if (closing) return
        let text = ''
        while (pending.length < depth) {
          const request = next()
          if (!request) {
            dry = true
            break
          }
          pending.push(request)
          text += request.wire
        }
        if (text !== '') socket.write(text, 'latin1')
        else if (pending.length === 0 && dry) socket.destroy()
      }
      socket.on('data', (chunk: Buffer) => {
        rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
        let at = 0
        try {
          while (pending.length > 0 && !closing) {
            const read = readAnswer(rest, at, pending[0]?.method ?? '')
            if (!read) break
            at = read.end
            if (read.answer.status < 200) continue
            const request = pending.shift() as Request
            closing = read.answer.headers.get('connection') === 'close'
            tries.delete(request)
            heard(request, read.answer)
          }
        } catch (error) {
          socket.destroy()
          reject(error as Error)
          return
        }
        rest = rest.subarray(at)
        if (closing) socket.destroy()
        else if (pending.length <= depth / 2) fill()
      })
      socket.on('error', () => undefined)
      socket.on('close', () => {
        const [first] = pending
        if (first && !closing) {
          const count = (tries.get(first) ?? 0) + 1
          tries.set(first, count)
          if (count >= triesMax) {
            reject(new RangeError(`Never answered: ${JSON.stringify(first.wire)}`))
            return
          }
        }
        again.push(...pending)
        resolve(dry && pending.length === 0 ? 'done' : 'closed')
      })
      socket.once('connect', fill)
    })
  const lane = async () => {
    while ((await converse()) === 'closed' || again.length > 0);
  }
  await Promise.all(Array.from({ length: connections }, lane))
}

const readAnswer = (
  bytes: Buffer,
  from: number,
  method: string,
): { readonly answer: WireAnswer; readonly end: number } | null => {
  const headEnd = bytes.indexOf('\r\n\r\n', from)
  if (headEnd === -1) return null
  const head = bytes.toString('latin1', from, headEnd)
  const [first = '', ...lines] = head.split('\r\n')
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
  if (Number.isNaN(status)) throw new RangeError(`No answer of HTTP/1.1: ${first}`)
  const headers = new WireHeaders(lines)
  if (headers.get('transfer-encoding')) throw new RangeError('The answer comes in chunks.')
  const bare = method === 'HEAD' || status === 304 || status < 200 || status === 204
  const end = headEnd + 4 + (bare ? 0 : Number(headers.get('content-length') ?? 0))
  if (bytes.length < end) return null
  return { answer: answerOf(status, head, headers, bytes.subarray(headEnd + 4, end)), end }
}

/** The text and what it says are worked out only if somebody wants to know. */
const answerOf = (
  status: number,
  head: string,
  headers: WireHeaders,
  bytes: Buffer,
): WireAnswer => {
  let read: string | undefined
  const textOf = () => {
    read ??= bytes.toString('utf8')
    return read
  }
  return {
    status,
    head,
    headers,
    bytes,
    get text() {
      return textOf()
    },
    get body() {
      return bytes.length === 0 ? null : (JSON.parse(textOf()) as unknown)
    },
  }
}
