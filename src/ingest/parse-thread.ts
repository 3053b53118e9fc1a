import { catalog as ownCatalog } from '#contract'
import { startThread } from '#installation'
import { parseThreadYoungMb } from './heap.ts'
import type { FileInput } from './input.ts'
import { SourceError } from './row.ts'
import type { Source } from './source.ts'
import { type ValidatedBatch, type ValidateOptions, validateSource } from './validate.ts'

/** What a parse thread reads. Everything in it can be sent to a thread. */
export interface Job {
  readonly collection: string
  readonly source: Omit<Source, 'resource' | 'input'> & { readonly input: FileInput }
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
  const { resource, input, ...rest } = source
  // A thread can be sent neither an open stream nor a catalog; it imports the product's own.
  if (input.kind !== 'file' || !isLarge(source, input) || catalog !== ownCatalog) {
    return validateSource(options)
  }
  const { owner, validBefore } = options
  return parseInThread({
    collection: resource.path,
    source: { ...rest, input },
    owner,
    validBefore,
  })
}

const isLarge = ({ bytes }: Source, { gzipped, format }: FileInput): boolean => {
  const isCompressed = gzipped || format === 'xlsx' || format === 'parquet'
  return (bytes ?? 0) * (isCompressed ? 8 : 1) > bytesWorthThread
}

async function* parseInThread(job: Job): AsyncIterable<ValidatedBatch> {
  const thread = startThread('ingest/parse-thread-main.ts', {
    workerData: job,
    resourceLimits: { maxYoungGenerationSizeMb: parseThreadYoungMb },
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
