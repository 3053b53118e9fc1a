import {
  ApiError,
  basePath,
  type ErrorCode,
  errors,
  type JsonValue,
  limits,
  patterns,
} from '#contract'
import { type JsonRecord, type ListPage, queryOf, type Reader } from './reader.ts'

/** A Selvedge that answers somewhere. */
export interface Remote {
  /**
   * Asks for a path of the server with its key. What is not a success is given back with its
   * status. Throws where no usable response came, with a sentence that says why.
   */
  ask(path: string): Promise<Answered>
}

export interface Answered {
  readonly status: number
  /** The parsed JSON of the response. */
  readonly body: unknown
  readonly retryAfterSeconds?: number | null
}

/** Asks the public API of a running server, and hands on its refusals. */
const ask = async (remote: Remote, path: string): Promise<JsonRecord> => {
  const { status, body, retryAfterSeconds } = await remote.ask(path).catch((cause: unknown) => {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new ApiError('store_unavailable', reason, { cause, retryAfterSeconds: 1 })
  })
  if (status === 200 && isRecord(body)) return body
  const { error, errorCode, details } = isRecord(body) ? body : {}
  if (typeof error !== 'string' || !Object.hasOwn(errors, String(errorCode))) {
    throw unexpected(`its response with status ${status} is not one of this API`)
  }
  // What another server says is shown to people and agents: no control characters, and not too much.
  const sentence = error.slice(0, sentenceMax).replace(/\p{C}+/gu, ' ')
  throw new ApiError(errorCode as ErrorCode, sentence, {
    ...(details !== undefined && isShort(details) && { details }),
    ...(typeof retryAfterSeconds === 'number' && { retryAfterSeconds }),
  })
}

const sentenceMax = 500
const detailsMax = 10_000
const brandsMax = 100_000

const isShort = (details: JsonValue): boolean => JSON.stringify(details).length <= detailsMax

const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const unexpected = (what: string): ApiError =>
  new ApiError('store_unavailable', `The server cannot be used: ${what}.`)

const slugPattern = new RegExp(patterns.brand)

/** The brands that the key of a server may read. */
export const remoteBrands = async (remote: Remote): Promise<readonly string[]> => {
  const { brands } = await ask(remote, '/whoami')
  const slugs = Array.isArray(brands) ? brands.map((each) => isRecord(each) && each['slug']) : []
  const isList = Array.isArray(brands) && brands.length <= brandsMax
  if (!isList || !slugs.every((slug) => typeof slug === 'string' && slugPattern.test(slug))) {
    throw unexpected('/whoami does not name the brands of the key')
  }
  return slugs as readonly string[]
}

/** Reads over the public API of a running server. */
export const apiReader = (remote: Remote, brand: string): Reader => {
  const base = `${basePath}/brands/${encodeURIComponent(brand)}`
  return {
    brand,
    list: async ({ path }, question) =>
      pageOf(path, await ask(remote, `${base}/${path}?${queryOf(question)}`)),
    get: async ({ path, lookup }, id, include) => {
      const record = lookup ? base : `${base}/${path}/${encodeURIComponent(id)}`
      return ask(remote, `${record}?${queryOf({ include })}`)
    },
  }
}

const pageOf = (path: string, body: JsonRecord): ListPage => {
  const { items, nextCursor, totalItems } = body
  const isPage =
    Array.isArray(items) &&
    items.length <= limits.pageSize.maximum &&
    items.every(isRecord) &&
    (nextCursor === null || typeof nextCursor === 'string') &&
    Number.isSafeInteger(totalItems)
  if (isPage) return body as unknown as ListPage
  throw unexpected(`its list of ${path} has no items, nextCursor or totalItems`)
}
