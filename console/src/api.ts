import {
  createTransport,
  parseJson,
  type RetryPolicy,
  SelvedgeError,
} from '../../client/src/index.ts'
import { basePath } from '../../src/contract/index.ts'

export { SelvedgeError } from '../../client/src/index.ts'

export type Row = { [field: string]: unknown }
export type Page = { items: Row[]; total: number; next: string | null }
export type Filters = { [name: string]: string }

export type ListOptions = {
  filters?: Filters
  limit?: number
  cursor?: string
  /** References to include, named without `Id`. */
  include?: string[]
  signal?: AbortSignal
}

export type GetOptions = { include?: string[]; signal?: AbortSignal }

/** The public API, for one brand. Waits when the rate limit is reached; throws `SelvedgeError`. */
export type Api = {
  brand: string
  list(collection: string, options?: ListOptions): Promise<Page>
  get(collection: string, id: string, options?: GetOptions): Promise<Row>
  /** The temporary address of an image's file. */
  content(
    id: string,
    options?: { signal?: AbortSignal },
  ): Promise<{ url: string; expiresAt: string }>
}

/** A brand that a key may read. */
export type Brand = { slug: string; name: string }

export interface ServerOptions {
  readonly origin: string
  readonly key: string
  readonly fetch?: typeof globalThis.fetch
}

export interface ApiOptions extends ServerOptions {
  readonly brand: string
  /** Called when the key itself is rejected: it was revoked, or has expired. */
  readonly onDeadKey?: (error: SelvedgeError) => void
}

/** A person waits for the result: few retries, but the rate limit is waited for as long as it takes. */
const policy: Partial<RetryPolicy> = {
  tries: 3,
  tryTimeoutMs: 60_000,
  totalTimeoutMs: 180_000,
  firstPauseMs: 500,
  rateLimitWaits: 20,
}

/** Called with the time in milliseconds at which a request that waits for the rate limit is repeated. */
type WaitListener = (until: number) => void

const waitListeners = new Set<WaitListener>()

/** Reports every wait for the rate limit. The result stops it. */
export const watchWaits = (listener: WaitListener): (() => void) => {
  waitListeners.add(listener)
  return () => void waitListeners.delete(listener)
}

/** Codes that mean that a key is of no further use, whatever is requested. */
const deadKeyCodes: ReadonlySet<string> = new Set([
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
])

export const createApi = ({ brand, onDeadKey, ...server }: ApiOptions): Api => {
  const read = createReader(server)
  const readBrand = async (path: string, signal?: AbortSignal): Promise<unknown> => {
    try {
      return await read(brandPath(brand) + path, signal)
    } catch (error) {
      if (error instanceof SelvedgeError && deadKeyCodes.has(error.code)) onDeadKey?.(error)
      throw error
    }
  }
  return {
    brand,
    list: async (collection, { signal, ...query } = {}) => {
      const page = (await readBrand(`/${collection}${queryOf(query)}`, signal)) as PageBody
      return { items: page.items, total: page.totalItems, next: page.nextCursor }
    },
    get: async (collection, id, { include, signal } = {}) =>
      (await readBrand(
        `${recordPath(collection, id)}${queryOf({ ...(include && { include }) })}`,
        signal,
      )) as Row,
    content: async (id, { signal } = {}) =>
      (await readBrand(`/images/${encodeURIComponent(id)}/content`, signal)) as {
        url: string
        expiresAt: string
      },
  }
}

interface PageBody {
  readonly items: Row[]
  readonly totalItems: number
  readonly nextCursor: string | null
}

/** The brands that a key may read. */
export const readBrands = async (server: ServerOptions): Promise<Brand[]> =>
  ((await createReader(server)('/whoami')) as { brands: Brand[] }).brands

export const brandPath = (brand: string): string =>
  `${basePath}/brands/${encodeURIComponent(brand)}`

/** The brand's own record is at the brand's path; every other one is below its collection. */
export const recordPath = (collection: string, id: string): string =>
  collection === 'brand' ? '' : `/${collection}/${encodeURIComponent(id)}`

/** The query of a list, as it is sent and as it is shown for copying. */
export const queryOf = ({ filters = {}, include, limit, cursor }: Omit<ListOptions, 'signal'>) => {
  const query = new URLSearchParams(filters)
  if (include && include.length > 0) query.set('include', include.join(','))
  if (limit !== undefined) query.set('limit', String(limit))
  if (cursor) query.set('cursor', cursor)
  const text = query.toString()
  return text && `?${text}`
}

/** Reads the JSON at a path of the server. */
const createReader = ({ origin, key, fetch }: ServerOptions) => {
  const transport = createTransport({
    ...policy,
    key,
    fetch,
    onWait: ({ error, pauseMs }) => {
      if (error.status !== 429) return
      for (const listener of waitListeners) listener(Date.now() + pauseMs)
    },
  })
  return async (path: string, signal?: AbortSignal): Promise<unknown> => {
    const response = await transport.get(origin + path, { signal }).catch((error: unknown) => {
      throw error instanceof SelvedgeError && error.code === 'network_error'
        ? new SelvedgeError({ ...error, message: unreachable, cause: error })
        : error
    })
    return parseJson(response)
  }
}

/** Browsers do not say why a connection failed. */
const unreachable = 'The server cannot be reached. Is it still running?'
