import { parentPort, workerData } from 'node:worker_threads'
import { catalog } from '#contract'
import { SourceError } from '#ingest'
import { lowerThreadPriority } from '#installation'
import { buffersOf } from './batch-buffers.ts'
import { type AskContext, DeferredError } from './batch-context.ts'
import { createMaps } from './maps.ts'
import { prepareBatch } from './prepare-batch.ts'
import type { PreparationMessage, PrepareJob, ThreadAnswer, ThreadData } from './preparer.ts'

const { mapsFolder } = workerData as ThreadData
const post = (message: PreparationMessage, transferred: ArrayBuffer[] = []) =>
  parentPort?.postMessage(message, transferred)

/** Ends the question of the batch. There is one batch at a time. */
let answered: (answer: ThreadAnswer) => void = () => undefined
const ask: AskContext = async (question) => {
  const answer = new Promise<ThreadAnswer>((resolve) => {
    answered = resolve
  })
  post({ question })
  const message = await answer
  if ('refusal' in message) throw new SourceError(message.refusal)
  if ('isDeferred' in message) throw new DeferredError()
  return message
}
const parts = { catalog, maps: createMaps(mapsFolder), ask }

lowerThreadPriority(10)

const prepare = async ({ importedAt, ...batch }: PrepareJob): Promise<void> => {
  const { buffer, byteOffset, byteLength } = batch.body
  const body = Buffer.from(buffer, byteOffset, byteLength)
  try {
    const prepared = await prepareBatch(parts, { ...batch, body }, importedAt)
    post({ prepared }, buffersOf([prepared]))
  } catch (error) {
    if (!(error instanceof DeferredError)) throw error
    post({ isDeferred: true })
  }
}

parentPort?.on('message', (message: PrepareJob | ThreadAnswer) =>
  'body' in message ? prepare(message) : answered(message),
)
