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

/** Options of one request; they override those of the client. */
export interface RequestOptions extends Partial<RetryOptions> {
  /**
   * Aborts the request with its pauses and the pages after it. The call rejects with the signal's
   * reason.
   */
  readonly signal?: AbortSignal | undefined
  /**
   * The `writeToken` of an import, a sync or a batch of the brand. The response then contains its
   * records.
   */
  readonly afterWrite?: string | null | undefined
}

/** A failed attempt that will be retried. */
export interface Retry {
  readonly url: string
  /** The number of attempts so far. */
  readonly tries: number
  readonly error: SelvedgeError
  readonly pauseMs: number
}

export interface TransportOptions extends Partial<RetryPolicy>, ResponseLimits {
  /** The API key, or a function that returns it and is called for each request. */
  readonly key: string | (() => string | Promise<string>)
  /** Sends the requests. The default is the platform's `fetch`. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Headers of every request to the API. */
  readonly headers?: { readonly [name: string]: string } | undefined
  /**
   * `follow` (the default) lets the platform follow redirects; it sends the key to no other origin.
   * `manual` returns the redirect as the response.
   */
  readonly redirect?: 'follow' | 'manual' | undefined
  /** Called before each pause with its reason. */
  readonly onWait?: ((retry: Retry) => void) | undefined
  /** Returns a number from 0 to 1 for the jitter. */
  readonly random?: (() => number) | undefined
}

/** A complete response of any status. */
export interface TransportResponse {
  readonly url: string
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly etag: string | null
  /** The number of attempts. */
  readonly tries: number
}

/**
 * Reads from a server with a key. Retries 408, 429 and 5xx responses, failed connections and
 * timeouts as the policy says; every request is a GET, so a retry is safe. Resolves with the last
 * response, whatever its status, and rejects with a `SelvedgeError` if there was none.
 */
export interface Transport {
  /** The number of requests sent so far, including retries. */
  readonly requests: number
  /** With the `ETag` of an earlier response, the status may be 304. */
  get(url: string, options?: RequestOptions & { etag?: string | null }): Promise<TransportResponse>
  /** Reads a temporary URL without the key. Rejects unless the response is successful. */
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

  const keyedHeaders = async (
    etag: string | null,
    afterWrite: string | null = null,
  ): Promise<Headers> =>
    checkedHeaders({
      accept: 'application/json',
      ...options.headers,
      authorization: `Bearer ${typeof key === 'function' ? await key() : key}`,
      ...(etag && { 'if-none-match': etag }),
      ...(afterWrite && { 'after-write': afterWrite }),
    })

  return {
    get requests() {
      return requests
    },
    get: async (url, { etag = null, ...each } = {}) => {
      const headersSent = await keyedHeaders(etag, each.afterWrite)
      const target = { url, shownUrl: url, headers: headersSent }
      const { status, headers, chunks, tries } = await send(target, each)
      return { url, status, headers, body: decode(chunks), etag: headers.get('etag'), tries }
    },
    download: async (url, each = {}) => {
      // The query string grants access, so errors omit it.
      const target = { url, shownUrl: url.replace(/\?.*/, ''), headers: new Headers() }
      const received = await send(target, each)
      const error = failureOf(target, received)
      if (error) throw error
      return new Blob([...received.chunks], { type: received.headers.get('content-type') ?? '' })
    },
  }
}

/** The platform's error message would contain the key. */
const checkedHeaders = (headers: { readonly [name: string]: string }): Headers => {
  try {
    return new Headers(headers)
  } catch {
    throw new TypeError('key, headers or afterWrite have a character that no header can carry.')
  }
}

interface Target {
  readonly url: string
  /** The URL in error messages. */
  readonly shownUrl: string
  readonly headers: Headers
}

/** A complete response. */
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

/** Sends a request once. Rejects only with the signal's reason. */
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
    // Closes the connection if the response was not read completely.
    ending.abort()
  }
}

/** Node puts the reason into the cause of the error; browsers do not report it. */
const messageOf = (error: unknown): string => {
  const { message, cause } = error as { message?: unknown; cause?: { message?: unknown } }
  return String(cause?.message || message || error).replace(/\.$/, '')
}
