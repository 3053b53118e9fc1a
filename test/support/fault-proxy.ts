import { request as ask, createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to a request on its way: it passes, is answered in between, or meets trouble. */
export type Trouble =
  | 'pass'
  /** The connection ends without an answer. */
  | 'cut'
  /** The connection ends in the middle of the body. */
  | 'cut in the body'
  /** Nothing ever comes. */
  | 'silence'
  /** The head comes, and then nothing. */
  | 'silence in the body'
  | Answered

interface Answered {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

export interface TroubledProxy {
  readonly url: string
  /** Every request that came, as it was sent, and when. */
  readonly seen: readonly Seen[]
  /** What happens to the requests to come, in order; then they pass. */
  meet(...troubles: readonly Trouble[]): void
  close(): Promise<void>
}

interface Seen {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly at: number
  /** Of the server's answer, where it passed. */
  status?: number
}

/** A proxy in front of a server, on which trouble can be ordered. */
export const openTroubledProxy = async (target: string): Promise<TroubledProxy> => {
  let seen: Seen[] = []
  let coming: Trouble[] = []
  const server = createServer((request, response) => {
    const one: Seen = { url: request.url ?? '', headers: request.headers, at: performance.now() }
    seen.push(one)
    const trouble = coming.shift() ?? 'pass'
    if (trouble === 'cut') return void request.socket.destroy()
    if (trouble === 'silence') return
    if (trouble === 'cut in the body' || trouble === 'silence in the body') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"items":[')
      if (trouble === 'cut in the body') setTimeout(() => request.socket.destroy(), 20)
      return
    }
    if (trouble !== 'pass') {
      response.writeHead(trouble.status, trouble.headers).end(trouble.body)
      return
    }
    const { host: _, ...headers } = request.headers
    ask(target + request.url, { headers }, (answer) => {
      one.status = answer.statusCode ?? 0
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
      .on('error', () => response.destroy())
      .end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get seen() {
      return seen
    },
    meet: (...troubles) => {
      seen = []
      coming = [...troubles]
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
