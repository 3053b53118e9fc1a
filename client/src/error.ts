import type { ServerErrorCode } from './generated/records.ts'
import { parseRetryAfter } from './retry-after.ts'

/**
 * Codes of errors that the server did not report: no connection, a timeout, a response from
 * something other than this API (such as a proxy's error page), or a response over the size limit.
 */
export const clientErrorCodes = [
  'network_error',
  'timeout',
  'unreadable_answer',
  'response_too_large',
] as const

export type ClientErrorCode = (typeof clientErrorCodes)[number]

/** A code of the contract, a code of the client, or a code that a newer server added. */
export type ErrorCode = ServerErrorCode | ClientErrorCode | (string & {})

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** One problem of a request. The `details` of `invalid_parameter` are a list of these. */
export interface Problem {
  readonly parameter: string
  readonly issue: string
}

export interface ErrorFacts {
  readonly code: ErrorCode
  readonly message: string
  readonly url: string
  readonly status?: number | undefined
  readonly details?: JsonValue | undefined
  readonly requestId?: string | undefined
  readonly retryAfterSeconds?: number | undefined
  readonly tries: number
  readonly cause?: unknown
}

/**
 * Every failure of a request except an abort, which rejects with the signal's reason. `message` is
 * the server's sentence for people; programs should check `code`.
 */
export class SelvedgeError extends Error {
  override readonly name = 'SelvedgeError'
  readonly code: ErrorCode
  /** The status of the response; undefined if there was no response. */
  readonly status: number | undefined
  /** Details from the server; for invalid parameters, a list of `Problem`. */
  readonly details: JsonValue | undefined
  /** The id of the request in the server's log; undefined if there was no response. */
  readonly requestId: string | undefined
  /** The seconds that the server asks the client to wait before the next request. */
  readonly retryAfterSeconds: number | undefined
  readonly url: string
  /** The number of times the request was sent. */
  readonly tries: number

  constructor(facts: ErrorFacts) {
    super(facts.message, { cause: facts.cause })
    this.code = facts.code
    this.status = facts.status
    this.details = facts.details
    this.requestId = facts.requestId
    this.retryAfterSeconds = facts.retryAfterSeconds
    this.url = facts.url
    this.tries = facts.tries
  }

  /** The problems of the request by parameter; empty if the server named none. */
  get problems(): readonly Problem[] {
    return Array.isArray(this.details) ? this.details.filter(isProblem) : []
  }
}

const isProblem = (value: JsonValue): value is JsonValue & Problem =>
  typeof value === 'object' && value !== null && 'parameter' in value && 'issue' in value

/** The parts of a response that an error uses. */
export interface ResponseFacts {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly tries: number
}

/** The error that a response reports, or an error if the response is not from this API. */
export const responseError = (response: ResponseFacts, cause?: unknown): SelvedgeError => {
  const { url, status, headers, tries } = response
  const body = parseErrorBody(response.body)
  return new SelvedgeError({
    code: body?.errorCode ?? 'unreadable_answer',
    message: body?.error ?? describeForeign(response),
    url,
    status,
    details: body?.details,
    requestId: headers.get('x-request-id') ?? undefined,
    retryAfterSeconds: parseRetryAfter(headers.get('retry-after')),
    tries,
    cause,
  })
}

/** The JSON of a successful response. Throws an error for any other response. */
export const parseJson = (response: ResponseFacts) => {
  if (response.status < 200 || response.status > 299) throw responseError(response)
  try {
    return JSON.parse(response.body)
  } catch (cause) {
    throw responseError(response, cause)
  }
}

interface ErrorBody {
  readonly error: string
  readonly errorCode: string
  readonly details?: JsonValue
}

const parseErrorBody = (text: string): ErrorBody | undefined => {
  try {
    const body = JSON.parse(text)
    return typeof body.error === 'string' && typeof body.errorCode === 'string' ? body : undefined
  } catch {
    return undefined
  }
}

const describeForeign = ({ url, status, headers }: ResponseFacts): string => {
  const place = shortUrl(url)
  const location = headers.get('location')
  if (status >= 300 && status < 400 && location) {
    return `${place} redirects to ${location}. The key is not sent to another address: use that address instead.`
  }
  const answered = `answered ${status} with ${headers.get('content-type') ?? 'no content type'}`
  return status < 500
    ? `${place} is not a Selvedge server: it ${answered}.`
    : `${place} ${answered}.`
}

const urlCharactersMax = 200

/** A URL shortened for messages, since it may contain a long cursor. */
export const shortUrl = (url: string): string =>
  url.length > urlCharactersMax ? `${url.slice(0, urlCharactersMax)}…` : url
