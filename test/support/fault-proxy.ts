import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What happens to a request: it passes, the proxy responds, or it fails. */
export type Fault =
  | 'pass'
  /** The connection ends without a response. */
  | 'cut'
  /** The connection ends in the middle of the body. */
  | 'cut in the body'
  /** Nothing is ever sent. */
  | 'silence'
  /** Headers and the beginning of a body are sent, and then nothing. */
  | 'silence in the body'
  | FixedResponse

interface FixedResponse {
  readonly status: number
  readonly headers?: { readonly [name: string]: string }
  readonly body?: string
}

export interface FaultProxy {
  readonly url: string
  /** Every request since the last call of `inject`. */
  readonly requests: readonly ProxiedRequest[]
  /** Sets what happens to the next requests, in order; later ones pass. */
  inject(...faults: readonly Fault[]): void
  close(): Promise<void>
}

interface ProxiedRequest {
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly at: number
  /** The status of the server's response, if the request passed. */
  status?: number
}

/** A proxy in front of a server that can inject faults. */
export const openFaultProxy = async (target: string): Promise<FaultProxy> => {
  let requests: ProxiedRequest[] = []
  let pending: Fault[] = []
  const server = createServer((request, response) => {
    const entry: ProxiedRequest = {
      url: request.url ?? '',
      headers: request.headers,
      at: performance.now(),
    }
    requests.push(entry)
    const fault = pending.shift() ?? 'pass'
    if (fault === 'cut') return void request.socket.destroy()
    if (fault === 'silence') return
    if (fault === 'cut in the body' || fault === 'silence in the body') {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
      response.write('{"items":[')
      if (fault === 'cut in the body') setTimeout(() => request.socket.destroy(), 20)
      return
    }
    if (fault !== 'pass') {
      response.writeHead(fault.status, fault.headers).end(fault.body)
      return
    }
    const { host: _, ...headers } = request.headers
    send(target + request.url, { headers }, (received) => {
      entry.status = received.statusCode ?? 0
      response.writeHead(received.statusCode ?? 500, received.headers)
      received.pipe(response)
    })
      .on('error', () => response.destroy())
      .end()
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests
    },
    inject: (...faults) => {
      requests = []
      pending = [...faults]
    },
    close: () =>
      new Promise((closed) => {
        server.close(() => closed())
        server.closeAllConnections()
      }),
  }
}
