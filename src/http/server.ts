import type { IncomingMessage, ServerResponse as NodeResponse, Server } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, type ErrorCode, errors } from '#contract'
import { toApiError } from '#request'
import type { Connections } from './connections.ts'
import { type CreateContext, type RequestContext, startTiming } from './context.ts'
import { sendErrorOn } from './error-response.ts'
import { createServer, ServerResponse } from './node-http.ts'
import { writeNow, writeSoon } from './paced-writes.ts'
import type { Responder } from './response.ts'

export interface HttpServerParts {
  readonly createContext: CreateContext
  readonly connections: Connections
  /** Responds to a request; never throws. */
  readonly serve: (ctx: RequestContext) => void
  readonly responder: Responder
  /** Whether the server is draining: responses then ask clients to reconnect. */
  readonly draining: () => boolean
  readonly onStart: (ctx: RequestContext) => void
  /** Called once per started request: when its response is sent, or its connection is closed. */
  readonly onFinish: (ctx: RequestContext) => void
  readonly messageLimits?: MessageLimits | undefined
}

/** Limits of messages with bodies. */
export interface MessageLimits {
  /** How long a request may take to arrive, with its body. */
  readonly requestTimeoutMs: number
  /**
   * Whether a client that sends `Expect: 100-continue` waits until the body is read, so that a
   * rejected request sends no body.
   */
  readonly continuesOnRead: boolean
}

export const headersTimeoutMs = 5_000
/** Requests have no body, or a short one. */
const usualLimits: MessageLimits = { requestTimeoutMs: 10_000, continuesOnRead: false }
const keepAliveTimeoutMs = 65_000
const headerBytesMax = 16_384
const requestsPerConnectionMax = 100_000

/**
 * Node's HTTP server with this server's limits. Errors that Node would answer itself, such as parse
 * errors, get responses of the contract.
 */
