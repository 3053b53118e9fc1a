import { ApiError, basePath, type ErrorCode, errors, type JsonValue } from '#contract'
import { type JsonRecord, type ListPage, queryOf, type Reader } from './reader.ts'

/** A Selvedge that answers somewhere, and a key for it. */
export interface Remote {
  /** Without a slash at the end. */
  readonly url: string
  readonly key: string
}

/** Asks the public API of a running server, and hands on its refusals. */
const ask = async ({ url, key }: Remote, path: string): Promise<JsonValue> => {
  const response = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } }).catch(
    (cause: unknown) => {
      throw new ApiError('store_unavailable', `The server at ${url} cannot be reached.`, {
        cause,
        retryAfterSeconds: 1,
      })
    },
  )
  const body = (await response.json().catch(() => null)) as JsonRecord | null
  if (response.ok && body !== null) return body
  const { error, errorCode, details } = body ?? {}
  if (typeof error !== 'string' || !Object.hasOwn(errors, String(errorCode))) {
    throw new ApiError(
      'store_unavailable',
      `What answers at ${url} with status ${response.status} is no Selvedge.`,
    )
  }
  const wait = Number(response.headers.get('retry-after') ?? Number.NaN)
  throw new ApiError(errorCode as ErrorCode, error, {
    ...(details !== undefined && { details }),
    ...(Number.isInteger(wait) && { retryAfterSeconds: wait }),
  })
}

/** The brands that the key of a server may read. */
export const remoteBrands = async (remote: Remote): Promise<readonly string[]> => {
  const { brands } = (await ask(remote, '/whoami')) as unknown as {
    readonly brands: readonly { readonly slug: string }[]
  }
  return brands.map(({ slug }) => slug)
}

/** Reads over the public API of a running server. */
export const apiReader = (remote: Remote, brand: string): Reader => {
  const base = `${basePath}/brands/${encodeURIComponent(brand)}`
  return {
    brand,
    list: async ({ path }, question) =>
      (await ask(remote, `${base}/${path}?${queryOf(question)}`)) as unknown as ListPage,
    get: async ({ path, lookup }, id, include) => {
      const record = lookup ? base : `${base}/${path}/${encodeURIComponent(id)}`
      return (await ask(remote, `${record}?${queryOf({ include })}`)) as JsonRecord
    },
  }
}
