import type { IncomingMessage, ServerResponse } from 'node:http'
import { ApiError } from '#contract'

/** The headers that concern every request, read in one pass. */
export interface RequestHeaders {
  readonly hosts: number
  readonly authorizations: number
  readonly authorization: string | undefined
  readonly ifNoneMatch: string | undefined
  readonly acceptEncoding: string | undefined
  readonly requestId: string | undefined
  readonly origin: string | undefined
  /** Whether a body may follow. */
  readonly hasBody: boolean
}

type Mutable = { -readonly [Name in keyof RequestHeaders]: RequestHeaders[Name] }

/** How a header of that name is read; repeated ones are joined as Node joins them. */
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
  origin: (headers, value) => {
    headers.origin = joined(headers.origin, value)
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

/** Node's own object of all headers costs more than the rest of a cached response. */
export const parseHeaders = (rawHeaders: readonly string[]): RequestHeaders => {
  const headers: Mutable = {
    hosts: 0,
    authorizations: 0,
    authorization: undefined,
    ifNoneMatch: undefined,
    acceptEncoding: undefined,
    requestId: undefined,
    origin: undefined,
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

/** The parts of a request that `checkMessage` looks at. */
interface Message {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly headers: RequestHeaders
  readonly hasUnmetExpectation: boolean
}

/** Rejects messages that Node's parser accepts although RFC 9112 does not. */
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

/** After a message that cannot be understood, the rest of its connection is not read. */
const malformed = ({ response }: Message, sentence: string): ApiError => {
  response.setHeader('connection', 'close')
  return new ApiError('malformed_request', sentence)
}
