/** A stored response. The client revalidates it with `If-None-Match`. */
export interface CachedResponse {
  readonly etag: string
  /** The body as received. */
  readonly text: string
}

/**
 * Stores responses by URL. The client revalidates every response before it uses it, so a store may
 * keep entries for any time and evict any of them.
 */
export interface ResponseCache {
  get(url: string): CachedResponse | undefined | Promise<CachedResponse | undefined>
  set(url: string, response: CachedResponse): unknown
}

/** Keeps the most recently used responses and evicts the others beyond `charactersMax`. */
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
    // A Map keeps insertion order, so the first entry is the least recently used.
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
