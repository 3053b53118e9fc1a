import { setTimeout as wait } from 'node:timers/promises'

/** A value of the database that probes and scrapes ask for. */
export interface CachedRead<T> {
  current(): Promise<T>
  /** Reads nothing afterwards: scrapes and probes get the last value. */
  close(): Promise<void>
}

interface CachedReadParts<T> {
  readonly read: () => Promise<T>
  readonly now: () => number
  readonly onError: (error: unknown) => void
}

/** There may be many probes and scrapes. One read serves all of them for this long. */
const freshMs = 2_000

/** Maximum wait of a scrape; after that it gets the last value. */
const waitMs = 1_000

export const createCachedRead = <T>(
  initial: T,
  { read, now, onError }: CachedReadParts<T>,
): CachedRead<T> => {
  let value = initial
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | null = null
  let hasFailed = false
  let isClosed = false

  const refresh = async (): Promise<void> => {
    try {
      value = await read()
      hasFailed = false
    } catch (error) {
      // Once per outage, not for every probe.
      if (!hasFailed) onError(error)
      hasFailed = true
    } finally {
      readAt = now()
      reading = null
    }
  }

  return {
    current: async () => {
      if (isClosed || now() - readAt < freshMs) return value
      reading ??= refresh()
      const inTime = new AbortController()
      await Promise.race([
        reading,
        wait(waitMs, undefined, { signal: inTime.signal }).catch(() => undefined),
      ])
      inTime.abort()
      return value
    },
    close: async () => {
      isClosed = true
      await reading
    },
  }
}
