import type { ServerErrorCode } from './generated/records.ts'

/**
 * What can go wrong before the server has said what it is: no connection, no answer in time, or an
 * answer that is not of this API, such as a page of a proxy.
 */
export const clientErrorCodes = ['network_error', 'timeout', 'unreadable_answer'] as const

export type ClientErrorCode = (typeof clientErrorCodes)[number]

/** A code of the contract, one of the client's own, or one that a newer server has added. */
export type ErrorCode = ServerErrorCode | ClientErrorCode | (string & {})

export type JsonValue =
  | string
  | number
  | boolean
  | null
  | readonly JsonValue[]
  | { readonly [name: string]: JsonValue }

/** One thing that is wrong with a request; `details` of `invalid_parameter` is a list of them. */
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
  readonly cause?: unknown
}

/**
 * Every failure of a request but an abort, which rejects with the reason of the signal. `message`
 * is the server's sentence; programs look at `code`.
 */
export class SelvedgeError extends Error {
  override readonly name = 'SelvedgeError'
  readonly code: ErrorCode
  /** Of the answer; undefined where there was none. */
  readonly status: number | undefined
  /** What the server adds: for parameters a list of `Problem`. */
  readonly details: JsonValue | undefined
  /** The server's log has the same; undefined where there was no answer. */
  readonly requestId: string | undefined
  readonly url: string
  /** How often the request was made. */
  tries = 1

  constructor({ code, message, url, status, details, requestId, cause }: ErrorFacts) {
    super(message, { cause })
    this.code = code
    this.status = status
    this.details = details
    this.requestId = requestId
    this.url = url
  }

  /** What is wrong with the request, parameter by parameter; empty where the server named none. */
  get problems(): readonly Problem[] {
    return Array.isArray(this.details) ? this.details.filter(isProblem) : []
  }
}

const isProblem = (value: JsonValue): value is JsonValue & Problem =>
  typeof value === 'object' && value !== null && 'parameter' in value && 'issue' in value
