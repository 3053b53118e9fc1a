import { type JsonValue, SelvedgeError } from './error.ts'
import { after, type Patience, patienceFrom, pause, pauseMs, retryAfterMs } from './patience.ts'

/** How one request is made, where it differs from the client's others. */
export interface RequestOptions extends Partial<Patience> {
  /** Ends the request, its pauses and its walk; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A try that failed and is made again. */
export interface Retry {
  readonly url: string
  /** How often the request was made so far. */
  readonly tries: number
  readonly error: SelvedgeError
  readonly pauseMs: number
}

export interface SendParts {
  readonly fetch: typeof globalThis.fetch
  readonly patience: Patience
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

export interface Outgoing<T> {
  readonly url: string
  /** What errors call it, where the whole address is a secret. */
  readonly calledInErrors?: string
  readonly headers: Headers
  /** Takes what is wanted of a success, or of a 304 where one was asked for. */
  read(response: Response): Promise<T>
}

/**
 * Makes a request until it succeeds, fails for good, or patience is at an end. Tried again are
 * answers 429 and 5xx, connections that fail, and tries that take too long: every request is a GET,
 * and may be made twice.
 */
export const send = async <T>(
  { fetch, patience: usual, onRetry }: SendParts,
  outgoing: Outgoing<T>,
  options: RequestOptions,
): Promise<T> => {
  const { signal } = options
  const patience = patienceFrom(usual, options)
  const endsAt = performance.now() + patience.totalTimeoutMs
  for (let tries = 1; ; tries += 1) {
    const leftMs = endsAt - performance.now()
    const timeoutMs = Math.max(1, Math.min(patience.tryTimeoutMs, leftMs))
    const outcome = await tryOnce(fetch, outgoing, timeoutMs, signal)
    if ('value' in outcome) return outcome.value
    const { error, again } = outcome
    error.tries = tries
    const waitMs = pauseMs(tries, outcome.retryAfterMs)
    const isLast = !again || tries >= patience.tries || performance.now() + waitMs >= endsAt
    if (isLast) throw error
    onRetry?.({ url: error.url, tries, error, pauseMs: waitMs })
    await pause(waitMs, signal)
  }
}

type Outcome<T> =
  | { readonly value: T }
  | {
      readonly error: SelvedgeError
      /** Whether another try may end better. */
      readonly again: boolean
      readonly retryAfterMs?: number | undefined
    }

const tryOnce = async <T>(
  fetch: typeof globalThis.fetch,
  { url, calledInErrors = url, headers, read }: Outgoing<T>,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<Outcome<T>> => {
  signal?.throwIfAborted()
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  signal?.addEventListener('abort', onAbort, { once: true })
  let isLate = false
  const cancel = after(timeoutMs, () => {
    isLate = true
    ending.abort()
  })
  try {
    const response = await fetch(url, { headers, signal: ending.signal })
    if (response.ok || response.status === 304) return { value: await read(response) }
    return await refusalOf(calledInErrors, response)
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    // What the answer said cannot be read again by asking again.
    if (cause instanceof SelvedgeError) return { error: cause, again: false }
    const error = isLate
      ? late(calledInErrors, timeoutMs, cause)
      : unreachable(calledInErrors, cause)
    return { error, again: true }
  } finally {
    cancel()
    signal?.removeEventListener('abort', onAbort)
  }
}

const refusalOf = async (url: string, response: Response): Promise<Outcome<never>> => {
  const { status, headers } = response
  const body = errorBody(await response.text())
  const error = new SelvedgeError({
    code: body?.errorCode ?? 'unreadable_answer',
    message: body?.error ?? `The answer ${status} to ${url} is not one of this API.`,
    url,
    status,
    details: body?.details,
    requestId: headers.get('x-request-id') ?? undefined,
  })
  const again = status === 429 || status >= 500
  return { error, again, retryAfterMs: retryAfterMs(headers.get('retry-after')) }
}

interface ErrorBody {
  readonly error: string
  readonly errorCode: string
  readonly details?: JsonValue
}

const errorBody = (text: string): ErrorBody | undefined => {
  try {
    const body = JSON.parse(text)
    return typeof body.error === 'string' && typeof body.errorCode === 'string' ? body : undefined
  } catch {
    return undefined
  }
}

const late = (url: string, timeoutMs: number, cause: unknown): SelvedgeError =>
  new SelvedgeError({
    code: 'timeout',
    message: `No whole answer from ${url} within ${Math.round(timeoutMs)} ms.`,
    url,
    cause,
  })

const unreachable = (url: string, cause: unknown): SelvedgeError =>
  new SelvedgeError({
    code: 'network_error',
    message: `The connection to ${url} failed: ${reasonOf(cause)}.`,
    url,
    cause,
  })

/** Node says what went wrong in the cause of the error; browsers do not say it at all. */
const reasonOf = (error: unknown): string => {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } }
  return String(cause?.message || message || error).replace(/\.$/, '')
}
