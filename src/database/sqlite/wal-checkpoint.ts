import type { Worker } from 'node:worker_threads'
import { startThread } from '#installation'

/**
 * Copies the write-ahead log (WAL) into the database in a thread, concurrently with transactions.
 */
export interface WalCheckpoint {
  /** Starts a checkpoint unless one is running. Resolves when it has ended or failed. */
  run(): Promise<void>
  close(): Promise<void>
}

export interface CheckpointThreadData {
  readonly file: string
  /** Statements for its connection. */
  readonly setup: string
}

export const createWalCheckpoint = (data: CheckpointThreadData): WalCheckpoint => {
  let thread: Worker | undefined
  let running: PromiseWithResolvers<void> | undefined
  const end = () => {
    running?.resolve()
    running = undefined
    thread?.unref()
  }

  const start = (): Worker => {
    const started = startThread('database/sqlite/checkpoint-thread-main.mjs', {
      workerData: data,
      execArgv: [],
    })
    started.on('message', end)
    // A commit copies the WAL itself if nothing else has for long.
    started.on('error', () => undefined)
    started.on('exit', () => {
      if (thread === started) thread = undefined
      end()
    })
    return started
  }

  return {
    run: () => {
      if (running) return running.promise
      const copying = Promise.withResolvers<void>()
      running = copying
      try {
        thread ??= start()
        // It keeps the process running only while it copies.
        thread.ref()
        thread.postMessage('copy')
      } catch {
        // There may be no memory for a thread. A commit copies a WAL that has become very long.
        end()
      }
      return copying.promise
    },
    close: async () => {
      const ended = thread
      thread = undefined
      await ended?.terminate()
    },
  }
}
