import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode, errors } from '#contract'
import type { Connections, Start } from './connections.ts'
import { errorBody, errorHeaders, writeError } from './errors.ts'
import type { Head } from './head.ts'
import { postOnly } from './mcp-endpoint.ts'
import { isLong, sendPaced } from './paced-send.ts'
import { splitTarget } from './paths.ts'
import type { PublicLimit } from './public-limit.ts'
import type { QuickRoad } from './quick-road.ts'
import type { Visit } from './visit.ts'

export interface FrontParts {
  readonly beginVisit: (request: IncomingMessage) => Visit
  /** Called when an answer has gone out or was given up, whichever road it took. */
  readonly endVisit: (request: IncomingMessage, response: ServerResponse, visit: Visit) => void
  /** Whether the server is going to stop: answers then ask clients to connect anew. */
  readonly draining: () => boolean
  /** What requests wait for before they are answered, while there is something. */
  readonly held: () => Promise<void> | null
  readonly corsOrigins: readonly string[]
  /** Whether a path is one that is served, whatever the method. */
  readonly isKnown: (path: string) => boolean
  /** Paths that are called with POST, and with nothing else. */
  readonly postPaths: readonly string[]
  /** Refuses what an address asks for without a key, beyond its limit. */
  readonly limitPublic: PublicLimit
  /** Answers what is known already; null where everything takes the ordinary road. */
  readonly quickRoad: QuickRoad | null
  readonly connections: Connections
  /** What to answer when something was thrown, once it has been noted if the fault is ours. */
  readonly reasonOf: (visit: Visit, thrown: unknown) => ApiError
}

const headersTimeoutMs = 5_000
const requestTimeoutMs = 10_000
const keepAliveTimeoutMs = 65_000
const headerBytesMax = 16_384

/**
 * The server in front of the framework. It answers what the framework and Node would answer in a
 * shape of their own: messages that cannot be read, methods that are not offered, hosts that are
 * missing or doubled.
 */
