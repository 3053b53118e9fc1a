import { parentPort, workerData } from 'node:worker_threads'
import { catalog } from '#contract'
import { lowerThreadPriority } from '#installation'
import { buffersOf } from './batch-buffers.ts'
import { createMaps } from './maps.ts'
import { prepareBatch } from './prepare-batch.ts'
import type { PrepareJob, ThreadData } from './preparer.ts'

const { mapsFolder } = workerData as ThreadData
const parts = { catalog, maps: createMaps(mapsFolder) }

lowerThreadPriority(10)

parentPort?.on('message', async ({ importedAt, ...batch }: PrepareJob) => {
  const { buffer, byteOffset, byteLength } = batch.body
  const body = Buffer.from(buffer, byteOffset, byteLength)
  const prepared = await prepareBatch(parts, { ...batch, body }, importedAt)
  parentPort?.postMessage(prepared, buffersOf([prepared]))
})
