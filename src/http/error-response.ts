import type { Socket } from 'node:net'
import type { ApiError } from '#contract'
import { headerLines } from './raw-response.ts'

interface EncodedError {
  readonly lines: string
  /** One character per byte. */
  readonly body: string
}

const encodedErrors = new WeakMap<ApiError, EncodedError>()

/** Caches 429 errors: a client beyond its rate limit gets the same one often. */
export const encodeError = (error: ApiError): EncodedError => {
  const existing = encodedErrors.get(error)
  if (existing) return existing
  const body = Buffer.from(errorBody(error)).toString('latin1')
  const headers = { ...errorHeaders(error), 'content-length': String(body.length) }
  const encoded = { lines: headerLines(headers), body }
  if (error.status === 429) encodedErrors.set(error, encoded)
  return encoded
}

/** The body of every error response. */
export const errorBody = (error: ApiError): string =>
  JSON.stringify({
    error: error.message,
    errorCode: error.code,
    ...(error.details !== undefined && { details: error.details }),
  })

/** The headers of an error, in addition to those of its request. */
export const errorHeaders = (error: ApiError): { [name: string]: string } => ({
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': error.status === 400 || error.status === 404 ? 'private, no-cache' : 'no-store',
  vary: 'Authorization, Accept-Encoding',
  ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
  ...(error.code === 'missing_api_key' && { 'www-authenticate': 'Bearer' }),
  ...(error.status === 401 &&
    error.code !== 'missing_api_key' && { 'www-authenticate': 'Bearer error="invalid_token"' }),
  // A path with other methods sets its own Allow, which replaces this one.
  ...(error.status === 405 && { allow: 'GET, HEAD' }),
})

/** Sends an error without a request to respond to, and closes the connection. */
export const sendErrorOn = (socket: Socket, error: ApiError): void => {
  const { lines, body } = encodeError(error)
  const status = `HTTP/1.1 ${error.status} ${reasonPhrases[error.status] ?? 'Error'}\r\n`
  socket.end(`${status}${lines}connection: close\r\n\r\n${body}`, 'latin1')
}

const reasonPhrases: { readonly [status: number]: string } = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  431: 'Request Header Fields Too Large',
  500: 'Internal Server Error',
}