export const createFront = (parts: FrontParts, next: RequestListener): Server => {
  const { beginVisit, endVisit, draining, isKnown, connections } = parts
  const isPosted = (path: string) => parts.postPaths.includes(path)

  /** Asks the client to go when the answer is written, not when the question came. */
  class Answer extends ServerResponse<IncomingMessage> {
    override writeHead(status: number, ...rest: readonly unknown[]): this {
      if (draining()) this.setHeader('connection', 'close')
      return rest.length === 1
        ? super.writeHead(status, rest[0] as string[])
        : super.writeHead(status, ...(rest as [string]))
    }

    override end(...given: readonly unknown[]): this {
      const [body, encoding] = given
      // Only what has a length of its own can be sent in pieces and still be one message.
      if (!isLong(body) || this.req.method === 'HEAD' || !this.headersSent) {
        return super.end(...(given as []))
      }
      const named = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
      sendPaced(this, body, named, (piece) => super.end(piece))
      return this
    }
  }

  const server = createServer(
    {
      ServerResponse: Answer,
      requireHostHeader: false,
      maxHeaderSize: headerBytesMax,
      headersTimeout: headersTimeoutMs,
      requestTimeout: requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: 1_000,
      noDelay: true,
    },
    (request, response) => arrive(request, response),
  )

  const arrive: Start = (request, response) => {
    const socket: Used = request.socket
    socket[latestKey] = { request, response, visit: null }
    connections.admit(request, response, start)
  }

  const inTheEnd = (request: IncomingMessage, response: ServerResponse, visit: Visit) =>
    response.once('close', () => endVisit(request, response, visit))

  /** Answers with an error; where that is not possible any more, the connection is closed. */
  const fail = (
    request: IncomingMessage,
    response: ServerResponse,
    visit: Visit,
    thrown: unknown,
  ): void => {
    try {
      const error = parts.reasonOf(visit, thrown)
      if (response.headersSent) {
        request.socket.destroy()
        return
      }
      // A client whose message cannot be understood once is not read any further.
      if (leaving.has(error.code)) response.setHeader('connection', 'close')
      writeError(response, visit, error)
    } catch {
      request.socket.destroy()
    }
  }

  /** Answers a request. Whatever is thrown on the way ends this request, never the process. */
  const start: Start = (request, response) => {
    const visit = begin(request, response)
    // A request whose body could not be parsed was answered while it waited.
    if (response.headersSent) {
      endVisit(request, response, visit)
      return
    }
    let isFollowed = false
    try {
      refuseMessage(request, visit.head)
      if (!request.url?.startsWith('/')) request.url = originForm(request.url ?? '')
      addCors(parts.corsOrigins, visit)
      const refusal = isRead(request) ? null : parts.limitPublic(request)
      if (refusal) throw refusal
      if (request.method === 'OPTIONS' && visit.headers['access-control-allow-origin']) {
        answerPreflight(request, response, visit, isKnown, isPosted)
        inTheEnd(request, response, visit)
        return
      }
      if (!isRead(request)) refuseMethod(request, visit, isKnown, isPosted)
      const held = parts.held()
      // That road knows when its answer is written, and needs nobody to tell it.
      const road = !held && parts.quickRoad?.(request, response, visit)
      if (road === true) return
      if (road) {
        road.catch((thrown: unknown) => fail(request, response, visit, thrown))
        return
      }
      inTheEnd(request, response, visit)
      isFollowed = true
      // Reads with a good key are mostly answered by now, and spared this look at their path.
      const overLimit = isRead(request) ? parts.limitPublic(request) : null
      if (overLimit) throw overLimit
      if (!held) next(request, response)
      else {
        held
          .then(() => next(request, response))
          .catch((thrown: unknown) => fail(request, response, visit, thrown))
      }
    } catch (thrown) {
      if (!isFollowed) inTheEnd(request, response, visit)
      fail(request, response, visit, thrown)
    }
  }
  server.on('connection', connections.open)
  server.once('close', connections.close)
  server.maxRequestsPerSocket = 100_000

  const begin = (request: IncomingMessage, response: ServerResponse): Visit => {
    const socket: Used = request.socket
    const latest = socket[latestKey]
    const known = latest?.response === response ? latest.visit : null
    if (known) return known
    const visit = beginVisit(request)
    if (latest?.response === response) latest.visit = visit
    return visit
  }

  server.on('checkExpectation', (request: Expecting, response: ServerResponse) => {
    request[expectsKey] = true
    arrive(request, response)
  })
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // From here on the socket is ours alone: nobody else hears it break, or closes it.
    socket.on('error', () => socket.destroy())
    socket.once('finish', () => socket.destroy())
    writeRaw(socket, new ApiError('method_not_allowed', 'This server is no proxy.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const code: ErrorCode = parserErrors[error.code ?? ''] ?? 'malformed_request'
    const refuse = () => refuseRest(socket, new ApiError(code, errors[code].meaning))
    const last = (socket as Used)[latestKey]
    const isExcused = code === 'request_timeout' && last && connections.excuse(last.request, refuse)
    if (isExcused) return
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else refuse()
  })

  /** Refuses what comes on a socket after its last request. */
  const refuseRest = (socket: Socket, refusal: ApiError): void => {
    const last = (socket as Used)[latestKey]
    if (!last || (last.request.complete && last.response.writableFinished)) {
      writeRaw(socket, refusal)
    } else if (last.request.complete) {
      // What cannot be read came after a whole request, whose answer goes first.
      last.response.once('finish', () => writeRaw(socket, refusal))
    } else if (last.response.headersSent) {
      // With an answer under way, anything more would look like a second answer.
      socket.destroy()
    } else {
      last.response.setHeader('connection', 'close')
      writeError(last.response, begin(last.request, last.response), refusal)
    }
  }
  return server
}

/** The last request that came on a socket. */
const latestKey = Symbol('latest')
type Used = Socket & { [latestKey]?: Exchange }

