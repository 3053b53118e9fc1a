import { parseJson, printable, responseError, SelvedgeError, type Transport } from '#client'
import {
  ApiError,
  basePath,
  type ErrorCode,
  errors,
  type GroupScope,
  groupScopeOf,
  isJsonObject,
  type JsonValue,
  limits,
  patterns,
  queryBasePath,
  wholeScope,
} from '#contract'
import { parseExact } from './exact-json.ts'
import { type JsonRecord, type ListPage, queryOf, type Reader, textOf } from './reader.ts'

/** A running server, and a transport with a key. */
export interface RemoteServer {
  /** Its URL, without a trailing slash. */
  readonly origin: string
  readonly transport: Pick<Transport, 'get'>
}

/** Maximum length of a server's message and of its details, as shown to an agent. */
const sentenceMax = 500
const detailsMax = 10_000
const brandsMax = 100_000

/** The JSON object at a path. Throws the server's errors as errors of the contract. */
const request = async (server: RemoteServer, path: string): Promise<JsonRecord> =>
  (await textAt(server, path)).value

/** The same with all digits of its sums. */
const requestFigures = async (server: RemoteServer, path: string): Promise<JsonRecord> =>
  parseExact((await textAt(server, path)).text) as JsonRecord

const textAt = async (
  { origin, transport }: RemoteServer,
  path: string,
): Promise<{ readonly text: string; readonly value: JsonRecord }> => {
  try {
    const response = await transport.get(origin + path)
    const value: unknown = parseJson(response)
    if (isJsonObject(value)) return { text: response.body, value }
    throw responseError(response)
  } catch (error) {
    throw error instanceof SelvedgeError ? toApiError(error) : error
  }
}

const toApiError = (error: SelvedgeError): ApiError => {
  const { code, details, retryAfterSeconds } = error
  const message = printable(error.message, sentenceMax)
  if (!Object.hasOwn(errors, code)) {
    return new ApiError('store_unavailable', message, { cause: error, retryAfterSeconds: 1 })
  }
  return new ApiError(code as ErrorCode, message, {
    ...(details !== undefined && isShort(details) && { details }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  })
}

const isShort = (details: JsonValue): boolean => JSON.stringify(details).length <= detailsMax

const unexpected = (problem: string): ApiError =>
  new ApiError('store_unavailable', `The server cannot be used: ${problem}.`)

const slugPattern = new RegExp(patterns.brand)

/** What the server's key may read. */
export interface RemoteAccess {
  readonly brands: readonly string[]
  readonly scope: GroupScope
}

export const remoteAccess = async (server: RemoteServer): Promise<RemoteAccess> => {
  const { brands, groups } = await request(server, '/whoami')
  const slugs = Array.isArray(brands)
    ? brands.map((each) => isJsonObject(each) && each['slug'])
    : []
  const isList = Array.isArray(brands) && brands.length <= brandsMax
  if (!isList || !slugs.every((slug) => typeof slug === 'string' && slugPattern.test(slug))) {
    throw unexpected('/whoami does not name the brands of the key')
  }
  return { brands: slugs as readonly string[], scope: scopeIn(groups) }
}

/** Keys without limits have no list. */
const scopeIn = (groups: JsonValue | undefined): GroupScope => {
  if (groups === undefined) return wholeScope
  if (!Array.isArray(groups)) throw unexpected('/whoami does not list the groups of the key')
  return groupScopeOf({ onlyGroups: groups.map(String), withoutGroups: null })
}

/** Reads over the public API of a running server. */
export const apiReader = (server: RemoteServer, scope: GroupScope, brand: string): Reader => {
  const base = `${basePath}/brands/${encodeURIComponent(brand)}`
  const queries = `${queryBasePath}/brands/${encodeURIComponent(brand)}`
  return {
    brand,
    scope,
    list: async ({ path }, question) =>
      pageOf(path, await request(server, `${base}/${path}?${queryOf(question)}`)),
    get: async ({ path, lookup }, id, include) => {
      const record = lookup ? base : `${base}/${path}/${encodeURIComponent(id)}`
      return request(server, `${record}?${queryOf({ include })}`)
    },
    query: async ({ path }, parameters) =>
      pageOf(path, await request(server, `${queries}/${path}?${textOf(parameters)}`)),
    summary: async ({ path }, parameters) =>
      requestFigures(server, `${queries}/${path}/summary?${textOf(parameters)}`),
    document: async ({ path }, id, parameters) =>
      request(
        server,
        `${queries}/${path}/${encodeURIComponent(id)}/document?${textOf(parameters)}`,
      ),
    search: async (parameters) => request(server, `${queries}/search?${textOf(parameters)}`),
    today: async (parameters) => requestFigures(server, `${queries}/today?${textOf(parameters)}`),
  }
}

const pageOf = (path: string, body: JsonRecord): ListPage => {
  const { items, nextCursor, totalItems, missingIds = [] } = body
  const isPage =
    Array.isArray(items) &&
    items.length <= limits.pageSize.maximum &&
    items.every(isJsonObject) &&
    (nextCursor === null || typeof nextCursor === 'string') &&
    Array.isArray(missingIds) &&
    missingIds.every((id) => typeof id === 'string') &&
    Number.isSafeInteger(totalItems)
  if (isPage) return body as unknown as ListPage
  throw unexpected(`its list of ${path} has no items, nextCursor or totalItems`)
}
