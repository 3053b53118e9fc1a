export { type DatabaseFailure, DatabaseRefusedError, databaseFailureOf, readAs } from '#database'
export type { BrandOverview, BrandOverviews } from './brand-overview.ts'
export type { CalendarRequest, OrderCalendar } from './document/calendar.ts'
export type { DocumentRequest, RecordDocument } from './document/document.ts'
export type { Picture } from './document/goods.ts'
export type { GridRequest, RecordGrids } from './document/grid.ts'
export type { Grid, GridLine } from './document/grid-matrix.ts'
export type { ScorecardsPage, ScorecardsRequest } from './document/scorecards.ts'
export { readChangedBrands } from './quality/changed-brands.ts'
export type { FoundRecord, StoredFinding, StoredQuality } from './quality/check-results.ts'
export {
  type DayChanged,
  type DayFigure,
  type DayFigures,
  type DaySeries,
  snapshotOf,
  type Unknown,
} from './query/day-figures.ts'
export type { DaySnapshot } from './query/day-snapshots.ts'
export type { Download } from './query/download.ts'
export type { PlainValue, Position, QueryPage, QueryRequest, Sort } from './query/request.ts'
export { figuresJson, groupJson } from './query/summary-json.ts'
export type { Figures, GroupOrder, Summary, SummaryRequest } from './query/summary-request.ts'
export type { TodayRequest } from './query/today.ts'
export type { TrendDay, TrendRequest } from './query/trend.ts'
export { type Body, decodeBody } from './read/body.ts'
export type { BrandProfile } from './read/brand-profile.ts'
export type { BrandSummary, CollectionCount, ListedBrand } from './read/brands.ts'
export {
  type ChangeTracker,
  dependencyOf,
  type ReadState,
  readSince,
} from './read/change-tracker.ts'
export {
  afterNumber,
  type Change,
  type ChangesPage,
  type Feed,
  type FeedPosition,
  feedStart,
} from './read/feed.ts'
export type { GetRequest } from './read/get.ts'
export type { ListRequest, Page, Reserve } from './read/list.ts'
export type {
  MissingParts,
  QuarantineCount,
  QuarantinedRow,
  QuarantinedSummary,
  QuarantinePosition,
  QuarantineProblem,
  ReceivedRow,
} from './read/quarantined-rows.ts'
export {
  type CountedDatabase,
  countRecords,
  type RecordCounts,
  readTotals,
} from './read/record-counts.ts'
export type { RecordBody } from './read/record-reader.ts'
export type { SnapshotReader } from './read/snapshot.ts'
export type { State, StateRequest } from './read/state.ts'
export type { FieldValues } from './schema/field-values.ts'
export { type History, recordRestore } from './schema/history.ts'
export { readText } from './schema/identifier.ts'
export { MigrationError } from './schema/migration-error.ts'
export { OwnerConflictError, ownerNumber, sharedNumber, sharedOwner } from './schema/owners.ts'
export type { StoredRecord } from './schema/record-body.ts'
export { NewerDatabaseError } from './schema/schema-version.ts'
export { type Key, kindOf, sortColumnName, tableNamesOf } from './schema/tables.ts'
export type { SearchResult, SearchResults } from './search/search.ts'
export { hasProcessEnded, processName } from './sources/holder.ts'
export {
  type SourceChange,
  type SourceKind,
  type SourceName,
  type SourceState,
  type SourceStates,
  watchedPlaces,
} from './sources/source-states.ts'
export {
  createStore,
  findAdditions,
  isCancelledRead,
  isDatabaseError,
  isReadLimit,
  isSnapshotLimit,
  type Store,
} from './store.ts'
export type { CorrectedRow } from './write/corrected-rows.ts'
export {
  type HeldRow,
  type HeldSource,
  QuarantineFullError,
  type RowDescription,
} from './write/held-rows.ts'
export { freshnessQuery, parseFreshness } from './write/import-log.ts'
export type { Merged } from './write/merge.ts'
export type { MergeChange } from './write/merge-changes.ts'
export type { PlacedRow } from './write/placed-rows.ts'
export { releasedSource, retriedSource } from './write/quarantine.ts'
export {
  type QuarantineReason,
  quarantineBytesMax,
  quarantineDays,
  quarantineMax,
} from './write/quarantine-table.ts'
export type { ReceivedCells, YieldedRows } from './write/received-rows.ts'
export { TooManyRefusedError } from './write/refused-rows.ts'
export type { RejectedRow } from './write/rejected-rows.ts'
export type { ReleasedCode } from './write/released-codes.ts'
export type { RemovedRows } from './write/remove-brand.ts'
export type { Orphans } from './write/removed-records.ts'
export type { BrokenCode, BrokenKey } from './write/row-checks.ts'
export type { RowDigest, RowDigester } from './write/row-digest.ts'
export { rowFormatOf } from './write/row-format.ts'
export type { CanonicalRecords, Pack, RowBatch, StagedRows } from './write/staging.ts'
export { countChanges, type WrittenUnit } from './write/write-entries.ts'
export type { WriteGroup } from './write/write-group.ts'
export type { RejectOptions, Writer } from './write/writer.ts'
