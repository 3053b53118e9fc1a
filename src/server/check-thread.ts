import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '#installation'

export interface CheckThreadOptions {
  readonly databaseUrl: string
  /** Receives errors; the next check may succeed. */
  readonly onError: (error: unknown) => void
}

/** The thread's message: a brand was checked, or why not. */
export interface CheckMessage {
  readonly brand: string
  readonly failure: string | null
}

export interface CheckThread {
  /** Resolves when the check of the brand has ended or failed. */
  check(brand: string): Promise<void>
  close(): Promise<void>
}

/**
 * Checks in a separate thread, started with the first check: a check reads much data, and neither
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
