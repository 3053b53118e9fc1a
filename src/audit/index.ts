export { type AuditAction, auditActions } from './actions.ts'
export {
  type Audit,
  type AuditMemory,
  type AuditParts,
  formatHead,
  openAudit,
} from './audit.ts'
export {
  type ChainedEntry,
  type ChainHead,
  createChainTable,
  type EntryFilter,
} from './chain-table.ts'
export type {
  AuditActor,
  AuditDetails,
  AuditEntry,
  AuditOrigin,
  ReadEntry,
  RecordAudit,
} from './entry.ts'
export { createAuditOutbox, createAuditRecorder, outboxDdl, outboxName } from './outbox.ts'
export { type ChainProblem, type Verified, verifyChain } from './verify.ts'
