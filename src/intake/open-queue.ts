import type { GroupApplier, GroupApplierParts } from './apply-group.ts'
import type { BatchQueue, QueueParts } from './queue.ts'

/**
 * Opens the queue of a database, and continues with what waits in it. Loaded on demand: commands and
 * the public server read units, and need no parsers.
 */
export const openBatchQueue = async (parts: QueueParts): Promise<BatchQueue> =>
  (await import('./queue.ts')).openBatchQueue(parts)

/** Applies batches in the thread that calls it. Loaded on demand too. */
export const openGroupApplier = async (parts: GroupApplierParts): Promise<GroupApplier> =>
  (await import('./apply-group.ts')).createGroupApplier(parts)
