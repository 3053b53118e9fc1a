import { smallYoungGeneration, startThread } from '#installation'
import type { BatchQueue, BatchRequest, QueueLimits } from '#intake'
import { type CallFailure, errorOf } from './call-failure.ts'
import { type DatabaseConfig, databaseConfigOf } from './service-database.ts'

export interface QueueThreadOptions {
  readonly config: DatabaseConfig
  /** See `QueueParts`. */
  readonly mapsFolder: string | null
  /** See `QueueParts`. */
  readonly limits?: Partial<QueueLimits>
  /** Receives sentences for the log. */
  readonly log: (level: 'info' | 'warn', sentence: string) => void
  /** Called when the thread ends unexpectedly: it no longer accepts or commits batches. */
  readonly onExit: (error: Error) => void
}

/** The calls to the thread. */
export type QueueCall =
  | { readonly name: 'accept'; readonly request: BatchRequest }
  | { readonly name: 'find'; readonly brand: string; readonly id: string }
  | {
      readonly name: 'finished'
      readonly brand: string
      readonly id: string
      readonly waitMs: number
    }
  | { readonly name: 'close' }

export type ThreadData = Pick<QueueThreadOptions, 'config' | 'mapsFolder'> & {
  readonly limits: Partial<QueueLimits>
}

/** The messages of the thread. */
export type QueueMessage =
  | { readonly opened: true }
  | { readonly call: number; readonly result: unknown }
  | { readonly call: number; readonly failure: CallFailure }
  | { readonly notOpened: CallFailure }
  | { readonly log: string; readonly level: 'info' | 'warn' }

/**
 * Opens the queue in a separate thread. Accepting a batch writes it to the disk, and committing it
 * takes the database many milliseconds; meanwhile this thread responds to clients.
 */
export const openQueueThread = async (options: QueueThreadOptions): Promise<BatchQueue> => {
  const { mapsFolder, limits = {}, log, onExit } = options
  const data: ThreadData = { config: databaseConfigOf(options.config), mapsFolder, limits }
  const thread = startThread('server/queue-thread-main.ts', {
    workerData: data,
    resourceLimits: smallYoungGeneration,
  })
  const calls = new Map<number, PromiseWithResolvers<unknown>>()
  const opening = Promise.withResolvers<void>()
  let lastCall = 0
  let isOpen = false
  let exited: Error | null = null

  const fail = (error: Error) => {
    if (exited) return
    exited = error
    opening.reject(error)
    for (const { reject } of calls.values()) reject(error)
    calls.clear()
    if (isOpen) onExit(error)
  }
  thread.on('message', (message: QueueMessage) => {
    if ('log' in message) log(message.level, message.log)
    else if ('opened' in message) opening.resolve()
    else if ('notOpened' in message) opening.reject(errorOf(message.notOpened))
    else {
      const call = calls.get(message.call)
      calls.delete(message.call)
      if ('failure' in message) call?.reject(errorOf(message.failure))
      else call?.resolve(message.result)
    }
  })
  thread.on('error', fail)
  thread.on('exit', (code) => fail(new Error(`The queue thread exited with code ${code}.`)))

  const ask = <T>(call: QueueCall, transferred: ArrayBuffer[] = []): Promise<T> => {
    if (exited) return Promise.reject(exited)
    const answer = Promise.withResolvers<unknown>()
    lastCall += 1
    calls.set(lastCall, answer)
    thread.postMessage({ call: lastCall, ...call }, transferred)
    return answer.promise as Promise<T>
  }

  await opening.promise
  isOpen = true
  return {
    accept: ({ body, ...rest }) => {
      // Transferring detaches the buffer, and small bodies share theirs.
      const { buffer, byteLength } = body.bytes
      const bytes = byteLength === buffer.byteLength ? body.bytes : new Uint8Array(body.bytes)
      const request = { ...rest, body: { ...body, bytes } }
      return ask({ name: 'accept', request }, [bytes.buffer as ArrayBuffer])
    },
    find: (brand, id) => ask({ name: 'find', brand, id }),
    finished: (brand, id, waitMs) => ask({ name: 'finished', brand, id, waitMs }),
    close: async () => {
      isOpen = false
      await ask({ name: 'close' })
      await thread.terminate()
    },
  }
}
