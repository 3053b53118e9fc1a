import type { ResponseCache } from './cache.ts'
import { parseJson } from './error.ts'
import { basePath, type Groups, groups, queryBasePath } from './generated/groups.ts'
import type { Brand } from './generated/records.ts'
import type {
  Calendar,
  PublishedViews,
  Quality,
  SearchResults,
  SourceRows,
  Sources,
  SourceUnits,
  Today,
  Trend,
} from './generated/responses.ts'
import { createGroup, type Endpoint, type Requester } from './group.ts'
import type {
  SearchQuery,
  SourceRowsQuery,
  SourceUnitsQuery,
  TodayQuery,
  TrendQuery,
} from './parameters.ts'
import { queryString, segment } from './query.ts'
import type { RetryOptions } from './retry-policy.ts'
import { parseServerUrl } from './server-url.ts'
import {
  createTransport,
  type RequestOptions,
  type Retry,
  type TransportOptions,
} from './transport.ts'

export interface ClientOptions
  extends Partial<RetryOptions>,
    Pick<TransportOptions, 'key' | 'fetch' | 'headers'> {
  /** The URL of the server: `https://records.example`, with or without the path of the API. */
  readonly url: string | URL
  /** Stores responses for revalidation: `memoryCache()`, or your own store. */
  readonly cache?: ResponseCache | undefined
  /** Called before each retry of a failed request. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

export interface Client {
  /** The records of a brand, by its slug. Sends no request. */
  brand(slug: string): BrandReader
}

/** The groups of a brand by name, and the brand itself. */
export interface BrandReader extends Groups {
  readonly slug: string
  /** The record of the brand itself. */
  get(options?: RequestOptions): Promise<Brand>
  /** Finds records of all groups by number, code or name, best matches first. */
  search(text: string, query?: SearchQuery, options?: RequestOptions): Promise<SearchResults>
  /** Today's figures. */
  today(query?: TodayQuery, options?: RequestOptions): Promise<Today>
  /** Some of these figures for each of the last days. */
  trend(query?: TrendQuery, options?: RequestOptions): Promise<Trend>
  /** The dates of the open orders. */
  calendar(query?: TodayQuery, options?: RequestOptions): Promise<Calendar>
  /** The records that violate business rules, as of the last check. */
  quality(options?: RequestOptions): Promise<Quality>
  /** The views of lists that an operator has published. */
  views(options?: RequestOptions): Promise<PublishedViews>
  /** Where the records come from, and what needs attention. */
  sources(options?: RequestOptions): Promise<Sources>
  /** The last batches, files and rounds of the sources, with what each changed. */
  sourceUnits(query?: SourceUnitsQuery, options?: RequestOptions): Promise<SourceUnits>
  /** One page of the rows that cannot be stored now. */
  sourceRows(query?: SourceRowsQuery, options?: RequestOptions): Promise<SourceRows>
}

/** A client for one server and one key. It holds no resources, so it has no `close`. */
export const createClient = (options: ClientOptions): Client => {
  const requester = createRequester(options)
  return {
    brand: (slug) => {
      const path = `/brands/${segment('The brand', slug)}`
      const reader: { [name: string]: unknown } = {
        slug,
        get: async (each: RequestOptions = {}) => requester.json<Brand>(basePath + path, each),
        search: async (text: string, query: SearchQuery = {}, each: RequestOptions = {}) =>
          requester.json<SearchResults>(
            `${queryBasePath}${path}/search${queryString({ q: text, ...query })}`,
            each,
          ),
        today: async (query: TodayQuery = {}, each: RequestOptions = {}) =>
          requester.json<Today>(`${queryBasePath}${path}/today${queryString({ ...query })}`, each),
        trend: async (query: TrendQuery = {}, each: RequestOptions = {}) =>
          requester.json<Trend>(
            `${queryBasePath}${path}/today/trend${queryString({ ...query })}`,
            each,
          ),
        calendar: async (query: TodayQuery = {}, each: RequestOptions = {}) =>
          requester.json<Calendar>(
            `${queryBasePath}${path}/calendar${queryString({ ...query })}`,
            each,
          ),
        quality: async (each: RequestOptions = {}) =>
          requester.json<Quality>(`${queryBasePath}${path}/quality`, each),
        views: async (each: RequestOptions = {}) =>
          requester.json<PublishedViews>(`${queryBasePath}${path}/views`, each),
        sources: async (each: RequestOptions = {}) =>
          requester.json<Sources>(`${queryBasePath}${path}/sources`, each),
        sourceUnits: async (query: SourceUnitsQuery = {}, each: RequestOptions = {}) =>
          requester.json<SourceUnits>(
            `${queryBasePath}${path}/sources/units${queryString({ ...query })}`,
            each,
          ),
        sourceRows: async (query: SourceRowsQuery = {}, each: RequestOptions = {}) =>
          requester.json<SourceRows>(
            `${queryBasePath}${path}/sources/rows${queryString({ ...query })}`,
            each,
          ),
      }
      for (const [name, endpoints] of Object.entries(groups)) {
        reader[inCamelCase(name)] = createGroup(
          requester,
          `${path}/${name}`,
          endpoints.split(' ') as Endpoint[],
        )
      }
      return reader as unknown as BrandReader
    },
  }
}

/** `packing-lists` is `packingLists`. */
const inCamelCase = (path: string): string =>
  path.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())

const createRequester = ({ url, cache, onRetry, ...options }: ClientOptions): Requester => {
  const { base, rest } = parseServerUrl(url)
  if (rest !== '') {
    throw new TypeError(`url must not continue after ${basePath}; it ends with '${rest}'.`)
  }
  if (typeof options.key !== 'function' && !options.key) {
    throw new TypeError('key is missing: give an API key.')
  }
  const transport = createTransport({ ...options, onWait: onRetry })
  return {
    json: async (path, each) => {
      const address = base + path
      const cached = await cache?.get(address)
      const response = await transport.get(address, { ...each, etag: cached?.etag ?? null })
      if (response.status === 304 && cached) return JSON.parse(cached.text)
      const value = parseJson(response)
      const { etag, body } = response
      if (etag) await cache?.set(address, { etag, text: body })
      return value
    },
    file: (address, each) => transport.download(address, each),
  }
}
