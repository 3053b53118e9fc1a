import {
  type Calendar,
  createTransport,
  type Lineage as LineageBody,
  parseJson,
  type Quality,
  type RecordDocument,
  type RecordGrid,
  type RetryPolicy,
  responseError,
  type ScorecardPage,
  type SearchResults,
  SelvedgeError,
  type SourceRows,
  type Sources,
  type SourceUnits,
  type Today,
  type Trend,
} from '../../client/src/index.ts'
import {
  basePath,
  catalog,
  groupScopeOf,
  includesWithin,
  isNamedWithin,
  type PublishedView,
  queryBasePath,
  resourceAt,
  scorecardSorts,
  wholeScope,
} from '../../src/contract/index.ts'
import type { Summary, Sums } from './summary.ts'
import { type Language, texts } from './texts/index.ts'

export { SelvedgeError } from '../../client/src/index.ts'

export type Row = { [field: string]: unknown }
export type Page = { items: Row[]; total: number; next: string | null; sums?: Sums }

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

export type QueryOptions = {
  limit?: number
  cursor?: string
  include?: string[]
  signal?: AbortSignal
}

/** The public API of one brand. Waits when the rate limit is reached. Throws `SelvedgeError`. */
export type Api = {
  brand: string
  /** Whether the key may read a group. Lists of other groups and included records are empty. */
  canRead(collection: string): boolean
  list(collection: string, options?: ListOptions): Promise<Page>
  get(collection: string, id: string, options?: GetOptions): Promise<Row>
  /** The temporary URL of an image file. */
  content(
    id: string,
    options?: { signal?: AbortSignal },
  ): Promise<{ url: string; expiresAt: string }>
  /** A record with everything that belongs to it. */
  document(
    collection: string,
    id: string,
    options?: { signal?: AbortSignal },
  ): Promise<RecordDocument<Row, object, { [section: string]: Row }>>
  /** The pieces of a record by style, colour and size. */
  grid(collection: string, id: string, options?: { signal?: AbortSignal }): Promise<RecordGrid>
  /** The same as a workbook, with words of a language. */
  gridFile(collection: string, id: string, labels: Language): Promise<Response>
  /** The records connected to a record along the chain. */
  lineage(
    collection: string,
    id: string,
    options?: { limit?: number; first?: readonly string[]; signal?: AbortSignal },
  ): Promise<LineageBody>
  /** Today's figures, the totals of all groups, and the age of the records. */
  today(options?: { asOf?: string; signal?: AbortSignal }): Promise<Today>
  /** Some of these figures for each of the last days. */
  trend(options: { days: number; signal?: AbortSignal }): Promise<Trend>
  /** The dates of the open orders. */
  calendar(options?: { signal?: AbortSignal }): Promise<Calendar>
  /** The records that violate business rules. */
  quality(options?: { signal?: AbortSignal }): Promise<Quality>
  /** The views of lists that an operator has published. */
  views(options?: { signal?: AbortSignal }): Promise<readonly PublishedView[]>
  /** Where the records come from, and what needs attention. */
  sources(options?: { signal?: AbortSignal }): Promise<Sources>
  /** The last batches, files and rounds, and what each changed. */
  sourceUnits(options?: { signal?: AbortSignal }): Promise<SourceUnits>
  /** One page of the rows that cannot be stored now. */
  sourceRows(options?: {
    group?: string | undefined
    cursor?: string | undefined
    signal?: AbortSignal
  }): Promise<SourceRows>
  /** One page of a list from the query API. */
  query(collection: string, parameters: Filters, options?: QueryOptions): Promise<Page>
  /** The figures of a list, and of its groups. */
  summary(
    collection: string,
    parameters: Filters,
    options?: { signal?: AbortSignal },
  ): Promise<Summary>
  /** One page of the scorecards of suppliers. */
  scorecards(parameters: Filters, options?: Omit<QueryOptions, 'include'>): Promise<ScorecardPage>
  /** The number of records of a list for each value of a field. */
  counts(
    collection: string,
    field: string,
    parameters: Filters,
    options?: { signal?: AbortSignal },
  ): Promise<ReadonlyMap<string, number>>
  /** The records whose numbers, codes or names match a text, best matches first. */
  search(
    text: string,
    options?: { groups?: string[]; limit?: number; signal?: AbortSignal },
  ): Promise<SearchResults>
  /** A whole list as a file. The caller must read the response to its end. */
  download(
    collection: string,
    parameters: Filters,
    options?: { signal?: AbortSignal },
  ): Promise<Response>
}

