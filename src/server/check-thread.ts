import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '#installation'

export interface CheckThreadOptions {
  readonly databaseUrl: string
  /** Receives what went wrong; the next check may succeed. */
  readonly onError: (error: unknown) => void
}

/** What the thread posts: a brand is checked, or why not. */
export interface CheckMessage {
  readonly brand: string
  readonly failure: string | null
}

/** Checks the business rules of brands. */
export interface CheckThread {
  /** Resolves when the brand is checked, or cannot be. */
  check(brand: string): Promise<void>
  close(): Promise<void>
}

/**
 * Checks in a thread of its own, which starts with the first check: a check reads much, and neither
 * requests nor batches wait for it.
 */
export const openCheckThread = ({ databaseUrl, onError }: CheckThreadOptions): CheckThread => {
  let thread: Worker | undefined
  const start = (): Worker => {
    const started = startThread('server/check-thread-main.ts', { workerData: { databaseUrl } })
    started.on('error', onError)
    started.once('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }
  return {
    check: async (brand) => {
      thread ??= start()
      const ended = new AbortController()
      const { signal } = ended
      try {
        thread.postMessage(brand)
        const answer = await Promise.race([
          once(thread, 'message', { signal }),
          once(thread, 'exit', { signal }).then(() => null),
        ])
        const failure = (answer?.[0] as CheckMessage | undefined)?.failure
        if (failure) onError(new Error(failure))
      } catch (error) {
        onError(error)
      } finally {
        ended.abort()
      }
    },
    close: async () => {
      await thread?.terminate()
    },
  }
}
