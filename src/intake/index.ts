export {
  type Batch,
  type BatchRequest,
  type CollectionCounts,
  IdempotencyConflictError,
  type PackedBody,
  QueueFullError,
} from './batch.ts'
export { type BodyPacker, openBodyPacker } from './body.ts'
export { type BatchQueue, openBatchQueue, type QueueLimits, type QueueParts } from './queue.ts'
