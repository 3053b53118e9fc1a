import type { PreparedBatch } from './prepare-batch.ts'

/**
 * The buffers of prepared batches that a message can transfer to another thread: each once, and none
 * that something else may use. The body is one of them.
 */
export const buffersOf = (prepared: readonly (PreparedBatch | null)[]): ArrayBuffer[] => {
  const buffers = new Set<ArrayBuffer>()
  for (const batch of prepared) {
    for (const { canonical, digest } of batch?.sources.flatMap((each) => each.validated) ?? []) {
      const views = canonical ? [canonical.bytes, canonical.offsets] : []
      for (const each of [digest.hashes, ...views]) if (ownsBuffer(each)) buffers.add(each.buffer)
    }
  }
  return [...buffers]
}

/** Whether a view has a buffer to itself. */
export const ownsBuffer = (
  view: ArrayBufferView,
): view is ArrayBufferView & { readonly buffer: ArrayBuffer } =>
  view.buffer instanceof ArrayBuffer && view.buffer.byteLength === view.byteLength
