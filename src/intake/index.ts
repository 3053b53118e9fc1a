export type { ApplyEvents, FinishedBatch, GroupApplier, PreparedGroup } from './apply-group.ts'
export {
  type Batch,
  type BatchRequest,
  type CollectionCounts,
  IdempotencyConflictError,
  type PackedBody,
  QueueFullError,
  type UnitResult,
} from './batch.ts'
export { buffersOf } from './batch-buffers.ts'
export { type BodyPacker, openBodyPacker } from './body.ts'
export { type HeldLease, openHeldLease } from './held-lease.ts'
export { openBatchQueue, openGroupApplier } from './open-queue.ts'
export { rowView, shortNames, sourcesView, unitsView } from './public-view.ts'
export type { BatchQueue, QueueLimits, QueueParts } from './queue.ts'
export {
  type EndedUnit,
  type IntakeSource,
  openSourceReader,
  type SourceReader,
} from './source-reader.ts'
export {
  attemptsMax,
  backoffMs,
  errorText,
  type Fault,
  faultOf,
  faultOutside,
  onceFailuresMax,
  type Unit,
  type UnitKind,
  type UnitState,
  unitStates,
} from './unit.ts'
export { type KeptResult, unitResult } from './unit-result.ts'
export { createUnitTables, forgetClaims } from './unit-table.ts'
export { openUnits, type Units, type UnitsParts, writeUnit } from './units.ts'
