import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#contract'
import type { Grant } from '#keys'
import { durationText } from '#observability'
import type { FeedRead } from '#usage'
import type { PlainResponse } from './response.ts'
import { createTraces, type Trace } from './trace.ts'

/** One request in the pipeline, for its response, access log and metrics. */
export interface RequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** GET for HEAD too: Node omits the body. */
  readonly method: string
  /** The target in origin form, such as `/whoami?x=1`. */
  readonly url: string
  /** What its response is cached by: the target, after the scope of a limited key. */
  cacheTarget: string
  readonly id: string
  /** Null if the request belongs to none. */
  readonly trace: Trace | null
  readonly headers: RequestHeaders
  /** Whether the Expect header names something other than 100-continue. */
  readonly hasUnmetExpectation: boolean
  /** On the `performance.now` clock; null until the request starts. */
  startedAt: number | null
  /** The operation of its route. */
  operation: string
  /** The kind of the operation, of which there are few. */
  operationKind: string
  /** Set once the key has been verified. */
  keyId: string | null
  keyName: string | null
  /** Set once the key is known to be valid for the brand. */
  brand: string | null
  errorCode: string | null
  /** Records in the response, and bytes of its body as they are sent. */
  records: number
  bytes: number
  /** The groups that it reads besides that of its operation; null for none. */
  groups: readonly string[] | null
  /** How far a page of the change feed has brought its reader; null for other responses. */
  feed: FeedRead | null
  /** The client; see `ClientIp`. Set when the request starts. */
  address: string
  /** Headers of every response to this request, including errors. */
  readonly responseHeaders: { [name: string]: string }
  /** The completed stages, for Server-Timing. */
  stages: string
  stageStartedAt: number
}

export type CreateContext = (
  request: IncomingMessage,
  response: ServerResponse,
  hasUnmetExpectation: boolean,
) => RequestContext

const idPattern = /^[\w.-]{1,64}$/
const keyPrefix = /sl[vwl]_/

/** A request keeps the client's id if that is safe; otherwise it gets a new one. */
export const createContexts = (idPrefix: string): CreateContext => {
  let count = 0
  const continueTrace = createTraces(idPrefix)
  return (request, response, hasUnmetExpectation) => {
    const headers = parseHeaders(request.rawHeaders)
    const { requestId, traceparent } = headers
    const trace = traceparent === undefined ? null : continueTrace(traceparent)
    count += 1
    const id =
      requestId !== undefined && idPattern.test(requestId) && !keyPrefix.test(requestId)
        ? requestId
        : `${idPrefix}-${count.toString(36)}`
    const { method = '' } = request
    const url = targetOf(request)
    return {
      request,
      response,
      method: method === 'HEAD' ? 'GET' : method,
      url,
      cacheTarget: url,
      id,
      trace,
      headers,
      hasUnmetExpectation,
      startedAt: null,
      operation: 'unknown',
      operationKind: 'unknown',
      keyId: null,
      keyName: null,
      brand: null,
      errorCode: null,
      records: 0,
      bytes: 0,
      groups: null,
      feed: null,
      address: '',
      responseHeaders: trace
        ? { 'x-request-id': id, traceparent: trace.traceparent }
        : { 'x-request-id': id },
      stages: '',
      stageStartedAt: 0,
    }
  }
}

const targetOf = ({ url = '' }: IncomingMessage): string =>
  url.startsWith('/') ? url : originForm(url)

/** `GET http://host/path` means the same as `GET /path` (RFC 9112, 3.2.2). */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '') || '/'

export const startTiming = (ctx: RequestContext): void => {
  ctx.startedAt = performance.now()
  ctx.stageStartedAt = ctx.startedAt
}

export const setKey = (
  ctx: Pick<RequestContext, 'keyId' | 'keyName'>,
  { keyId, name }: Grant,
): void => {
  ctx.keyId = keyId
  ctx.keyName = name
}

/** Ends a pipeline stage and records its duration for Server-Timing. */
export const endStage = (ctx: RequestContext, name: string): void => {
  const now = performance.now()
  ctx.stages += `${ctx.stages && ', '}${name};dur=${durationText(now - ctx.stageStartedAt)}`
  ctx.stageStartedAt = now
}

/** The headers that matter for every request, read in one pass. */
export interface RequestHeaders {
  readonly hosts: number
  readonly authorizations: number
  readonly authorization: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
  readonly requestId: string | undefined
  readonly traceparent: string | undefined
  readonly origin: string | undefined
  /** The token of a write that the response must contain. */
  readonly afterWrite: string | undefined
  /** Whether a body may follow. */
  readonly hasBody: boolean
}

type Mutable = { -readonly [Name in keyof RequestHeaders]: RequestHeaders[Name] }

