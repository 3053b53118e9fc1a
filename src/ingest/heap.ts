import { setFlagsFromString } from 'node:v8'

/** The young generation of a parse thread: three times the space that `limitHeap` gives it. */
export const parseThreadYoungMb = 24

/**
 * Sets how the heap of a process that imports grows. What the main thread allocates is garbage after its
 * batch, and a growing heap would only use memory. A parse thread allocates much for each row; with the
 * usual space, it would copy the rows of a batch several times before they are done.
 */
export const limitHeap = (): void =>
  setFlagsFromString(
    '--semi-space-growth-factor=1 --min-semi-space-size=8 --heap-growing-percent=20',
  )