/** A brand that a key may read. */
export type Brand = {
  slug: string
  name: string
  /** The brand's time zone: `Europe/Berlin`. */
  timezone: string
  /** The currency of the brand's totals: `EUR`. */
  baseCurrency: string
  /** The groups that the key is limited to; absent if it is not. */
  groups?: readonly string[]
}

export interface ServerOptions {
  readonly origin: string
  readonly key: string
  readonly fetch?: typeof globalThis.fetch
}

export interface ApiOptions extends ServerOptions {
  readonly brand: string
  readonly groups?: readonly string[] | undefined
  /** Called when the server rejects the key because it was revoked or has expired. */
  readonly onDeadKey?: (error: SelvedgeError) => void
}

/** A person waits for the result, so there are few retries. Waits for the rate limit are unlimited. */
const policy: Partial<RetryPolicy> = {
  tries: 3,
  tryTimeoutMs: 60_000,
  totalTimeoutMs: 180_000,
  firstPauseMs: 500,
  rateLimitWaits: 20,
}

/** Called with the time in milliseconds at which a rate-limited request is retried. */
type WaitListener = (until: number) => void

const waitListeners = new Set<WaitListener>()

/** Reports every wait for the rate limit. Returns a function that removes the listener. */
export const watchWaits = (listener: WaitListener): (() => void) => {
  waitListeners.add(listener)
  return () => void waitListeners.delete(listener)
}

/** Error codes after which every request with the key fails. */
const deadKeyCodes: ReadonlySet<string> = new Set([
  'missing_api_key',
  'invalid_api_key',
  'expired_api_key',
])

export const isDeadKey = ({ code }: SelvedgeError): boolean => deadKeyCodes.has(code)