export const createHttpServer = (parts: HttpServerParts): Server => {
  const { connections, responder, draining, messageLimits = usualLimits } = parts

  class HttpResponse extends ServerResponse<IncomingMessage> {
    context: RequestContext | null = null

    /** Asks the client to close the connection if the server drains by now. */
    override writeHead(status: number, ...rest: readonly unknown[]): this {
      if (draining()) this.setHeader('connection', 'close')
      return rest.length === 1
        ? super.writeHead(status, rest[0] as string[])
        : super.writeHead(status, ...(rest as [string]))
    }

    override end(...args: readonly unknown[]): this {
      const [body, encoding] = args
      // Only a body with a Content-Length can be sent in pieces and still be one message.
      if (!isLong(body) || this.req.method === 'HEAD' || !this.headersSent) {
        return super.end(...(args as []))
      }
      const bodyEncoding = typeof encoding === 'string' ? (encoding as BufferEncoding) : 'utf8'
      sendPaced(this, body, bodyEncoding, (piece) => super.end(piece))
      return this
    }
  }

  const arrive = (
    request: IncomingMessage,
    response: InstanceType<typeof HttpResponse>,
    hasUnmetExpectation = false,
  ) => {
    try {
      const ctx = parts.createContext(request, response, hasUnmetExpectation)
      response.context = ctx
      connections.admit(ctx, start)
    } catch (thrown) {
      sendErrorOn(request.socket, toApiError(thrown))
    }
  }

  const start = (ctx: RequestContext): void => {
    begin(ctx)
    // A request with an unparsable body was answered while it waited.
    if (!ctx.response.headersSent) parts.serve(ctx)
  }

  const begin = (ctx: RequestContext): void => {
    if (ctx.startedAt !== null) return
    startTiming(ctx)
    parts.onStart(ctx)
    ctx.response.on('close', finish)
  }

  /** Called with the response as `this`, to avoid a closure per request. */
  function finish(this: InstanceType<typeof HttpResponse>) {
    if (this.context) parts.onFinish(this.context)
  }

  const server = createServer(
    {
      ServerResponse: HttpResponse,
      requireHostHeader: false,
      maxHeaderSize: headerBytesMax,
      headersTimeout: Math.min(headersTimeoutMs, messageLimits.requestTimeoutMs),
      requestTimeout: messageLimits.requestTimeoutMs,
      keepAliveTimeout: keepAliveTimeoutMs,
      connectionsCheckingInterval: 1_000,
      noDelay: true,
    },
    (request, response) => arrive(request, response),
  )
  server.maxRequestsPerSocket = requestsPerConnectionMax
  server.on('connection', connections.open)
  server.once('close', connections.close)
  server.on('checkExpectation', (request, response) =>
    arrive(request, response as InstanceType<typeof HttpResponse>, true),
  )
  if (messageLimits.continuesOnRead) {
    server.on('checkContinue', (request, response) =>
      arrive(request, response as InstanceType<typeof HttpResponse>),
    )
  }
  server.on('connect', (_request: IncomingMessage, socket: Socket) => {
    // Node leaves errors and closing of this socket to the listener.
    socket.on('error', () => socket.destroy())
    socket.once('finish', () => socket.destroy())
    sendErrorOn(socket, new ApiError('method_not_allowed', 'This server is not a proxy.'))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const code: ErrorCode = parserErrors[error.code ?? ''] ?? 'malformed_request'
    const last = connections.lastOn(socket)
    const refuse = () => refuseRest(socket, last, new ApiError(code, errors[code].meaning))
    if (code === 'request_timeout' && last && connections.excuse(last, refuse)) return
    if (!socket.writable || error.code === 'ECONNRESET') socket.destroy()
    else refuse()
  })

  /** Rejects the data that follows the last request of a connection. */
  const refuseRest = (socket: Socket, last: RequestContext | null, error: ApiError): void => {
    if (!last || (last.request.complete && last.response.writableFinished)) {
      sendErrorOn(socket, error)
    } else if (last.request.complete) {
      // The unparsable part came after a complete request, whose response is sent first.
      last.response.once('finish', () => sendErrorOn(socket, error))
    } else if (last.response.headersSent) {
      // After a part of a response, an error would look like a second response.
      socket.destroy()
    } else {
      begin(last)
      last.response.setHeader('connection', 'close')
      responder.sendError(last, error)
    }
  }
  return server
}

const parserErrors: { readonly [code: string]: ErrorCode } = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
}

/** Longer bodies are sent in pieces of this size. */
const pieceBytes = 131_072
interface Sending {
  readonly response: NodeResponse
  readonly body: Uint8Array
  /** Bytes written so far. */
  written: number
  /** Writes the last piece. */
  readonly end: (piece: Uint8Array) => void
}

/** Whether a body is so long that writing it at once would delay others. */
const isLong = (body: unknown): body is string | Uint8Array =>
  (typeof body === 'string' || body instanceof Uint8Array) && body.length > pieceBytes

/** Sends a long body in pieces, a few per turn of the event loop. */
const sendPaced = (
  response: NodeResponse,
  body: string | Uint8Array,
  encoding: BufferEncoding,
  end: (piece: Uint8Array) => void,
): void => {
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body
  const sending = { response, body: bytes, written: 0, end }
  const proceed = () => writeSoon(() => writePiece(sending, proceed))
  // A pipelined response gets its socket when earlier ones have been sent.
  if (response.socket) proceed()
  else response.once('socket', proceed)
}

/** Writes the next piece, and calls `proceed` if there are more once the socket has accepted it. */
const writePiece = (sending: Sending, proceed: () => void): void => {
  const { response, body, written, end } = sending
  if (response.destroyed) return
  sending.written += pieceBytes
  const piece = body.subarray(written, sending.written)
  if (sending.written >= body.length) end(piece)
  else if (writeNow(response, piece)) proceed()
  else response.once('drain', proceed)
}
