import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startThread } from '#installation'
import type { CheckOutcome } from './check-schedule.ts'
import { type DatabaseConfig, databaseConfigOf } from './service-database.ts'

export interface CheckThreadData {
  readonly config: DatabaseConfig
  /** No further rule of a check starts after this time. */
  readonly sliceMs: number
}

export interface CheckThreadOptions extends CheckThreadData {
  /** Receives the reason of a failed check; the next check may succeed. */
  readonly onError: (error: unknown) => void
}

/** The thread's message: how a check has ended. */
export interface CheckMessage {
  readonly outcome: CheckOutcome
  readonly reason?: string
}

export interface CheckThread {
  /** Resolves when the check of the brand has ended or failed. */
  check(brand: string): Promise<CheckOutcome>
  close(): Promise<void>
}

/** A thread without a check ends after this time, and gives its memory back. */
const idleMs = 30_000

/**
 * Checks in a separate thread, started with the first check: a check reads much data, and neither
 * requests nor batches wait for it.
 */
export const openCheckThread = ({ onError, config, sliceMs }: CheckThreadOptions): CheckThread => {
  let thread: Worker | undefined
  let idle: NodeJS.Timeout | undefined
  const start = (): Worker => {
    const data: CheckThreadData = { config: databaseConfigOf(config), sliceMs }
    const started = startThread('server/check-thread-main.ts', { workerData: data })
    started.on('error', onError)
    started.once('exit', () => {
      if (thread === started) thread = undefined
    })
    return started
  }
  const close = async () => {
    clearTimeout(idle)
    await thread?.terminate()
  }
  const ask = async (brand: string): Promise<CheckMessage> => {
    thread ??= start()
    const ended = new AbortController()
    const { signal } = ended
    try {
      thread.postMessage(brand)
      const answer = await Promise.race([
        once(thread, 'message', { signal }),
        once(thread, 'exit', { signal }).then(() => null),
      ])
      return (answer?.[0] as CheckMessage | undefined) ?? { outcome: 'failed' }
    } finally {
      ended.abort()
    }
  }
  return {
    check: async (brand) => {
      clearTimeout(idle)
      try {
        const { outcome, reason } = await ask(brand)
        if (reason !== undefined) onError(new Error(reason))
        return outcome
      } catch (error) {
        onError(error)
        return 'failed'
      } finally {
        idle = setTimeout(() => void close(), idleMs).unref()
      }
    },
    close,
  }
}
