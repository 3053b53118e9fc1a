import { type ClientErrorCode, responseError, SelvedgeError, shortUrl } from './error.ts'
import { BodyTooLargeError, decode, type ResponseLimits, readBody } from './response-body.ts'
import {
  createRetrySchedule,
  defaultRetryPolicy,
  type RetryOptions,
  type RetryPolicy,
  retryPolicy,
} from './retry-policy.ts'
import { after, sleep } from './timer.ts'

/** How one request is made, where it differs from the others. */
export interface RequestOptions extends Partial<RetryOptions> {
  /** Ends the request, its pauses and its walk; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
}

/** A try that failed and is made again. */
export interface Retry {
  readonly url: string
  /** How often the request was sent so far. */
  readonly tries: number
  readonly error: SelvedgeError
  readonly pauseMs: number
}

export interface TransportOptions extends Partial<RetryPolicy>, ResponseLimits {
  /** The API key, or a function that returns it, which is called for each request. */
  readonly key: string | (() => string | Promise<string>)
  /** Makes the requests; the platform's own by default. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Headers to send with every request to the API. */
  readonly headers?: { readonly [name: string]: string } | undefined
  /**
   * `follow` (the default) leaves redirects to the platform, which sends the key to no other origin.
   * `manual` follows none: the response is the redirect itself.
   */
  readonly redirect?: 'follow' | 'manual' | undefined
  /** Called before each pause, with the reason for it. */
  readonly onWait?: ((retry: Retry) => void) | undefined
  /** From 0 to 1. */
  readonly random?: (() => number) | undefined
}

/** A response of any status, read to its end. */
export interface TransportResponse {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly etag: string | null
  /** How often the request was sent. */
  readonly tries: number
}

/**
 * Reads a server with a key. Responses 408, 429 and 5xx, failed connections and tries that take too
 * long are retried as the policy says: every request is a GET, which may be repeated. What comes of
 * the last try is the result: a response, whatever its status, or a `SelvedgeError` if there is none.
 */
export interface Transport {
  /** Requests that were sent so far, retries included. */
  readonly requests: number
  /** With the tag of an earlier response the status may be 304. */
  get(url: string, options?: RequestOptions & { etag?: string | null }): Promise<TransportResponse>
  /** Reads a temporary address without the key. Rejects unless the status is a success. */
  download(url: string, options?: RequestOptions): Promise<Blob>
}

export const createTransport = (options: TransportOptions): Transport => {
  const { key } = options
  const fetch = options.fetch ?? ((...args) => globalThis.fetch(...args))
  const policy = retryPolicy(defaultRetryPolicy, options)
  let requests = 0

  const send = async (target: Target, each: RequestOptions): Promise<Received> => {
    const { signal } = each
    const own = retryPolicy(policy, each)
    const schedule = createRetrySchedule(own, options.random)
    for (let tries = 1; ; tries += 1) {
      signal?.throwIfAborted()
      requests += 1
      const timeouts = { timeoutMs: schedule.timeoutMs(), idleTimeoutMs: own.idleTimeoutMs }
      const result = await tryOnce(fetch, target, { ...options, ...timeouts, signal, tries })
      const error = result instanceof SelvedgeError ? result : failureOf(target, result)
      const pauseMs = error && schedule.nextPauseMs(error)
      if (!error || pauseMs === undefined) {
        if (result instanceof SelvedgeError) throw result
        return result
      }
      options.onWait?.({ url: error.url, tries, error, pauseMs })
      await sleep(pauseMs, signal)
    }
  }

  const keyedHeaders = async (etag: string | null): Promise<Headers> =>
    checkedHeaders({
      accept: 'application/json',
      ...options.headers,
      authorization: `Bearer ${typeof key === 'function' ? await key() : key}`,
      ...(etag && { 'if-none-match': etag }),
    })

  return {
    get requests() {
      return requests
    },
    get: async (url, { etag = null, ...each } = {}) => {
      const target = { url, shownUrl: url, headers: await keyedHeaders(etag) }
      const { status, headers, chunks, tries } = await send(target, each)
      return { url, status, headers, body: decode(chunks), etag: headers.get('etag'), tries }
    },
    download: async (url, each = {}) => {
      // The query is what grants access, so it stays out of errors.
      const target = { url, shownUrl: url.replace(/\?.*/, ''), headers: new Headers() }
      const received = await send(target, each)
      const error = failureOf(target, received)
      if (error) throw error
      return new Blob([...received.chunks], { type: received.headers.get('content-type') ?? '' })
    },
  }
}

/** The platform's own message would repeat the key. */
const checkedHeaders = (headers: { readonly [name: string]: string }): Headers => {
  try {
    return new Headers(headers)
  } catch {
    throw new TypeError('key or headers have a character that no header can carry.')
  }
}

interface Target {
  readonly url: string
  /** What errors call it. */
  readonly shownUrl: string
  readonly headers: Headers
}

/** A response that was read to its end. */
interface Received {
  readonly status: number
  readonly headers: Headers
  readonly chunks: readonly Uint8Array<ArrayBuffer>[]
  readonly tries: number
}

const failureOf = (
  { shownUrl: url }: Target,
  { status, headers, chunks, tries }: Received,
): SelvedgeError | undefined => {
  if (status < 400) return undefined
  return responseError({ url, status, headers, body: decode(chunks), tries })
}

interface TryOptions extends ResponseLimits {
  readonly timeoutMs: number
  readonly idleTimeoutMs: number
  readonly redirect?: 'follow' | 'manual' | undefined
  readonly signal: AbortSignal | undefined
  readonly tries: number
}

/** Sends a request once. Rejects with nothing but the signal's reason. */
const tryOnce = async (
  fetch: typeof globalThis.fetch,
  { url, shownUrl, headers }: Target,
  options: TryOptions,
): Promise<Received | SelvedgeError> => {
  const { timeoutMs, idleTimeoutMs, redirect = 'follow', signal, tries } = options
  const place = shortUrl(shownUrl)
  const ending = new AbortController()
  const onAbort = () => ending.abort()
  signal?.addEventListener('abort', onAbort, { once: true })
  let timeoutMessage: string | undefined
  const endAfter = (ms: number, message: string) =>
    after(ms, () => {
      timeoutMessage = message
      ending.abort()
    })
  const idleMessage = `${place} sent nothing for ${idleTimeoutMs} ms.`
  let cancelIdle = endAfter(idleTimeoutMs, idleMessage)
  const cancel = endAfter(
    timeoutMs,
    `No complete response from ${place} within ${Math.round(timeoutMs)} ms.`,
  )
  const onProgress = () => {
    cancelIdle()
    cancelIdle = endAfter(idleTimeoutMs, idleMessage)
  }
  try {
    const response = await fetch(url, { headers, redirect, signal: ending.signal })
    onProgress()
    const chunks = await readBody(response, options, onProgress)
    return { status: response.status, headers: response.headers, chunks, tries }
  } catch (cause) {
    if (signal?.aborted) throw signal.reason
    const fail = (code: ClientErrorCode, message: string) =>
      new SelvedgeError({ code, message, url: shownUrl, tries, cause })
    if (cause instanceof BodyTooLargeError) {
      return fail('response_too_large', `${place} sent ${cause.message} in one response.`)
    }
    if (timeoutMessage) return fail('timeout', timeoutMessage)
    return fail('network_error', `The connection to ${place} failed: ${messageOf(cause)}.`)
  } finally {
    cancel()
    cancelIdle()
    signal?.removeEventListener('abort', onAbort)
    // Closes the connection of a response that was not read to its end.
    ending.abort()
  }
}

/** Node says what went wrong in the cause of the error; browsers do not say it at all. */
const messageOf = (error: unknown): string => {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } }
  return String(cause?.message || message || error).replace(/\.$/, '')
}
