import type { BatchQueue, QueueParts } from './queue.ts'

/**
 * Opens the queue of a database, and continues with what waits in it. Loaded on demand: commands and
 * the public server read units, and need no parsers.
 */
export const openBatchQueue = async (parts: QueueParts): Promise<BatchQueue> =>
  (await import('./queue.ts')).openBatchQueue(parts)
