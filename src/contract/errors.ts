import type { JsonValue } from './fields.ts'

/** Every error code, its status and what it means. Documents and clients are made from this table. */
export const errors = {
  invalid_parameter: {
    status: 400,
    meaning: 'A parameter of the path or query is not as described; details lists every problem.',
  },
  unsupported_include: {
    status: 400,
    meaning: 'include names a relation that the endpoint does not have.',
  },
  invalid_cursor: {
    status: 400,
    meaning: 'The cursor is not one of ours: garbled, cut off or changed.',
  },
  cursor_mismatch: {
    status: 400,
    meaning: 'The cursor was issued for another brand, collection or set of filters.',
  },
  page_too_large: {
    status: 400,
    meaning: 'The response would have too many bytes; details names the parameter to change.',
  },
  malformed_request: { status: 400, meaning: 'The HTTP message itself cannot be read.' },
  missing_api_key: { status: 401, meaning: 'No API key was sent.' },
  invalid_api_key: { status: 401, meaning: 'The API key is unknown, malformed or revoked.' },
  expired_api_key: { status: 401, meaning: 'The API key has expired.' },
  out_of_scope: { status: 401, meaning: 'The API key may not read this brand.' },
  invalid_link: { status: 403, meaning: 'The temporary address is wrong or no longer valid.' },
  forbidden_origin: {
    status: 403,
    meaning: 'The call comes from a web page whose origin may not make it.',
  },
  not_found: {
    status: 404,
    meaning:
      'There is no such path, or the record does not exist or is not available to the brand.',
  },
  method_not_allowed: { status: 405, meaning: 'The path is read with GET or HEAD only.' },
  request_timeout: { status: 408, meaning: 'The request did not arrive in time.' },
  body_too_large: { status: 413, meaning: 'The body of the call is too long.' },
  range_not_satisfiable: { status: 416, meaning: 'The range asked for lies outside the file.' },
  expectation_failed: { status: 417, meaning: 'The Expect header asks for something not offered.' },
  rate_limited: { status: 429, meaning: 'Too many requests; wait for Retry-After seconds.' },
  headers_too_large: { status: 431, meaning: 'The request line or headers are too long.' },
  internal_error: { status: 500, meaning: 'Something unexpected went wrong on the server.' },
  store_unavailable: {
    status: 500,
    meaning: 'The records cannot be reached, or not fast enough; try again after Retry-After.',
  },
  storage_unavailable: { status: 503, meaning: 'The image storage cannot be reached.' },
  not_ready: { status: 503, meaning: 'The server is starting or stopping.' },
} as const satisfies Record<string, { readonly status: number; readonly meaning: string }>

export type ErrorCode = keyof typeof errors

export interface ErrorExtras {
  readonly details?: JsonValue
  /** Seconds, whole; sent as `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** What went wrong inside. Goes to the log, never into an answer. */
  readonly cause?: unknown
}

/** The one way to refuse a request: a code of the table and a sentence that helps the caller. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly details: JsonValue | undefined
  readonly retryAfterSeconds: number | undefined

  constructor(code: ErrorCode, message: string, extras: ErrorExtras = {}) {
    super(message, { cause: extras.cause })
    this.code = code
    this.details = extras.details
    this.retryAfterSeconds = extras.retryAfterSeconds
  }

  get status(): number {
    return errors[this.code].status
  }
}
