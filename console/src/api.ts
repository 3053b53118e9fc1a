import { basePath } from '../../src/contract/index.ts'

export type Row = { [field: string]: unknown }
export type Page = { items: Row[]; total: number; next: string | null }
export type Filters = { [name: string]: string }

export type ListAsk = {
  filters?: Filters
  limit?: number
  cursor?: string
  /** References to bring along, named without `Id`. */
  include?: string[]
  signal?: AbortSignal
}

export type GetAsk = { include?: string[]; signal?: AbortSignal }

/** The public API, for one brand. Waits when the rate limit is used up; throws ApiError. */
export type Api = {
  brand: string
  list(collection: string, ask?: ListAsk): Promise<Page>
  get(collection: string, id: string, ask?: GetAsk): Promise<Row>
  /** The temporary address of an image's file. */
  content(id: string, ask?: { signal?: AbortSignal }): Promise<{ url: string; expiresAt: string }>
}

/** A brand that a key may read. */
export type Brand = { slug: string; name: string }

/** An answer that was no success, in the server's own words. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly details: unknown

  constructor(status: number, code: string, sentence: string, details?: unknown) {
    super(sentence)
    this.status = status
    this.code = code
    this.details = details
  }
}

/** Told the time until which a request waits for the rate limit, and null when it goes on. */
type Watcher = (until: number | null) => void

const watchers = new Set<Watcher>()

/** Hears of every wait for the rate limit. Gives back how to stop hearing. */
export const watchWaits = (watcher: Watcher): (() => void) => {
  watchers.add(watcher)
  return () => void watchers.delete(watcher)
}

/** Codes that say that a key is good for nothing any more, whatever is asked for. */
const deadKeyCodes: ReadonlySet<string> = new Set([
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
])

export const openApi = (
  origin: string,
  brand: string,
  key: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
  /** Called when the key itself is refused: it was revoked, or has expired. */
  onDeadKey?: (error: ApiError) => void,
): Api => {
  const ask = async (path: string, signal?: AbortSignal): Promise<unknown> => {
    try {
      const url = `${origin}${brandPath(brand)}${path}`
      return await askServer(url, key, { fetch, ...(signal && { signal }) })
    } catch (error) {
      if (error instanceof ApiError && deadKeyCodes.has(error.code)) onDeadKey?.(error)
      throw error
    }
  }
  return {
    brand,
    list: async (collection, { signal, ...rest } = {}) => {
      const answer = (await ask(`/${collection}${queryOf(rest)}`, signal)) as Answer
      return { items: answer.items, total: answer.totalItems, next: answer.nextCursor }
    },
    get: async (collection, id, { include, signal } = {}) =>
      (await ask(
        `${recordPath(collection, id)}${queryOf({ ...(include && { include }) })}`,
        signal,
      )) as Row,
    content: async (id, { signal } = {}) =>
      (await ask(`/images/${encodeURIComponent(id)}/content`, signal)) as {
        url: string
        expiresAt: string
      },
  }
}

/** Which brands a key may read. */
export const askWhoami = async (
  origin: string,
  key: string,
  fetch: typeof globalThis.fetch = globalThis.fetch,
): Promise<Brand[]> =>
  ((await askServer(`${origin}/whoami`, key, { fetch })) as { brands: Brand[] }).brands

export const brandPath = (brand: string): string =>
  `${basePath}/brands/${encodeURIComponent(brand)}`

/** The brand's own record stands at the brand's path; every other below its collection. */
export const recordPath = (collection: string, id: string): string =>
  collection === 'brand' ? '' : `/${collection}/${encodeURIComponent(id)}`

/** The query of a list, as it is sent and as it is shown to copy. */
export const queryOf = ({ filters = {}, include, limit, cursor }: Omit<ListAsk, 'signal'>) => {
  const query = new URLSearchParams(filters)
  if (include && include.length > 0) query.set('include', include.join(','))
  if (limit !== undefined) query.set('limit', String(limit))
  if (cursor) query.set('cursor', cursor)
  const text = query.toString()
  return text && `?${text}`
}

interface Answer {
  readonly items: Row[]
  readonly totalItems: number
  readonly nextCursor: string | null
}

interface Sending {
  readonly fetch: typeof globalThis.fetch
  readonly signal?: AbortSignal
}

const waitsMax = 20

/** One question, asked again after each wait that the server asks for. */
const askServer = async (
  url: string,
  key: string,
  { fetch, signal }: Sending,
): Promise<unknown> => {
  for (let waits = 0; ; waits += 1) {
    const response = await send(url, key, { fetch, ...(signal && { signal }) })
    if (response.ok) return response.json()
    if (response.status !== 429 || waits >= waitsMax) throw await refusalOf(response)
    await sleep(Math.max(1, Number(response.headers.get('retry-after')) || 1), signal)
  }
}

const send = async (url: string, key: string, { fetch, signal }: Sending): Promise<Response> => {
  try {
    return await fetch(url, {
      headers: { authorization: `Bearer ${key}` },
      ...(signal && { signal }),
    })
  } catch (error) {
    if (signal?.aborted) throw error
    throw new ApiError(0, 'unreachable', 'The server cannot be reached. Is it still running?')
  }
}

const refusalOf = async (response: Response): Promise<ApiError> => {
  const body = (await response.json().catch(() => ({}))) as {
    error?: string
    errorCode?: string
    details?: unknown
  }
  const sentence = body.error ?? `The server answered ${response.status}.`
  return new ApiError(response.status, body.errorCode ?? 'unknown', sentence, body.details)
}

const sleep = async (seconds: number, signal?: AbortSignal): Promise<void> => {
  for (const tell of watchers) tell(Date.now() + seconds * 1_000)
  try {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, seconds * 1_000)
      signal?.addEventListener(
        'abort',
        () => {
          clearTimeout(timer)
          reject(signal.reason)
        },
        { once: true },
      )
    })
  } finally {
    for (const tell of watchers) tell(null)
  }
}
