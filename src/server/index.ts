export type { PreparedAdmin } from './admin-service.ts'
export { followWithChecks, openBackgroundChecks, uncheckedRules } from './background-checks.ts'
export { type BackupRecord, withBackupRecord } from './backup-record.ts'
export type { CheckSchedule } from './check-schedule.ts'
export { checkConfig, type Finding } from './config-check.ts'
export { createAllTables } from './create-tables.ts'
export type { PreparedIngest } from './ingest-service.ts'
export { type MetricsServer, openMetricsServer, urlAt } from './metrics-server.ts'
export {
  downloadSlotLimits,
  type OnUnreachable,
  openServiceImages,
  openServiceLog,
  prepareService,
  readServiceConfig,
  type Service,
  type ServiceOptions,
  whenReachable,
} from './service.ts'
export {
  auditOrigin,
  forgetAuditHead,
  openQueueOutbox,
  recordStart,
  systemUser,
} from './service-audit.ts'
export { openServiceDatabase, timelinesOf } from './service-database.ts'
export {
  type OnConverting,
  openRecords,
  openRecordsToServe,
  type Records,
  type RecordsLog,
  RowSecurityRefused,
  recordsLogOf,
} from './service-records.ts'
export { createStartupListener, logUnreachable } from './waiting.ts'
export { limitYoungGeneration } from './young-generation.ts'

/** Loads the modules that only the ingest process needs. */
export const loadIngestService = async () => (await import('./ingest-service.ts')).prepareIngest

/** Loads the modules that only the process of the operator page needs. */
export const loadAdminService = async () => (await import('./admin-service.ts')).prepareAdmin
