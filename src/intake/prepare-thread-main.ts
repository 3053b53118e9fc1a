import { parentPort, workerData } from 'node:worker_threads'
import { catalog } from '#contract'
import { lowerThreadPriority } from '#installation'
import { createMaps } from './maps.ts'
import { type PostedBatch, postBatch, prepareBatch } from './prepare-batch.ts'
import type { PrepareJob, ThreadData } from './preparer.ts'

const { mapsFolder } = workerData as ThreadData
const parts = { catalog, maps: createMaps(mapsFolder) }

lowerThreadPriority(10)

parentPort?.on('message', async ({ importedAt, ...batch }: PrepareJob) => {
  const body = Buffer.from(batch.body.buffer)
  const prepared = await prepareBatch(parts, { ...batch, body }, importedAt)
  const [message, buffers]: readonly [PostedBatch, ArrayBuffer[]] = postBatch(prepared, body)
  parentPort?.postMessage(message, buffers)
})
