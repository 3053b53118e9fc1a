/** An answer that is kept, to be asked for again with `If-None-Match`. */
export interface CachedAnswer {
  readonly etag: string
  /** The body, as it came. */
  readonly text: string
}

/**
 * Where answers are kept, by address. The server is asked every time whether they still hold, so a
 * store need not forget anything for them to be true, and may forget whatever it likes.
 */
export interface AnswerCache {
  get(url: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined>
  set(url: string, answer: CachedAnswer): unknown
}

/** Keeps the answers that were used last, up to as many characters as are given. */
export const memoryCache = ({ charactersMax = 20_000_000 } = {}): AnswerCache => {
  const kept = new Map<string, CachedAnswer>()
  let characters = 0
  const forget = (url: string): void => {
    characters -= kept.get(url)?.text.length ?? 0
    kept.delete(url)
  }
  const keep = (url: string, answer: CachedAnswer): void => {
    forget(url)
    kept.set(url, answer)
    characters += answer.text.length
    // A Map is in the order of insertion: the first is the one that was used longest ago.
    for (const oldest of kept.keys()) {
      if (characters <= charactersMax) return
      forget(oldest)
    }
  }
  return {
    get: (url) => {
      const answer = kept.get(url)
      if (answer) keep(url, answer)
      return answer
    },
    set: keep,
  }
}
