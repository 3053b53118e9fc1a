import { setFlagsFromString } from 'node:v8'
import { memoryLimit } from '#installation'

/** Young generation of a parse thread: three times the semi-space that `limitHeap` sets. */
export const parseThreadYoungMb = 24

const mebibyte = 1_048_576

/**
 * Old generation of a parse thread: 2 GiB, or half of the memory that the container has. A file that
 * needs more is rejected, instead of ending the process.
 */
export const parseThreadOldMb = Math.min(2_048, Math.floor(memoryLimit() / 2 / mebibyte))

/**
 * Tunes the heap growth of an importing process. The main thread's allocations are garbage after
 * each batch, so a growing heap would only use memory. A parse thread allocates heavily for each
 * row; with the default size, it would copy a batch's rows several times before they are done.
 */
export const limitHeap = (): void =>
  setFlagsFromString(
    '--semi-space-growth-factor=1 --min-semi-space-size=8 --heap-growing-percent=20',
  )
