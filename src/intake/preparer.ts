import type { Worker } from 'node:worker_threads'
import { createMutex } from '#concurrency'
import { type Catalog, catalog as ownCatalog } from '#contract'
import { type CpuLimit, cpuLimitMs, SourceError, withinCpuTime } from '#ingest'
import { smallYoungGeneration, startThread } from '#installation'
import { ownsBuffer } from './batch-buffers.ts'
import {
  type AskContext,
  type ContextAnswer,
  type ContextQuestion,
  DeferredError,
  refuseContext,
} from './batch-context.ts'
import { createMaps } from './maps.ts'
import {
  type OpenedBatch,
  type PreparedBatch,
  prepareBatch,
  refusedBatch,
} from './prepare-batch.ts'

/** Prepares batches, in threads where that can take long. */
export interface Preparer {
  /**
   * Takes over the body. A batch that takes too long is refused: it is prepared as such. Throws a
   * `DeferredError` if `ask` does.
   */
  prepare(batch: OpenedBatch, importedAt: string, ask?: AskContext): Promise<PreparedBatch>
  /** Ends the threads. What they prepare, and what waits for them, fails. */
  close(): Promise<void>
}

export interface PreparerOptions {
  readonly catalog: Catalog
  readonly mapsFolder: string | null
  /** For bodies; the common limit by default. */
  readonly cpuMs?: CpuLimit
}

/** The data of a thread. */
export interface ThreadData {
  readonly mapsFolder: string | null
}

/** A batch for a thread. */
export type PrepareJob = Omit<OpenedBatch, 'body'> & {
  readonly body: Uint8Array
  readonly importedAt: string
}

/** What a thread says of a batch. */
export type PreparationMessage =
  | { readonly question: ContextQuestion }
  | { readonly prepared: PreparedBatch }
  | { readonly isDeferred: true }

/** The answer to its question. */
export type ThreadAnswer =
  | ContextAnswer
  | { readonly refusal: string }
  | { readonly isDeferred: true }

/** Larger batches take longer than others should wait for them. */
export const largeBytes = 1_048_576
/** Items of the change feed up to this size are read here: posting them would take longer. */
const quickBytes = 65_536

/** An unused thread ends after this time. */
const idleMs = 30_000
/** A conversion that needs more memory fails alone. */
const threadHeapMb = 512

export const createPreparer = (options: PreparerOptions): Preparer => {
  const { catalog, mapsFolder, cpuMs = cpuLimitMs } = options
  const parts = { catalog, maps: createMaps(mapsFolder) }
  // A large batch must not keep small ones waiting. Small ones must not wait for a thread to start.
  const small = createLane({ mapsFolder }, mapsFolder !== null && catalog === ownCatalog)
  const large = createLane({ mapsFolder }, false)
  // A thread imports the built-in catalog.
  const usesThread = ({ options: { form }, body }: OpenedBatch) =>
    catalog === ownCatalog && (form !== 'items' || body.length > quickBytes)
  return {
    prepare: (batch, importedAt, ask = refuseContext) => {
      if (!usesThread(batch)) return prepareBatch({ ...parts, ask }, batch, importedAt)
      const lane = batch.body.length > largeBytes ? large : small
      return lane.prepare(batch, importedAt, ask, cpuMs(batch.body.length))
    },
    close: async () => {
      await Promise.all([small.close(), large.close()])
    },
  }
}

/** One thread for one batch after the other, started when it is needed, or kept. */
const createLane = (data: ThreadData, isKept: boolean) => {
  const oneAtATime = createMutex()
  let thread: Worker | null = null
  let idle: NodeJS.Timeout | undefined
  let isClosed = false
  const end = async () => {
    clearTimeout(idle)
    const ended = thread
    thread = null
    await ended?.terminate()
  }
  const open = (): Worker => {
    if (isClosed) throw new Error('The thread is closed.')
    clearTimeout(idle)
    if (thread) return thread
    const started = startThread('intake/prepare-thread-main.ts', {
      workerData: data,
      resourceLimits: { ...smallYoungGeneration, maxOldGenerationSizeMb: threadHeapMb },
    })
    thread = started
    // While it prepares a batch, others listen as well.
    started.on('error', () => undefined)
    started.once('exit', () => {
      if (thread === started) thread = null
    })
    return started
  }
  if (isKept) open()
  return {
    prepare: (
      batch: OpenedBatch,
      importedAt: string,
      ask: AskContext,
      cpuMs: number,
    ): Promise<PreparedBatch> =>
      oneAtATime(async () => {
        try {
          return await runInThread(open(), batch, importedAt, ask, cpuMs)
        } catch (error) {
          if (error instanceof DeferredError) throw error
          await end()
          if (error instanceof SourceError) return refusedBatch(error.message)
          throw error
        } finally {
          if (!isKept && !isClosed) idle = setTimeout(() => void end(), idleMs).unref()
        }
      }),
    close: () => {
      isClosed = true
      return end()
    },
  }
}

const runInThread = async (
  thread: Worker,
  { body, ...batch }: OpenedBatch,
  importedAt: string,
  ask: AskContext,
  cpuMs: number,
): Promise<PreparedBatch> => {
  const answer = Promise.withResolvers<PreparedBatch>()
  const onMessage = async (message: PreparationMessage) => {
    if ('prepared' in message) answer.resolve(message.prepared)
    else if ('isDeferred' in message) answer.reject(new DeferredError())
    else {
      const post = (message: ThreadAnswer) => thread.postMessage(message)
      await ask(message.question).then(post, (error: unknown) => {
        if (error instanceof SourceError) post({ refusal: error.message })
        else if (error instanceof DeferredError) post({ isDeferred: true })
        else answer.reject(error)
      })
    }
  }
  const onExit = (code: number) => answer.reject(new Error(`The thread exited with code ${code}.`))
  const onError = (error: NodeJS.ErrnoException) =>
    answer.reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new SourceError('takes too much memory to convert: send it in smaller batches')
        : error,
    )
  thread.on('message', onMessage)
  thread.on('error', onError)
  thread.on('exit', onExit)
  try {
    const job: PrepareJob = { ...batch, body, importedAt }
    thread.postMessage(job, ownsBuffer(body) ? [body.buffer] : [])
    return await withinCpuTime(thread, cpuMs, answer.promise)
  } finally {
    thread.off('message', onMessage)
    thread.off('error', onError)
    thread.off('exit', onExit)
  }
}