export const createApi = ({ brand, groups, onDeadKey, ...server }: ApiOptions): Api => {
  const scope = groups ? groupScopeOf({ onlyGroups: groups, withoutGroups: null }) : wholeScope
  const within = <T extends { include?: string[] }>(collection: string, options: T): T =>
    options.include
      ? {
          ...options,
          include: [...includesWithin(scope, resourceAt(catalog, collection), options.include)],
        }
      : options
  const read = createReader(server)
  const watched = async <T>(result: Promise<T>): Promise<T> => {
    try {
      return await result
    } catch (error) {
      if (error instanceof SelvedgeError && isDeadKey(error)) onDeadKey?.(error)
      throw error
    }
  }
  const readBrand = (path: string, signal?: AbortSignal): Promise<unknown> =>
    watched(read(brandPath(brand) + path, signal))
  const readQuery = (path: string, signal?: AbortSignal): Promise<unknown> =>
    watched(read(queryPath(brand) + path, signal))
  const scorecards: Api['scorecards'] = async (filters, { signal, ...query } = {}) =>
    (await readQuery(
      `/suppliers/scorecards${queryOf({ filters, ...query })}`,
      signal,
    )) as ScorecardPage
  /** Records in the order of their identities. */
  const readByIds = async (
    collection: string,
    ids: readonly string[],
    { signal, ...query }: QueryOptions,
  ): Promise<Row[]> => {
    if (ids.length === 0) return []
    const text = queryOf({ filters: { ids: ids.join() }, ...within(collection, query) })
    const { items } = (await readQuery(`/${collection}${text}`, signal)) as PageBody
    const rows = new Map(items.map((row) => [String(row['id']), row]))
    return ids.map((id) => rows.get(id)).filter((row) => row !== undefined)
  }
  return {
    brand,
    canRead: (collection) => scope.has(collection),
    list: async (collection, { signal, ...query } = {}) => {
      const filters = new Set(Object.keys(query.filters ?? {}))
      if (!isNamedWithin(scope, resourceAt(catalog, collection), { filters })) return emptyPage
      const text = queryOf(within(collection, query))
      const page = (await readBrand(`/${collection}${text}`, signal)) as PageBody
      return { items: page.items, total: page.totalItems, next: page.nextCursor }
    },
    get: async (collection, id, { include, signal } = {}) =>
      (await readBrand(
        `${recordPath(collection, id)}${queryOf(within(collection, { ...(include && { include }) }))}`,
        signal,
      )) as Row,
    content: async (id, { signal } = {}) =>
      (await readBrand(`/images/${encodeURIComponent(id)}/content`, signal)) as {
        url: string
        expiresAt: string
      },
    document: async (collection, id, { signal } = {}) =>
      (await readQuery(`${recordPath(collection, id)}/document`, signal)) as RecordDocument<
        Row,
        object,
        { [section: string]: Row }
      >,
    grid: async (collection, id, { signal } = {}) =>
      (await readQuery(`${recordPath(collection, id)}/grid`, signal)) as RecordGrid,
    gridFile: (collection, id, labels) => {
      const query = queryOf({ filters: { format: 'xlsx', labels } })
      const path = `${queryPath(brand)}${recordPath(collection, id)}/grid${query}`
      return watched(openDownload(server, path, undefined))
    },
    lineage: async (collection, id, { limit, first = [], signal } = {}) => {
      const query = queryOf({
        ...(limit !== undefined && { limit }),
        ...(first.length > 0 && { filters: { first: first.join(',') } }),
      })
      return (await readQuery(
        `${recordPath(collection, id)}/lineage${query}`,
        signal,
      )) as LineageBody
    },
    today: async ({ asOf, signal } = {}) =>
      (await readQuery(
        `/today${asOf ? `?${new URLSearchParams({ asOf })}` : ''}`,
        signal,
      )) as Today,
    trend: async ({ days, signal }) =>
      (await readQuery(`/today/trend?days=${days}`, signal)) as Trend,
    calendar: async ({ signal } = {}) => (await readQuery('/calendar', signal)) as Calendar,
    quality: async ({ signal } = {}) => (await readQuery('/quality', signal)) as Quality,
    views: async ({ signal } = {}) =>
      ((await readQuery('/views', signal)) as { items: readonly PublishedView[] }).items,
    sources: async ({ signal } = {}) => (await readQuery('/sources', signal)) as Sources,
    sourceUnits: async ({ signal } = {}) =>
      (await readQuery('/sources/units', signal)) as SourceUnits,
    sourceRows: async ({ group, cursor, signal } = {}) => {
      const query = queryOf({
        ...(group !== undefined && { filters: { group } }),
        ...(cursor !== undefined && { cursor }),
      })
      return (await readQuery(`/sources/rows${query}`, signal)) as SourceRows
    },
    query: async (collection, filters, { signal, ...query } = {}) => {
      // Names of records that others refer to. Any other list says why it cannot be read.
      if ('ids' in filters && !scope.has(collection)) return emptyPage
      if (isScorecardSort(collection, filters['sort'])) {
        const { totals: _, fields: __, ...selection } = filters
        const { include = [], ...range } = query
        const stop = signal && { signal }
        const { items, totalItems, nextCursor } = await scorecards(selection, { ...range, ...stop })
        const ids = items.map(({ id }) => id)
        const page = await readByIds(collection, ids, { limit: scorecardsMax, include, ...stop })
        return { items: page, total: totalItems, next: nextCursor }
      }
      const page = (await readQuery(
        `/${collection}${queryOf({ filters, ...within(collection, query) })}`,
        signal,
      )) as PageBody
      const { items, totalItems: total, nextCursor: next, totals } = page
      return { items, total, next, ...(totals && { sums: totals.sum ?? {} }) }
    },
    summary: async (collection, parameters, { signal } = {}) => {
      const query = queryOf({ filters: parameters })
      const body = (await readQuery(`/${collection}/summary${query}`, signal)) as SummaryBody
      return {
        items: body.totalItems,
        sum: body.total?.sum ?? {},
        groupCount: body.totalGroups ?? body.groups.length,
        groups: body.groups.map((group) => ({ ...group, sum: group.sum ?? {} })),
      }
    },
    scorecards,
    counts: async (collection, field, parameters, { signal } = {}) => {
      const query = queryOf({ filters: { ...parameters, by: field } })
      const { groups } = (await readQuery(`/${collection}/summary${query}`, signal)) as SummaryBody
      return new Map(groups.map(({ by, items }) => [String(by[field]), items]))
    },
    search: async (text, { groups = [], limit, signal } = {}) => {
      const filters = { q: text, ...(groups.length > 0 && { groups: groups.join(',') }) }
      const query = queryOf({ filters, ...(limit !== undefined && { limit }) })
      return (await readQuery(`/search${query}`, signal)) as SearchResults
    },
    download: (collection, filters, { signal } = {}) =>
      watched(
        openDownload(
          server,
          `${queryPath(brand)}/${collection}/download${queryOf({
            filters: sortedByField(collection, filters),
          })}`,
          signal,
        ),
      ),
  }
}

