import { Worker } from 'node:worker_threads'
import { catalog as ownCatalog } from '#contract'
import { SourceError } from './row.ts'
import { type ValidatedBatch, type ValidateOptions, validateSource } from './validate.ts'

/** What a parse thread reads. Everything in it can be sent to a thread. */
export interface Job {
  readonly collection: string
  readonly source: Omit<ValidateOptions['source'], 'resource' | 'from'> & { readonly from: string }
  readonly owner: string
  readonly validBefore: number
}

/** What a parse thread posts, one message after the other. */
export type ThreadMessage =
  | { readonly batch: ValidatedBatch }
  | { readonly done: true }
  | { readonly sourceError: string }

/** Below this many bytes a thread takes longer to start than to do its work. */
const bytesWorthThread = 4_000_000

/** How many batches may wait to be stored before the thread waits too. */
export const batchesAhead = 4

/** Parses and validates a source; a large one in a thread, while this one stores its batches. */
export const parseSource = (options: ValidateOptions): AsyncIterable<ValidatedBatch> => {
  const { source, catalog } = options
  const isLarge = (source.bytes ?? 0) * (source.gzipped ? 8 : 1) > bytesWorthThread
  // A thread can be sent neither an open stream nor a catalog; it imports the product's own.
  if (!isLarge || typeof source.from !== 'string' || catalog !== ownCatalog) {
    return validateSource(options)
  }
  const { owner, validBefore } = options
  const { resource, ...rest } = source
  return parseInThread({
    collection: resource.path,
    source: { ...rest, from: source.from },
    owner,
    validBefore,
  })
}

async function* parseInThread(job: Job): AsyncIterable<ValidatedBatch> {
  const thread = new Worker(new URL('./parse-thread-main.ts', import.meta.url), {
    workerData: job,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  const messages: ThreadMessage[] = []
  let failure: unknown
  let wake: () => void = () => undefined
  thread.on('message', (message: ThreadMessage) => {
    messages.push(message)
    wake()
  })
  const fail = (error: unknown) => {
    failure ??= error
    wake()
  }
  thread.on('error', fail)
  thread.on('messageerror', fail)
  thread.on('exit', (code) => fail(new Error(`The parse thread exited with code ${code}.`)))
  try {
    for (;;) {
      const message = messages.shift()
      if (message === undefined) {
        if (failure !== undefined) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      if ('sourceError' in message) throw new SourceError(message.sourceError)
      if ('done' in message) return
      thread.postMessage('next')
      yield message.batch
    }
  } finally {
    await thread.terminate()
  }
}
