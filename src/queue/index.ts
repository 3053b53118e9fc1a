export {
  type Batch,
  type BatchRequest,
  type CollectionCounts,
  IdempotencyConflictError,
  QueueFullError,
} from './batch.ts'
export { type BatchQueue, openBatchQueue, type QueueLimits, type QueueParts } from './queue.ts'
