import { Worker } from 'node:worker_threads'
import { catalog as ownCatalog } from '#contract'
import { SourceRefused } from './row.ts'
import { type CheckedBatch, type Reading, readChecked } from './validate.ts'

/** What a thread is given to read; everything in it can be sent. */
export interface Order {
  readonly collection: string
  readonly source: Omit<Reading['source'], 'resource' | 'from'> & { readonly from: string }
  readonly owner: string
  readonly goodBefore: number
}

/** What a thread answers, one message after the other. */
export type Answer =
  | { readonly batch: CheckedBatch }
  | { readonly done: true }
  | { readonly refused: string }

/** Below this many bytes a thread takes longer to start than to do its work. */
const bytesWorthThread = 4_000_000

/** How many batches may wait to be stored before the thread waits too. */
export const batchesAhead = 4

/** Reads and checks a source, in a thread of its own where it is large: storing goes on meanwhile. */
export const readAside = (reading: Reading): AsyncIterable<CheckedBatch> => {
  const { source, catalog } = reading
  const isLarge = (source.bytes ?? 0) * (source.gzipped ? 8 : 1) > bytesWorthThread
  // A thread can be sent neither an open stream nor a catalog; it has the product's own.
  if (!isLarge || typeof source.from !== 'string' || catalog !== ownCatalog) {
    return readChecked(reading)
  }
  const { owner, goodBefore } = reading
  const { resource, ...rest } = source
  return readInThread({
    collection: resource.path,
    source: { ...rest, from: source.from },
    owner,
    goodBefore,
  })
}

async function* readInThread(order: Order): AsyncIterable<CheckedBatch> {
  const thread = new Worker(new URL('./parse-thread-main.ts', import.meta.url), {
    workerData: order,
    resourceLimits: { maxYoungGenerationSizeMb: 2 },
  })
  const waiting: Answer[] = []
  let failure: unknown
  let wake: () => void = () => undefined
  thread.on('message', (answer: Answer) => {
    waiting.push(answer)
    wake()
  })
  const fail = (error: unknown) => {
    failure ??= error
    wake()
  }
  thread.on('error', fail)
  thread.on('messageerror', fail)
  thread.on('exit', (code) => fail(new Error(`The reading thread ended with ${code}.`)))
  try {
    for (;;) {
      const answer = waiting.shift()
      if (answer === undefined) {
        if (failure !== undefined) throw failure
        await new Promise<void>((resolve) => {
          wake = resolve
        })
        continue
      }
      if ('refused' in answer) throw new SourceRefused(answer.refused)
      if ('done' in answer) return
      thread.postMessage('next')
      yield answer.batch
    }
  } finally {
    await thread.terminate()
  }
}
