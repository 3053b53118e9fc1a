import type { Worker } from 'node:worker_threads'
import type { Config } from '#config'
import type {
  FilePreview,
  UploadChoices,
  UploadJobKind,
  UploadProgress,
  UploadResult,
} from '#contract'
import { startThread } from '#installation'
import { OperatorError, type StoredFile } from '#operator'

/** Files to preview, check or import. */
export interface UploadTask {
  readonly kind: UploadJobKind
  readonly files: readonly StoredFile[]
  readonly choices: UploadChoices
  /** The operator in the audit log. */
  readonly operator: string
  readonly config: UploadConfig
}

/** The settings that the records depend on, which a thread can receive. */
export type UploadConfig = Pick<
  Config,
  'databaseUrl' | 'redisUrl' | 'imagesUrl' | 'changeFeed' | 'requiresRowSecurity'
>

/** What a thread receives. */
export interface PostedTask extends UploadTask {
  /** Becomes 1 when the work is to end. A thread that stores records reads no messages. */
  readonly cancelled: Int32Array<SharedArrayBuffer>
}

/** What came of a task. */
export type UploadOutcome =
  | { readonly is: 'previewed'; readonly previews: readonly FilePreview[] }
  | { readonly is: 'imported'; readonly result: UploadResult }
  | { readonly is: 'cancelled' }
  | { readonly is: 'failed'; readonly message: string }

/** What a thread sends. */
export type UploadMessage =
  | { readonly progress: UploadProgress }
  | { readonly outcome: UploadOutcome }
  /** A failure that is a mistake of the program. */
  | { readonly unexpected: string }

/** A task that runs. */
export interface RunningTask {
  readonly outcome: Promise<UploadOutcome>
  /** Ends the work before it stores anything. What is committed by then stays. */
  cancel(): void
  /** Ends the thread at once. */
  stop(): Promise<void>
}

/** Threads for uploads: an import keeps its thread busy, and the page has to respond meanwhile. */
export interface UploadThreads {
  start(task: UploadTask, onProgress: (progress: UploadProgress) => void): RunningTask
  close(): Promise<void>
}

/** Files that need more than this are refused, instead of ending the process. */
const oldGenerationMb = 1_024
/** A thread without a task ends after this time, and gives its memory back. */
const idleMs = 30_000

export const openUploadThreads = (): UploadThreads => {
  /** One that has ended its task; the next one need not load its programs. */
  let idle: { readonly thread: Worker; readonly timer: NodeJS.Timeout } | null = null

  const take = (): Worker => {
    const idleWorker = idle
    idle = null
    if (idleWorker) {
      clearTimeout(idleWorker.timer)
      clearListeners(idleWorker.thread)
      return idleWorker.thread
    }
    return startThread('cli/upload-thread-main.ts', {
      resourceLimits: { maxOldGenerationSizeMb: oldGenerationMb },
    })
  }

  const giveBack = (thread: Worker): void => {
    clearListeners(thread)
    thread.unref()
    if (idle) {
      void thread.terminate()
      return
    }
    const drop = () => {
      if (idle?.thread === thread) idle = null
    }
    thread.once('error', drop)
    thread.once('exit', drop)
    const timer = setTimeout(() => {
      idle = null
      void thread.terminate()
    }, idleMs)
    idle = { thread, timer: timer.unref() }
  }

  return {
    start: (task, onProgress) => {
      const cancelled = new Int32Array(new SharedArrayBuffer(4))
      const thread = take()
      const outcome = new Promise<UploadOutcome>((resolve, reject) => {
        thread.on('message', (message: UploadMessage) => {
          if ('progress' in message) {
            onProgress(message.progress)
            return
          }
          giveBack(thread)
          if ('outcome' in message) resolve(message.outcome)
          else reject(new Error(message.unexpected))
        })
        thread.once('error', (error) => reject(failureOf(error)))
        thread.once('exit', () => resolve({ is: 'cancelled' }))
      })
      const posted: PostedTask = { ...task, cancelled }
      thread.ref()
      thread.postMessage(posted)
      return {
        outcome,
        cancel: () => {
          Atomics.store(cancelled, 0, 1)
        },
        stop: async () => {
          await thread.terminate()
        },
      }
    },
    close: async () => {
      clearTimeout(idle?.timer)
      await idle?.thread.terminate()
    },
  }
}

/** By name: without one, a thread would lose its own listeners and send nothing more. */
const clearListeners = (thread: Worker): void => {
  for (const event of ['message', 'error', 'exit']) thread.removeAllListeners(event)
}

const failureOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new OperatorError(
        'invalid',
        `The files need more than ${oldGenerationMb} MiB of memory to be read: split them, or write them as CSV.`,
      )
    : error
