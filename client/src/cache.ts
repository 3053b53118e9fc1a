/** A stored response, to be revalidated with `If-None-Match`. */
export interface CachedResponse {
  readonly etag: string
  /** The body, as it was received. */
  readonly text: string
}

/**
 * Stores responses by address. Every response is revalidated before it is used, so a store may keep
 * entries for any time and drop any of them.
 */
export interface ResponseCache {
  get(url: string): CachedResponse | undefined | Promise<CachedResponse | undefined>
  set(url: string, response: CachedResponse): unknown
}

/** Keeps the most recently used responses, up to a number of characters. */
export const memoryCache = ({ charactersMax = 20_000_000 } = {}): ResponseCache => {
  const entries = new Map<string, CachedResponse>()
  let characters = 0
  const remove = (url: string): void => {
    characters -= entries.get(url)?.text.length ?? 0
    entries.delete(url)
  }
  const put = (url: string, response: CachedResponse): void => {
    remove(url)
    entries.set(url, response)
    characters += response.text.length
    // A Map keeps insertion order, so the first entry is the least recently used one.
    for (const oldest of entries.keys()) {
      if (characters <= charactersMax) return
      remove(oldest)
    }
  }
  return {
    get: (url) => {
      const response = entries.get(url)
      if (response) put(url, response)
      return response
    },
    set: put,
  }
}
