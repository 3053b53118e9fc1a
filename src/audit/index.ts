export { type AuditAction, auditActions } from './actions.ts'
export {
  type Audit,
  type AuditMemory,
  type AuditParts,
  formatHead,
  openAudit,
} from './audit.ts'
export type { ChainedEntry, ChainHead, EntryFilter } from './chain-table.ts'
export type {
  AuditActor,
  AuditDetails,
  AuditEntry,
  AuditOrigin,
  ReadEntry,
  RecordAudit,
} from './entry.ts'
export { createAuditOutbox, createAuditRecorder, outboxDdl, outboxName } from './outbox.ts'
export type { ChainProblem, Verified } from './verify.ts'