/** Readers by header name. Repeated headers are joined as Node joins them. */
const readers: { readonly [name: string]: (headers: Mutable, value: string) => void } = {
  host: (headers) => {
    headers.hosts += 1
  },
  authorization: (headers, value) => {
    headers.authorizations += 1
    headers.authorization ??= value
  },
  'if-none-match': (headers, value) => {
    headers.ifNoneMatch = joined(headers.ifNoneMatch, value)
  },
  'accept-encoding': (headers, value) => {
    headers.acceptEncoding = joined(headers.acceptEncoding, value)
  },
  'x-request-id': (headers, value) => {
    headers.requestId = joined(headers.requestId, value)
  },
  traceparent: (headers, value) => {
    headers.traceparent = joined(headers.traceparent, value)
  },
  origin: (headers, value) => {
    headers.origin = joined(headers.origin, value)
  },
  'after-write': (headers, value) => {
    headers.afterWrite = joined(headers.afterWrite, value)
  },
  'content-length': (headers) => {
    headers.hasBody = true
  },
  'transfer-encoding': (headers) => {
    headers.hasBody = true
  },
}

const readerByName = new Map(Object.entries(readers))
const nameLengths = new Set([...readerByName.keys()].map(({ length }) => length))

/** Node's object of all headers costs more than the rest of a cached response. */
export const parseHeaders = (rawHeaders: readonly string[]): RequestHeaders => {
  const headers: Mutable = {
    hosts: 0,
    authorizations: 0,
    authorization: undefined,
    ifNoneMatch: undefined,
    acceptEncoding: undefined,
    requestId: undefined,
    traceparent: undefined,
    origin: undefined,
    afterWrite: undefined,
    hasBody: false,
  }
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? ''
    if (!nameLengths.has(name.length)) continue
    readerByName.get(name.toLowerCase())?.(headers, rawHeaders[index + 1] ?? '')
  }
  return headers
}

const joined = (before: string | undefined, value: string): string =>
  before === undefined ? value : `${before}, ${value}`

/** The parts of a request that `checkMessage` reads. */
type Message = Pick<RequestContext, 'request' | 'response' | 'headers' | 'hasUnmetExpectation'>

/** Rejects messages that Node's parser accepts in violation of RFC 9112. */
export const checkMessage = (message: Message): void => {
  const { request, headers } = message
  if (request.httpVersionMajor !== 1) throw malformed(message, 'This server speaks HTTP/1.1.')
  const { hosts } = headers
  if (hosts > 1 || (hosts === 0 && request.httpVersion === '1.1')) {
    throw malformed(message, 'A request has exactly one Host header.')
  }
  if (request.url?.includes('#')) {
    throw malformed(message, 'A request has a path and a query, without a fragment.')
  }
  if (headers.authorizations > 1) {
    throw new ApiError('invalid_api_key', 'Send one Authorization header only.')
  }
  if (message.hasUnmetExpectation) {
    message.response.setHeader('connection', 'close')
    throw new ApiError('expectation_failed', 'The server does not support this Expect header.')
  }
}

/** After a malformed message, the rest of its connection is not read. */
const malformed = ({ response }: Message, sentence: string): ApiError => {
  response.setHeader('connection', 'close')
  return new ApiError('malformed_request', sentence)
}

const exposedHeaders =
  'ETag, Link, RateLimit, RateLimit-Policy, Retry-After, Total-Items, Traceparent, X-Request-Id'

/** Lets only pages of listed origins read responses. */
export const addCorsHeaders = (
  { headers, responseHeaders }: RequestContext,
  origins: readonly string[],
): void => {
  if (origins.length === 0) return
  responseHeaders['vary'] = 'Authorization, Accept-Encoding, Origin'
  const { origin } = headers
  if (origin === undefined || !origins.includes(origin)) return
  responseHeaders['access-control-allow-origin'] = origin
  responseHeaders['access-control-expose-headers'] = exposedHeaders
}

/** Whether a request is a preflight of a listed origin. */
export const isPreflight = ({ method, responseHeaders }: RequestContext): boolean =>
  method === 'OPTIONS' && responseHeaders['access-control-allow-origin'] !== undefined

const readHeaders =
  'After-Write, Authorization, If-None-Match, Traceparent, Tracestate, X-Request-Id'
const postHeaders =
  'After-Write, Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Traceparent, Tracestate, X-Request-Id'

/** The response to a preflight for a path with these methods. */
export const preflightResponse = (allow: string): PlainResponse => ({
  status: 204,
  headers: {
    'access-control-allow-methods': allow,
    'access-control-allow-headers': allow === 'POST' ? postHeaders : readHeaders,
    'access-control-max-age': '600',
  },
  content: null,
})
