import type { JsonValue } from './fields.ts'

/** Every error code, its status and its meaning. Documentation and clients are generated from this table. */
export const errors = {
  invalid_parameter: {
    status: 400,
    meaning: 'A path or query parameter is invalid. details lists every problem.',
  },
  unsupported_include: {
    status: 400,
    meaning: 'include names a relation that does not exist on this endpoint.',
  },
  invalid_cursor: {
    status: 400,
    meaning: 'The cursor was not issued by this server, or it is truncated or modified.',
  },
  cursor_mismatch: {
    status: 400,
    meaning: 'The cursor was issued for a different brand, collection or set of filters.',
  },
  invalid_write_token: {
    status: 400,
    meaning:
      'The token in After-Write was not issued by this server, belongs to another brand, or is from before a restore of the database.',
  },
  page_too_large: {
    status: 400,
    meaning: 'The response would be too large. details names the parameter to change.',
  },
  malformed_request: { status: 400, meaning: 'The HTTP message is malformed.' },
  missing_api_key: { status: 401, meaning: 'The request has no API key.' },
  invalid_api_key: { status: 401, meaning: 'The API key is unknown, malformed or revoked.' },
  expired_api_key: { status: 401, meaning: 'The API key has expired.' },
  out_of_scope: {
    status: 401,
    meaning: 'The API key does not have access to this brand or group, or from this address.',
  },
  invalid_signature: {
    status: 401,
    meaning: 'The signature of the message is missing, invalid or too old, or its key is unknown.',
    part: 'ingest',
  },
  invalid_sign_in_link: {
    status: 401,
    meaning: 'The one-time link of the operator page is unknown, has been used or has expired.',
    part: 'admin',
  },
  signed_out: {
    status: 401,
    meaning: 'There is no session of the operator page, or it has ended.',
    part: 'admin',
  },
  invalid_link: { status: 403, meaning: 'The temporary URL is invalid or has expired.' },
  forbidden_origin: {
    status: 403,
    meaning: 'The request comes from a web page whose origin is not allowed.',
  },
  forbidden_host: {
    status: 403,
    meaning: 'The Host header has a name that the operator page is not served under.',
    part: 'admin',
  },
  invalid_csrf_token: {
    status: 403,
    meaning: 'The x-csrf-token header is missing, or is not that of the session.',
    part: 'admin',
  },
  not_found: {
    status: 404,
    meaning:
      'The path does not exist, or the record does not exist or is not available to the brand.',
  },
  method_not_allowed: {
    status: 405,
    meaning: 'The path does not support the method. Allow lists the supported methods.',
  },
  request_timeout: { status: 408, meaning: 'The request was not received in time.' },
  operation_refused: {
    status: 409,
    meaning: 'The operator page cannot do this now, and nothing was changed. error says why.',
    part: 'admin',
  },
  body_too_large: { status: 413, meaning: 'The request body is too large.' },
  unsupported_media_type: {
    status: 415,
    meaning: 'The Content-Type or Content-Encoding of the request body is not supported.',
    part: 'ingest',
  },
  range_not_satisfiable: { status: 416, meaning: 'The requested range is outside the file.' },
  expectation_failed: {
    status: 417,
    meaning: 'The Expect header names an expectation that is not supported.',
  },
  batch_refused: {
    status: 422,
    meaning: 'The batch was refused and changed nothing. details is the batch with its problems.',
    part: 'ingest',
  },
  idempotency_conflict: {
    status: 422,
    meaning: 'The Idempotency-Key belongs to an earlier request with another body.',
    part: 'ingest',
  },
  rate_limited: {
    status: 429,
    meaning: 'Rate limit exceeded. Retry after the number of seconds in Retry-After.',
  },
  headers_too_large: { status: 431, meaning: 'The request line or the headers are too large.' },
  internal_error: { status: 500, meaning: 'An unexpected error occurred on the server.' },
  store_unavailable: {
    status: 500,
    meaning:
      'The database is unavailable, or the request takes too long. Retry after the number of seconds in Retry-After: a long list or summary then continues where it stopped.',
  },
  storage_unavailable: { status: 503, meaning: 'The image storage is unavailable.' },
  queue_full: {
    status: 503,
    meaning:
      'The server has no room for another batch. Retry after the number of seconds in Retry-After.',
    part: 'ingest',
  },
  not_ready: { status: 503, meaning: 'The server is starting or stopping.' },
} as const satisfies Record<string, ErrorRow>

interface ErrorRow {
  readonly status: number
  readonly meaning: string
  /** Set if only this part of the server uses the code. That part listens on a separate port. */
  readonly part?: 'ingest' | 'admin'
}

export type ErrorCode = keyof typeof errors

export interface ErrorExtras {
  readonly details?: JsonValue
  /** Whole seconds, sent as `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** The internal cause: logged, never sent. */
  readonly cause?: unknown
}

/** The only way to reject a request: a code of the table and a sentence that helps the caller. */
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
