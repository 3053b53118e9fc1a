export type { PlainValue, Position, QueryRequest, Sort } from './query/request.ts'
export { figuresJson, groupJson } from './query/summary-json.ts'
export type { Summary, SummaryRequest } from './query/summary-request.ts'
export type { DayFigures, TodayFigure, TodayRequest } from './query/today.ts'
export { type Body, decodeBody } from './read/body.ts'
export type { BrandProfile } from './read/brand-profile.ts'
export type { BrandSummary } from './read/brands.ts'
export { type ChangeTracker, dependencyOf, type ReadState } from './read/change-tracker.ts'
export {
  type Change,
  type ChangesPage,
  type Feed,
  type FeedPosition,
  feedStart,
} from './read/feed.ts'
export type { GetRequest } from './read/get.ts'
export type { Key, ListRequest, Reserve } from './read/list.ts'
export type { Page } from './read/page.ts'
export type { RecordBody } from './read/record-reader.ts'
export type { SnapshotReader } from './read/snapshot.ts'
export type { State, StateRequest } from './read/state.ts'
export { readText } from './schema/identifier.ts'
export { MigrationError } from './schema/migration-error.ts'
export { OwnerConflictError, ownerNumber, sharedNumber, sharedOwner } from './schema/owners.ts'
export { NewerDatabaseError } from './schema/schema-version.ts'
export { kindOf } from './schema/tables.ts'
export { createStore, isCancelledRead, isDatabaseError, type Store } from './store.ts'
export type { Merged } from './write/merge.ts'
export type { StoredRecord } from './write/record-body.ts'
export type { RejectedRow } from './write/rejected-rows.ts'
export type { RowDigest, RowDigester } from './write/row-digest.ts'
export { rowFormatOf } from './write/row-format.ts'
export type { CanonicalRecords, Pack, RowBatch, StagedRows } from './write/staging.ts'
export type { Orphans, Writer } from './write/write.ts'
