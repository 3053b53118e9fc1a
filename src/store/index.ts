export { type AsOf, type News, subjectOf } from './read/change-tracker.ts'
export {
  type Change,
  type ChangesPage,
  type Feed,
  type FeedPosition,
  feedStart,
} from './read/feed.ts'
export type { GetRequest } from './read/get.ts'
export type { Key, ListRequest, Reserve } from './read/list.ts'
export type { Page, State, StateRequest } from './read/page.ts'
export { countedMax } from './schema/collection-stats.ts'
export { MigrationRefused } from './schema/migrate.ts'
export { NewerDatabase } from './schema/schema-version.ts'
export { sharedOwner } from './schema/tables.ts'
export {
  type BrandStanding,
  type Found,
  isUnavailable,
  openStore,
  type Store,
  type Walker,
} from './store.ts'
export type { Merged } from './write/merge.ts'
export { type Notes, type Noting, openNoting } from './write/row-digest.ts'
export {
  type Flaw,
  type Pack,
  type PackedRows,
  packedFieldsOf,
  packerOf,
  type ReadyRecords,
  type StagedRows,
  type StoredRecord,
} from './write/staging.ts'
export type { Orphans, Writer } from './write/write.ts'
