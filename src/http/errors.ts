import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import type { ApiError } from '#contract'
import type { Visit } from './visit.ts'
import { linesOf, sendWhole, type WholeAnswer } from './whole-head.ts'

/** The body of every answer that is not a success. */
export const errorBody = (error: ApiError): string =>
  JSON.stringify({
    error: error.message,
    errorCode: error.code,
    ...(error.details !== undefined && { details: error.details }),
  })

/** The headers that go with an error, beside those of the visit. */
export const errorHeaders = (error: ApiError): { [name: string]: string } => ({
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'cache-control': error.status === 400 || error.status === 404 ? 'private, no-cache' : 'no-store',
  vary: 'Authorization, Accept-Encoding',
  ...(error.retryAfterSeconds !== undefined && { 'retry-after': String(error.retryAfterSeconds) }),
  ...(error.code === 'missing_api_key' && { 'www-authenticate': 'Bearer' }),
  ...(error.status === 401 &&
    error.code !== 'missing_api_key' && { 'www-authenticate': 'Bearer error="invalid_token"' }),
  ...(error.status === 405 && { allow: 'GET, HEAD' }),
})

/** The one place where an error becomes an answer. */
export const sendError = (reply: FastifyReply, visit: Visit, error: ApiError): FastifyReply => {
  visit.errorCode = error.code
  return reply
    .code(error.status)
    .headers({ ...errorHeaders(error), ...visit.headers })
    .send(Buffer.from(errorBody(error)))
}

/**
 * The same where the framework has no part in it; an error that is told often as one text, where
 * `now` is given and that can be done.
 */
export const writeError = (
  response: ServerResponse,
  visit: Visit,
  error: ApiError,
  now?: number,
): void => {
  visit.errorCode = error.code
  if (error.status === 429 && sendWhole(response, visit, wholeError(error), now)) return
  const body = Buffer.from(errorBody(error))
  response
    .writeHead(error.status, {
      ...errorHeaders(error),
      'content-length': String(body.length),
      ...visit.headers,
    })
    .end(body)
}

const wholeErrors = new WeakMap<ApiError, WholeAnswer>()

const wholeError = (error: ApiError): WholeAnswer => {
  const known = wholeErrors.get(error)
  if (known) return known
  const body = Buffer.from(errorBody(error)).toString('latin1')
  const headers = { ...errorHeaders(error), 'content-length': String(body.length) }
  const whole = { status: 429, lines: linesOf(headers), body, length: body.length } as const
  wholeErrors.set(error, whole)
  return whole
}
