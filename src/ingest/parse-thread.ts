import { availableParallelism } from 'node:os'
import { catalog as ownCatalog } from '#contract'
import { startThread } from '#installation'
import { type CpuLimit, cpuLimitMs, createCpuMeter, withinCpuTime } from './cpu-limit.ts'
import { parseThreadOldMb, parseThreadYoungMb } from './heap.ts'
import { type FileInput, type Input, namedError, openFile } from './input.ts'
import type { OpenedFile } from './opened-file.ts'
import { SourceError } from './row.ts'
import { bytesOf, type Source } from './source.ts'
import { type ValidatedBatch, type ValidateOptions, validateSource } from './validate.ts'

/** The task of a parse thread. All of it can be posted to a thread. */
export interface Job {
  readonly collection: string
  readonly source: Omit<Source, 'resource' | 'input'> & { readonly input: FileInput }
  readonly owner: string
  readonly validBefore: number
  readonly now: number
  readonly keepsBadRows?: boolean | undefined
}

/** The messages of a parse thread. */
export type ThreadMessage =
  | { readonly batch: ValidatedBatch }
  | { readonly done: true }
  | { readonly sourceError: string }

/** Below this size, starting a thread takes longer than the work. */
const bytesWorthThread = 4_000_000

/** Backpressure: the thread pauses at this many batches that are not stored yet. */
export const batchesAhead = 4

/** More threads would only wait for the one that stores their batches. */
const threadsMax = 3

export interface ParseOptions extends Omit<ValidateOptions, 'meter'> {
  /** The common limit by default. */
  readonly cpuMs?: CpuLimit | undefined
}

/**
 * Parses and validates a source. Uses threads for a large one, while this thread stores batches.
 * Throws `SourceError` once that takes too much CPU time.
 */
export const parseSource = (options: ParseOptions): AsyncIterable<ValidatedBatch> => {
  const { source, catalog, owner, validBefore, now, keepsBadRows, cpuMs = cpuLimitMs } = options
  const { resource, input, validated, ...rest } = source
  if (validated) return asyncOf(validated)
  const limitMs: CpuLimit = (bytes) => cpuMs(expandedBytes(input, bytes))
  // Open streams, observers and catalogs cannot be posted. A thread imports the built-in catalog.
  const isOwn = input.kind !== 'file' || source.observer !== undefined || catalog !== ownCatalog
  if (isOwn || !isLarge(source, input)) {
    return validateSource({ ...options, meter: createCpuMeter(limitMs, bytesOf(source)) })
  }
  const threadMs = limitMs(bytesOf(source) ?? 0)
  const jobOf = (own: FileInput): Job => ({
    collection: resource.path,
    source: { ...rest, input: own },
    owner,
    validBefore,
    now,
    keepsBadRows,
  })
  // Only a thread that reads all rows can detect a second record of a brand, check a trailer, or
  // group rows. Joined rows are held once.
  const { from, join, group } = source.mapping ?? {}
  const isShared =
    input.format === 'csv' && !resource.lookup && !from?.files?.trailer && !join && !group
  const threads = isShared ? Math.min(threadsMax, availableParallelism()) : 1
  if (threads === 1) return parseInThreads([jobOf(input)], threadMs)
  return withOpenFile(source.name, input, (opened) => {
    const inputs = Array.from({ length: threads }, (_, index) => ({
      ...input,
      opened,
      table: { ...input.table, part: { index, of: threads } },
    }))
    return parseInThreads(inputs.map(jobOf), threadMs)
  })
}

async function* asyncOf<T>(values: Iterable<T>): AsyncIterable<T> {
  yield* values
}

/** Opens a file once for all threads, so that a file that replaces it meanwhile is not read. */
async function* withOpenFile(
  name: string,
  input: FileInput,
  parse: (opened: OpenedFile) => AsyncIterable<ValidatedBatch>,
): AsyncIterable<ValidatedBatch> {
  const { opened, close } = await openFile(input).catch((error) => {
    throw namedError(name, error)
  })
  try {
    yield* parse(opened)
  } finally {
    await close()
  }
}

/** A compressed file may be a thousand times as large; this keeps a small bomb off the main thread. */
const compressedFactor = 64

const expandedBytes = (input: Input, bytes: number): number => {
  const isCompressed =
    'format' in input && (input.gzipped || input.format === 'xlsx' || input.format === 'parquet')
  return bytes * (isCompressed ? compressedFactor : 1)
}

const isLarge = (source: Source, input: FileInput): boolean =>
  expandedBytes(input, bytesOf(source) ?? 0) > bytesWorthThread

/** The batches of a source in order: the threads yield one batch each in turn. */
async function* parseInThreads(
  jobs: readonly Job[],
  limitMs: number,
): AsyncIterable<ValidatedBatch> {
  const threads: ParseThread[] = []
  try {
    for (const job of jobs) threads.push(startParsing(job, limitMs))
    for (;;) {
      for (const thread of threads) {
        const batch = await thread.next()
        if (batch === null) return
        yield batch
      }
    }
  } finally {
    await Promise.all(threads.map((thread) => thread.close()))
  }
}

/** A file that needs too much memory is its sender's problem, not one of this program. */
export const threadFailure = (name: string, error: unknown): unknown =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new SourceError(
        `${name} needs more than ${parseThreadOldMb} MiB of memory to be read: split it, or write it as CSV`,
      )
    : error

/** The whole time of a thread counts. */
const unused: NodeJS.CpuUsage = { user: 0, system: 0 }

interface ParseThread {
  /** The next batch; null after the last one. */
  next(): Promise<ValidatedBatch | null>
  close(): Promise<void>
}

const startParsing = (job: Job, limitMs: number): ParseThread => {
  const thread = startThread('ingest/parse-thread-main.ts', {
    workerData: job,
    resourceLimits: {
      maxYoungGenerationSizeMb: parseThreadYoungMb,
      maxOldGenerationSizeMb: parseThreadOldMb,
    },
  })
  const messages: ThreadMessage[] = []
  let failure: unknown
  let wake: () => void = () => undefined
  thread.on('message', (message: ThreadMessage) => {
    messages.push(message)
    wake()
  })
  const fail = (error: unknown) => {
    failure ??= threadFailure(job.source.name, error)
    wake()
  }
  thread.on('error', fail)
  thread.on('messageerror', fail)
  thread.on('exit', (code) => fail(new Error(`The parse thread exited with code ${code}.`)))
  return {
    next: async () => {
      while (messages.length === 0) {
        if (failure !== undefined) throw failure
        const woken = new Promise<void>((resolve) => {
          wake = resolve
        })
        await withinCpuTime(thread, limitMs, woken, unused).catch((error) => {
          throw namedError(job.source.name, error)
        })
      }
      const message = messages.shift() as ThreadMessage
      if ('sourceError' in message) throw new SourceError(message.sourceError)
      if ('done' in message) return null
      thread.postMessage('next')
      return message.batch
    },
    close: async () => {
      await thread.terminate()
    },
  }
}