interface Exchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** Null until it is started. */
  visit: Visit | null
}

/** A request whose Expect header asks for something other than 100-continue. */
const expectsKey = Symbol('expects')
type Expecting = IncomingMessage & { [expectsKey]?: true }

/** Errors after which the connection is closed. */
const leaving: ReadonlySet<ErrorCode> = new Set(['malformed_request', 'expectation_failed'])

const parserErrors: { readonly [code: string]: ErrorCode } = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Refuses what the parser lets through although the standard does not. */
const refuseMessage = (request: IncomingMessage, { hosts, authorizations }: Head): void => {
  if (request.httpVersionMajor !== 1) {
    throw new ApiError('malformed_request', 'This server speaks HTTP/1.1.')
  }
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    throw new ApiError('malformed_request', 'A request has exactly one Host header.')
  }
  if (request.url?.includes('#')) {
    throw new ApiError('malformed_request', 'A request asks for a path and a query, no fragment.')
  }
  if (authorizations > 1) {
    throw new ApiError('invalid_api_key', 'Send one Authorization header only.')
  }
  if ((request as Expecting)[expectsKey]) {
    throw new ApiError(
      'expectation_failed',
      'The Expect header asks for something that is not offered.',
    )
  }
}

const isRead = ({ method }: IncomingMessage): boolean => method === 'GET' || method === 'HEAD'

/** Refuses what is neither read nor one of the few that are posted to. */
const refuseMethod = (
  request: IncomingMessage,
  visit: Visit,
  isKnown: (path: string) => boolean,
  isPosted: (path: string) => boolean,
): void => {
  const path = splitTarget(request.url ?? '')[0]
  if (isPosted(path)) {
    if (request.method === 'POST') return
    throw postOnly(visit)
  }
  throw isKnown(path)
    ? new ApiError('method_not_allowed', 'This path is read with GET or HEAD only.')
    : new ApiError('not_found', 'There is nothing at this path.')
}

/** `GET http://host/path` names the same thing as `GET /path`. */
const originForm = (url: string): string =>
  url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/?#]*/i, '') || '/'

const exposedHeaders = 'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id'

/** A page of an origin on the list may read answers; no other may. */
const addCors = (origins: readonly string[], visit: Visit): void => {
  if (origins.length === 0) return
  visit.headers['vary'] = 'Authorization, Accept-Encoding, Origin'
  const { origin } = visit.head
  if (origin === undefined || !origins.includes(origin)) return
  visit.headers['access-control-allow-origin'] = origin
  visit.headers['access-control-expose-headers'] = exposedHeaders
}

const readHeaders = 'Authorization, If-None-Match, X-Request-Id'
const postedHeaders =
  'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, X-Request-Id'

const answerPreflight = (
  request: IncomingMessage,
  response: ServerResponse,
  visit: Visit,
  isKnown: (path: string) => boolean,
  isPosted: (path: string) => boolean,
): void => {
  const path = splitTarget(request.url ?? '')[0]
  if (!isKnown(path) && !isPosted(path)) {
    throw new ApiError('not_found', 'There is nothing at this path.')
  }
  response
    .writeHead(204, {
      ...visit.headers,
      'access-control-allow-methods': isPosted(path) ? 'POST' : 'GET, HEAD',
      'access-control-allow-headers': isPosted(path) ? postedHeaders : readHeaders,
      'access-control-max-age': '600',
    })
    .end()
}

/** Answers on a bare socket, where there is no request to answer to, and closes it. */
const writeRaw = (socket: Socket, error: ApiError): void => {
  const body = Buffer.from(errorBody(error))
  const headers = { ...errorHeaders(error), 'content-length': body.length, connection: 'close' }
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  socket.end(
    Buffer.concat([
      Buffer.from(
        [`HTTP/1.1 ${error.status} ${reasons[error.status] ?? 'Error'}`, ...lines, '', ''].join(
          '\r\n',
        ),
      ),
      body,
    ]),
  )
}

const reasons: { readonly [status: number]: string } = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
}
