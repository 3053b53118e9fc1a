import type { AnswerCache } from './cache.ts'
import { SelvedgeError } from './error.ts'
import { basePath, type Groups, groups } from './generated/groups.ts'
import type { Brand } from './generated/records.ts'
import { type Asking, type Endpoint, openGroup } from './group.ts'
import { type Patience, patienceFrom, usualPatience } from './patience.ts'
import { segment } from './query.ts'
import { type RequestOptions, type Retry, type SendParts, send } from './send.ts'

export interface ClientOptions extends Partial<Patience> {
  /** Where the server is: `https://records.example`, with or without the path of the API. */
  readonly url: string | URL
  /** The API key, or what finds it: it is asked before each request, so that keys can change. */
  readonly key: string | (() => string | Promise<string>)
  /** Keeps answers, and asks whether they still hold: `memoryCache()`, or a store of your own. */
  readonly cache?: AnswerCache | undefined
  /** What makes requests. The platform's own unless said. */
  readonly fetch?: typeof globalThis.fetch | undefined
  /** Headers to send with every request to the API. */
  readonly headers?: { readonly [name: string]: string } | undefined
  /** Hears of every try that failed and is made again. */
  readonly onRetry?: ((retry: Retry) => void) | undefined
}

export interface Client {
  /** The records of a brand, by its slug. Nothing is asked yet. */
  brand(slug: string): BrandReader
}

/** The groups of a brand by name, and the brand itself. */
export interface BrandReader extends Groups {
  readonly slug: string
  /** The brand's own record. */
  get(options?: RequestOptions): Promise<Brand>
}

/** A client of one server with one key. It holds nothing that must be closed. */
export const createClient = (options: ClientOptions): Client => {
  const asking = openAsking(options)
  return {
    brand: (slug) => {
      const path = `/brands/${segment('The brand', slug)}`
      const reader: { [name: string]: unknown } = {
        slug,
        get: async (each: RequestOptions = {}) => asking.json<Brand>(path, each),
      }
      for (const [name, endpoints] of Object.entries(groups)) {
        reader[inCamelCase(name)] = openGroup(
          asking,
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

const openAsking = (options: ClientOptions): Asking => {
  const { key, cache, headers = {}, onRetry } = options
  const base = baseOf(options.url)
  if (typeof key !== 'function' && !key) throw new TypeError('key is missing: give an API key.')
  const parts: SendParts = {
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
    patience: patienceFrom(usualPatience, options),
    onRetry,
  }
  return {
    json: async (path, each) => {
      const url = base + path
      const kept = await cache?.get(url)
      const answer = await send(
        parts,
        {
          url,
          headers: headersOf({
            accept: 'application/json',
            ...headers,
            authorization: `Bearer ${typeof key === 'function' ? await key() : key}`,
            ...(kept && { 'if-none-match': kept.etag }),
          }),
          read: async (response) => {
            const isKept = response.status === 304 && kept
            const text = isKept ? kept.text : await response.text()
            const etag = isKept ? null : response.headers.get('etag')
            return { body: parse(text, url, response), text, etag }
          },
        },
        each,
      )
      if (answer.etag) await cache?.set(url, { etag: answer.etag, text: answer.text })
      return answer.body
    },
    file: (url, each) => {
      // Who has the address has the file, for a while.
      const [calledInErrors = ''] = url.split('?')
      return send(
        parts,
        { url, calledInErrors, headers: new Headers(), read: (response) => response.blob() },
        each,
      )
    },
  }
}

/** The platform's own complaint would repeat the key. */
const headersOf = (headers: { readonly [name: string]: string }): Headers => {
  try {
    return new Headers(headers)
  } catch {
    throw new TypeError('key or headers have a character that no header can carry.')
  }
}

const parse = (text: string, url: string, { status, headers }: Response) => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new SelvedgeError({
      code: 'unreadable_answer',
      message: `The answer from ${url} is not JSON.`,
      url,
      status,
      requestId: headers.get('x-request-id') ?? undefined,
      cause,
    })
  }
}

const baseOf = (given: string | URL): string => {
  let url: URL
  try {
    url = new URL(given)
  } catch {
    throw new TypeError(
      `url must be a whole address, such as https://records.example; it is '${given}'.`,
    )
  }
  if (!/^https?:$/.test(url.protocol))
    throw new TypeError(`url must be http or https; it is '${given}'.`)
  const path = url.pathname.replace(/\/+$/, '')
  return url.origin + (path.endsWith(basePath) ? path : path + basePath)
}
