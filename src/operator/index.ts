import type {
  OperatorBrands,
  OperatorBrandUpdated,
  OperatorChecks,
  OperatorHealth,
  OperatorStorage,
} from '#contract'
import type { IngestResult } from '#ingest'
import type { Store } from '#store'
import type { ChecksUpdate } from './brand-checks.ts'
import type { ImportCheck } from './check-import.ts'
import type { Corrections } from './corrections.ts'
import type { HealthParts } from './health.ts'
import type { FileImport, ImportParts } from './import-files.ts'
import type { OperatorParts } from './parts.ts'
import type { RowsRequest } from './rows.ts'
import type { Trial, TrialRequest } from './trial.ts'

export { type AuditRequest, auditFilter, listAudit, readHead, verifyAudit } from './audit.ts'
export { brandRecord, hasBrandRecord, requireBrand, requireSlug } from './brand.ts'
export { readRemoval, removeBrand } from './brand-removal.ts'
export { addBrand } from './brands.ts'
export type { ImportCheck } from './check-import.ts'
export type { CorrectionFile, Corrections, Remedy } from './corrections.ts'
export { OperatorError, type OperatorErrorKind } from './error.ts'
export { listFeedReaders } from './feed-readers.ts'
export type { HealthParts } from './health.ts'
export type { StoredFile, UploadImport, WithStore } from './import-upload.ts'
export { listImports, readImport } from './imports.ts'
export { scopeOf } from './key-limits.ts'
export { describeFinding, reviewedDays } from './key-review.ts'
export {
  describeKeys,
  issueKey,
  type KeyReview,
  keyState,
  listKeys,
  reviewKeys,
  revokeKey,
  rotateKey,
  type ShownKey,
  updateKey,
} from './keys.ts'
export { issueLink, type LinkRequest, type ListedLink, listLinks, removeLink } from './links.ts'
export { readDuration } from './moments.ts'
export type { OperatorParts, WithUnits } from './parts.ts'
export { readRowCells } from './row-cells.ts'
export { discardRows, listRows, type RowsRequest, readRowsRequest } from './rows.ts'
export { listSources } from './sources.ts'
export type { BrokenRule, Trial, TrialRequest, TriedRules, TriedSource } from './trial.ts'
export { describeUnit, discardUnit, listUnits, requireUnit, retryUnit } from './units.ts'
export {
  describeUsage,
  keyNamesOf,
  readUsage,
  type UsageReport,
  type UsageRequest,
} from './usage.ts'
export { addView, listViews, removeView } from './views.ts'

/** See `brand-checks.ts`, which loads the business rules. */
export const updateChecks = async (
  parts: Pick<OperatorParts, 'store' | 'database' | 'now'>,
  update: ChecksUpdate,
): Promise<OperatorBrandUpdated> => (await import('./brand-checks.ts')).updateChecks(parts, update)

/** See `corrections.ts`, which loads the formats of files. */
export const readCorrections = async (
  store: Pick<Store, 'quarantine'>,
  request: RowsRequest,
): Promise<Corrections> => (await import('./corrections.ts')).readCorrections(store, request)

/** See `findings.ts`, which loads the business rules. */
export const readFindings = async (
  parts: Pick<OperatorParts, 'store'>,
  brand: string,
): Promise<OperatorChecks> => (await import('./findings.ts')).readFindings(parts, brand)

/** See `brand-list.ts`, which loads the business rules. */
export const listBrands = async (
  parts: Pick<OperatorParts, 'store' | 'database' | 'databaseUrl'>,
  cursor?: string,
): Promise<OperatorBrands> => (await import('./brand-list.ts')).listBrands(parts, cursor)

/** See `storage.ts`, which loads the module of backups. */
export const readStorage = async (
  parts: Pick<OperatorParts, 'database' | 'databaseUrl' | 'keyDatabase' | 'now'>,
): Promise<OperatorStorage> => (await import('./storage.ts')).readStorage(parts)

/** See `health.ts`, which loads the clients of Redis and of image storage. */
export const readHealth = async (parts: HealthParts): Promise<OperatorHealth> =>
  (await import('./health.ts')).readHealth(parts)

/** See `check-import.ts`, which loads the business rules. */
export const checkImport = async (
  parts: Pick<OperatorParts, 'store' | 'database' | 'now'>,
  brand: string,
  isOver?: () => boolean,
): Promise<ImportCheck> => (await import('./check-import.ts')).checkImport(parts, brand, isOver)

/** See `import-files.ts`, which loads the readers of files. */
export const importFiles = async (parts: ImportParts, wanted: FileImport): Promise<IngestResult> =>
  (await import('./import-files.ts')).importFiles(parts, wanted)

/** Loads what only uploads of the operator page need. */
export const loadUploads = async () => import('./import-upload.ts')

/** See `trial.ts`, which loads the business rules. */
export const tryImport = async (
  parts: Pick<OperatorParts, 'store' | 'database' | 'now'>,
  request: TrialRequest,
): Promise<Trial> => (await import('./trial.ts')).tryImport(parts, request)
