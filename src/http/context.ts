import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Grant } from '#keys'
import { parseHeaders, type RequestHeaders } from './headers.ts'

/** One request on its way through the pipeline, for its response, access log and metrics. */
export interface RequestContext {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** GET for HEAD too: Node leaves the body out. */
  readonly method: string
  /** The target in origin form, such as `/whoami?x=1`. */
  readonly url: string
  readonly id: string
  readonly headers: RequestHeaders
  /** Whether the Expect header names something other than 100-continue. */
  readonly hasUnmetExpectation: boolean
  /** On the clock of `performance.now`; null until the request is started. */
  startedAt: number | null
  /** The operation of its route. */
  operation: string
  /** Set once the key has been verified. */
  keyId: string | null
  keyName: string | null
  /** Set once the key was found to be valid for it. */
  brand: string | null
  errorCode: string | null
  /** Whether an error has its Content-Length after the headers of the request, not before them. */
  isErrorLengthLast: boolean
  /** Headers of every response to this request, including errors. */
  readonly responseHeaders: { [name: string]: string }
  /** The stages that ended, for Server-Timing. */
  stages: string
  stageStartedAt: number
}

export type CreateContext = (
  request: IncomingMessage,
  response: ServerResponse,
  hasUnmetExpectation: boolean,
) => RequestContext

const idPattern = /^[\w.-]{1,64}$/

/** A request keeps the id of its client where that is harmless; otherwise it gets a new one. */
export const createContexts = (idPrefix: string): CreateContext => {
  let count = 0
  return (request, response, hasUnmetExpectation) => {
    const headers = parseHeaders(request.rawHeaders)
    const { requestId } = headers
    count += 1
    const id =
      requestId !== undefined && idPattern.test(requestId) && !requestId.includes('slv_')
        ? requestId
        : `${idPrefix}-${count.toString(36)}`
    const { method = '', url = '' } = request
    return {
      request,
      response,
      method: method === 'HEAD' ? 'GET' : method,
      url: url.startsWith('/') ? url : originForm(url),
      id,
      headers,
      hasUnmetExpectation,
      startedAt: null,
      operation: 'unknown',
      keyId: null,
      keyName: null,
      brand: null,
      errorCode: null,
      isErrorLengthLast: false,
      responseHeaders: { 'x-request-id': id },
      stages: '',
      stageStartedAt: 0,
    }
  }
}

/** `GET http://host/path` means the same as `GET /path` (RFC 9112, 3.2.2). */
const originForm = (url: string): string => url.replace(/^https?:\/\/[^/?#]*/i, '') || '/'

export const startTiming = (ctx: RequestContext): void => {
  ctx.startedAt = performance.now()
  ctx.stageStartedAt = ctx.startedAt
}

export const setKey = (ctx: RequestContext, { keyId, name }: Grant): void => {
  ctx.keyId = keyId
  ctx.keyName = name
}

/** Ends a stage of the pipeline; its duration appears in Server-Timing. */
export const endStage = (ctx: RequestContext, name: string): void => {
  const now = performance.now()
  const durationMs = Math.round((now - ctx.stageStartedAt) * 100) / 100
  ctx.stages += `${ctx.stages && ', '}${name};dur=${durationMs}`
  ctx.stageStartedAt = now
}
