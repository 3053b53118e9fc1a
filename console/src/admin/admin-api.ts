import { parseJson, SelvedgeError } from '../../../client/src/index.ts'
import { texts } from '../texts/index.ts'

export type Query = { readonly [name: string]: string | undefined }

/**
 * The JSON endpoints of the operator page, below `/api`. The session is a cookie that scripts cannot
 * read. Throws `SelvedgeError`.
 */
export interface AdminApi {
  /** Reads `/api` + path. Leaves out query parameters that are undefined or empty. */
  get<T>(path: string, options?: { query?: Query; signal?: AbortSignal }): Promise<T>
  /** Changes something. A blob is sent as it is, anything else as JSON. Not retried. */
  change<T>(
    method: 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    headers?: { readonly [name: string]: string },
  ): Promise<T>
}

export interface AdminApiParts {
  /** The token that proves that a change comes from this page; null without a session. */
  readonly csrfToken: () => string | null
  /** Called when the server says that there is no session. */
  readonly onEnd: () => void
  /**
   * Called when the server rejects the CSRF token: another tab of the browser has signed in again.
   * Reads the session, and returns whether it is one of the same operator.
   */
  readonly renew: () => Promise<boolean>
  readonly fetch?: typeof globalThis.fetch
}

export const createAdminApi = ({ csrfToken, onEnd, renew, fetch }: AdminApiParts): AdminApi => {
  const send = async (path: string, init: RequestInit): Promise<unknown> => {
    const url = `/api${path}`
    let response: Response
    let body: string
    try {
      response = await (fetch ?? globalThis.fetch)(url, { credentials: 'same-origin', ...init })
      body = await response.text()
    } catch (cause) {
      init.signal?.throwIfAborted()
      const message = texts().states.unreachable
      throw new SelvedgeError({ code: 'network_error', message, url, tries: 1, cause })
    }
    const { status, headers } = response
    if (status === 204) return undefined
    try {
      return parseJson({ url, status, headers, body, tries: 1 })
    } catch (error) {
      if (error instanceof SelvedgeError && status === 401) onEnd()
      throw error
    }
  }
  return {
    get: async <T>(path: string, { query = {}, signal }: GetOptions = {}) =>
      (await send(path + queryText(query), { ...(signal && { signal }) })) as T,
    change: async <T>(method: string, path: string, body?: object, headers = {}) => {
      const isBlob = body instanceof Blob
      const sendOnce = () =>
        send(path, {
          method,
          headers: {
            'x-csrf-token': csrfToken() ?? '',
            ...(body && !isBlob && { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body && { body: isBlob ? body : JSON.stringify(body) }),
        })
      try {
        return (await sendOnce()) as T
      } catch (error) {
        const isRejected = error instanceof SelvedgeError && error.code === 'invalid_csrf_token'
        if (!isRejected || !(await renew())) throw error
        return (await sendOnce()) as T
      }
    },
  }
}

interface GetOptions {
  readonly query?: Query
  readonly signal?: AbortSignal
}

const queryText = (query: Query): string => {
  const entries = Object.entries(query).filter((entry): entry is [string, string] => !!entry[1])
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`
}
