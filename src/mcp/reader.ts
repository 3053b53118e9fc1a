import { ApiError, type GroupScope, type JsonValue, type Resource, requireGroups } from '#contract'
import type { Cursors } from '#cursors'
import {
  createDocumentQueries,
  createListQueries,
  createSummaryQueries,
  documentJson,
  openTodayQuery,
  pageEnd,
  parseRecords,
  type QueryParts,
  searchJson,
  summaryJson,
  todayJson,
} from '#reading'
import { getParameters, idParameter, listParameters, notFound, searchParameters } from '#request'
import { decodeBody, type GetRequest, type Reserve } from '#store'
import { parseExact } from './exact-json.ts'
import type { FilterValues } from './filters.ts'

export type JsonRecord = { readonly [name: string]: JsonValue }

/** The unvalidated parameters of a list. */
export interface ListRequest {
  readonly filters?: FilterValues
  readonly limit?: number
  readonly cursor?: string
  readonly include?: readonly string[]
}

export interface ListPage {
  readonly items: readonly JsonRecord[]
  readonly nextCursor: string | null
  readonly totalItems: number
  /** For a view: the day that it used as today. */
  readonly asOf?: string
  /** With ids: those that are not among the records. */
  readonly missingIds?: readonly string[]
}

/** Parameters of the query API, by name. Multiple values are separated by commas. */
export type QueryValues = { readonly [name: string]: string | number | undefined }

/** Reads one brand's records like the API's operations, with the same errors. It cannot write. */
export interface Reader {
  readonly brand: string
  /** The groups that it can read. Any other group throws `out_of_scope`. */
  readonly scope: GroupScope
  list(resource: Resource, request: ListRequest): Promise<ListPage>
  /** The record with this id; the group `brand` ignores the id. Throws `not_found`. */
  get(resource: Resource, id: string, include: readonly string[]): Promise<JsonRecord>
  /** A page of the query API. */
  query(resource: Resource, parameters: QueryValues): Promise<ListPage>
  /** A summary of the query API. */
  summary(resource: Resource, parameters: QueryValues): Promise<JsonRecord>
  /** A record with everything that belongs to it. Throws `not_found`. */
  document(resource: Resource, id: string, parameters: QueryValues): Promise<JsonRecord>
  /** A search over all groups. */
  search(parameters: QueryValues): Promise<JsonRecord>
  /** The figures of the day. */
  today(parameters: QueryValues): Promise<JsonRecord>
}

/** Serialises parameters to a query string. */
export const textOf = (parameters: QueryValues): string =>
  Object.entries(parameters)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value ?? '')}`)
    .join('&')

/** Serialises a list request to the API's query string. */
export const queryOf = ({ filters = {}, limit, cursor, include = [] }: ListRequest): string => {
  const pairs = [
    ...Object.entries(filters),
    ...(limit === undefined ? [] : [['limit', limit] as const]),
    ...(include.length === 0 ? [] : [['include', include.join(',')] as const]),
    ...(cursor === undefined ? [] : [['cursor', cursor] as const]),
  ]
  return pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
}

export interface StoreReaderParts extends QueryParts {
  readonly cursors: Cursors
  readonly scope: GroupScope
  /** Reserves memory for large reads. Without it, only the limit per read applies. */
  readonly reserve?: Reserve
  readonly isCancelled?: GetRequest['isCancelled']
}

/** Maximum bytes per read. Parsed records take more, and a message may have many reads. */
const readBytesMax = 4_194_304

/** Maximum bytes of a document. Parsing it blocks for a few milliseconds. */
const documentBytesMax = 1_048_576

/** Rejects a read that is too large for an agent, and reserves memory for a large one. */
const reserveUpTo =
  (reserve: Reserve | undefined): Reserve =>
  (bytes) => {
    if (bytes <= readBytesMax) return reserve?.(bytes)
    throw new ApiError(
      'page_too_large',
      `These records have ${bytes} bytes, but at most ${readBytesMax} can be read at a time. Use a smaller limit, or omit include.`,
      { details: [{ parameter: 'limit', issue: 'is too large for these records' }] },
    )
  }

/** Reads directly from the store. */
export const storeReader = (parts: StoreReaderParts, brand: string): Reader => {
  const { store, cursors, scope, reserve: reserveMemory, isCancelled } = parts
  const shared = { brand, reserve: reserveUpTo(reserveMemory), isCancelled }
  const require = ({ path }: Resource) => requireGroups(scope, [path])
  return {
    brand,
    scope,
    list: async (resource, request) => {
      const { filters, limit, include, cursor } = listParameters(resource)(queryOf(request), scope)
      const walk = { brand, collection: resource.path, filters }
      const after = cursor === null ? null : cursors.open(walk, cursor)
      const page = await store.list({ ...shared, resource, filters, limit, after, include })
      return {
        items: await parseRecords(decodeBody(page.items)),
        nextCursor: page.next && cursors.seal(walk, page.next),
        totalItems: page.total,
      }
    },
    get: async (resource, id, names) => {
      require(resource)
      const query = queryOf({ include: names })
      if (resource.lookup) {
        const include = getParameters(resource)(query, undefined, scope)
        const whole = { filters: new Map(), limit: 1, after: null, include }
        const { items } = await store.list({ ...shared, resource, ...whole })
        if (items.length === 0) throw notFound()
        return JSON.parse(decodeBody(items)) as JsonRecord
      }
      const include = getParameters(resource)(query, idParameter(resource)(id), scope)
      const record = await store.get({ ...shared, resource, key: [id], include })
      if (!record) throw notFound()
      return JSON.parse(decodeBody(record.body)) as JsonRecord
    },
    query: async (resource, parameters) => {
      const query = await createListQueries(parts, resource)(brand, textOf(parameters), scope)
      const page = await store.query({ ...query.request, ...shared })
      return {
        items: await parseRecords(decodeBody(page.items)),
        ...pageEnd(parts, query, page),
      }
    },
    summary: async (resource, parameters) => {
      const query = await createSummaryQueries(parts, resource)(brand, textOf(parameters), scope)
      const summary = await store.summary({ ...query.request, isCancelled })
      return asJson(summaryJson(query, summary))
    },
    search: async (parameters) => {
      const { query, limit, groups } = searchParameters(store.catalog)(textOf(parameters), scope)
      const results = await store.search.find({ ...shared, query, limit, groups })
      return JSON.parse(
        Buffer.concat(searchJson(brand, query, results)).toString('utf8'),
      ) as JsonRecord
    },
    document: async (resource, id, parameters) => {
      require(resource)
      const open = createDocumentQueries(parts, resource)
      const query = await open(brand, id, textOf(parameters), scope)
      const document = await store.documents.read({ ...query, ...shared, bytes: documentBytesMax })
      if (!document) throw notFound()
      const pieces = documentJson(parts, query, document, new Map())
      return JSON.parse(Buffer.concat(pieces).toString('utf8')) as JsonRecord
    },
    today: async (parameters) => {
      const query = await openTodayQuery(parts, brand, textOf(parameters), scope)
      return asJson(todayJson(query, await store.today({ ...query, isCancelled })))
    },
  }
}

/** The result after a JSON round trip, as a client sees it. */
const asJson = (result: unknown): JsonRecord => parseExact(JSON.stringify(result)) as JsonRecord