/** The largest page of a list. */
const scorecardsMax = 100

/** Whether suppliers are sorted by a figure of their scorecards, which is a request of its own. */
export const isScorecardSort = (collection: string, sort = ''): boolean =>
  collection === 'suppliers' && Object.hasOwn(scorecardSorts, sort.replace(/^-/, ''))

/** Without an order by scorecards: only fields sort the list of the API and its downloads. */
export const sortedByField = (collection: string, { sort, ...filters }: Filters): Filters =>
  sort === undefined || isScorecardSort(collection, sort) ? filters : { ...filters, sort }

const emptyPage: Page = { items: [], total: 0, next: null }

interface PageBody {
  readonly items: Row[]
  readonly totalItems: number
  readonly nextCursor: string | null
  readonly totals?: { readonly sum?: Sums }
}

interface SummaryBody {
  readonly totalItems: number
  readonly total?: { readonly sum?: Sums }
  readonly totalGroups?: number
  readonly groups: readonly {
    readonly by: { readonly [field: string]: unknown }
    readonly items: number
    readonly sum?: Sums
  }[]
}

/** Starts a download. Does not retry: the user sees the failure and can start it again. */
const openDownload = async (
  { origin, key, fetch = globalThis.fetch }: ServerOptions,
  path: string,
  signal: AbortSignal | undefined,
): Promise<Response> => {
  const url = origin + path
  const headers = { authorization: `Bearer ${key}` }
  let response: Response
  try {
    response = await fetch(url, { headers, ...(signal && { signal }) })
  } catch (cause) {
    signal?.throwIfAborted()
    const message = texts().states.unreachable
    throw new SelvedgeError({ code: 'network_error', message, url, tries: 1, cause })
  }
  if (response.ok) return response
  const body = await response.text()
  throw responseError({ url, status: response.status, headers: response.headers, body, tries: 1 })
}

/** The brands that a key may read, each with the groups that the key is limited to. */
export const readBrands = async (server: ServerOptions): Promise<Brand[]> => {
  const access = (await createReader(server)('/whoami')) as { brands: Brand[]; groups?: string[] }
  const { brands, groups } = access
  return groups ? brands.map((brand) => ({ ...brand, groups })) : brands
}

export const brandPath = (brand: string): string =>
  `${basePath}/brands/${encodeURIComponent(brand)}`

export const queryPath = (brand: string): string =>
  `${queryBasePath}/brands/${encodeURIComponent(brand)}`

/** The brand's record is at the path of the brand. Every other record is below its collection. */
export const recordPath = (collection: string, id: string): string =>
  collection === 'brand' ? '' : `/${collection}/${encodeURIComponent(id)}`

/** The query string of a list, for sending and for copying. */
export const queryOf = ({ filters = {}, include, limit, cursor }: Omit<ListOptions, 'signal'>) => {
  const query = new URLSearchParams(filters)
  if (include && include.length > 0) query.set('include', include.join(','))
  if (limit !== undefined) query.set('limit', String(limit))
  if (cursor) query.set('cursor', cursor)
  const text = query.toString()
  return text && `?${text}`
}

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
    // Browsers do not report why a connection failed.
    const response = await transport.get(origin + path, { signal }).catch((error: unknown) => {
      throw error instanceof SelvedgeError && error.code === 'network_error'
        ? new SelvedgeError({ ...error, message: texts().states.unreachable, cause: error })
        : error
    })
    return parseJson(response)
  }
}
