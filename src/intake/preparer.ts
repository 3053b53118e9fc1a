import { setTimeout as wait } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'
import { createMutex } from '#concurrency'
import { type Catalog, catalog as ownCatalog } from '#contract'
import { SourceError } from '#ingest'
import { startThread } from '#installation'
import { createMaps } from './maps.ts'
import {
  type OpenedBatch,
  type PostedBatch,
  type PreparedBatch,
  prepareBatch,
  receiveBatch,
  refusedBatch,
} from './prepare-batch.ts'

/** Prepares batches, in threads where that can take long. */
export interface Preparer {
  /** A batch that takes too long is refused: it is prepared as such. */
  prepare(batch: OpenedBatch, importedAt: string): Promise<PreparedBatch>
  /** Ends the threads. What they prepare, and what waits for them, fails. */
  close(): Promise<void>
}

export interface PreparerOptions {
  readonly catalog: Catalog
  readonly mapsFolder: string | null
  /** The CPU time that a body of this length may take. */
  readonly cpuMs?: (bytes: number) => number
}

/** The data of a thread. */
export interface ThreadData {
  readonly mapsFolder: string | null
}

/** A batch for a thread. Its body is a copy. */
export type PrepareJob = Omit<OpenedBatch, 'body'> & {
  readonly body: Uint8Array
  readonly importedAt: string
}

/** Larger batches take longer than others should wait for them. */
export const largeBytes = 1_048_576
/** Items of the change feed up to this size are read here: posting them would take longer. */
const quickBytes = 65_536

/** Several times what the slowest conversion of this length takes. */
const defaultCpuMs = (bytes: number): number => 10_000 + (bytes / 1_048_576) * 3_000
const pollMs = 250
/** A thread that never answers is ended after so many times its CPU time. */
const elapsedFactor = 10
/** An unused thread ends after this time. */
const idleMs = 30_000
/** A conversion that needs more memory fails alone. */
const threadHeapMb = 512

export const createPreparer = (options: PreparerOptions): Preparer => {
  const { catalog, mapsFolder, cpuMs = defaultCpuMs } = options
  const parts = { catalog, maps: createMaps(mapsFolder) }
  // A large batch must not keep small ones waiting. Small ones must not wait for a thread to start.
  const small = createLane({ mapsFolder }, mapsFolder !== null && catalog === ownCatalog)
  const large = createLane({ mapsFolder }, false)
  // A thread imports the built-in catalog.
  const usesThread = ({ options: { form }, body }: OpenedBatch) =>
    catalog === ownCatalog && (form !== 'items' || body.length > quickBytes)
  return {
    prepare: (batch, importedAt) => {
      if (!usesThread(batch)) return prepareBatch(parts, batch, importedAt)
      const lane = batch.body.length > largeBytes ? large : small
      return lane.prepare(batch, importedAt, cpuMs(batch.body.length))
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
      resourceLimits: { maxOldGenerationSizeMb: threadHeapMb },
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
    prepare: (batch: OpenedBatch, importedAt: string, cpuMs: number): Promise<PreparedBatch> =>
      oneAtATime(async () => {
        try {
          return await runInThread(open(), batch, importedAt, cpuMs)
        } catch (error) {
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
  cpuMs: number,
): Promise<PreparedBatch> => {
  const answer = Promise.withResolvers<PostedBatch>()
  const onExit = (code: number) => answer.reject(new Error(`The thread exited with code ${code}.`))
  const onError = (error: NodeJS.ErrnoException) =>
    answer.reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new SourceError('takes too much memory to convert: send it in smaller batches')
        : error,
    )
  const ended = new AbortController()
  thread.on('message', answer.resolve)
  thread.on('error', onError)
  thread.on('exit', onExit)
  try {
    const own = new Uint8Array(body)
    thread.postMessage({ ...batch, body: own, importedAt } satisfies PrepareJob, [own.buffer])
    const posted = await Promise.race([answer.promise, outOfTime(thread, cpuMs, ended.signal)])
    return receiveBatch(posted, body)
  } finally {
    ended.abort()
    thread.off('message', answer.resolve)
    thread.off('error', onError)
    thread.off('exit', onExit)
  }
}

/** Rejects once a thread has used its CPU time for a batch. */
const outOfTime = async (thread: Worker, cpuMs: number, signal: AbortSignal): Promise<never> => {
  const endAt = performance.now() + cpuMs * elapsedFactor
  let before: NodeJS.CpuUsage | undefined
  for (;;) {
    const usage = await Promise.race([
      thread.cpuUsage().catch(() => undefined),
      wait(pollMs, undefined, { signal }).catch(() => undefined),
    ])
    before ??= usage
    const used = usage && before ? usage.user + usage.system - before.user - before.system : 0
    if (signal.aborted) return new Promise<never>(() => undefined)
    if (used / 1_000 > cpuMs || performance.now() > endAt) {
      const seconds = Math.ceil(cpuMs / 1_000)
      throw new SourceError(
        `was not converted within ${seconds} seconds of CPU time: send it in smaller batches, or simplify the mapping`,
      )
    }
    await wait(pollMs, undefined, { signal }).catch(() => undefined)
  }
}
