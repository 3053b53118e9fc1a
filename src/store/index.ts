export { type Change, type ChangesPage, type Feed, type FeedPosition, feedStart } from './feed.ts'
export { NewerDatabase } from './generation.ts'
export type { GetRequest } from './get.ts'
export { countedMax } from './ledger.ts'
export type { Key, ListRequest, Reserve } from './list.ts'
export type { Merged } from './merge.ts'
export { MigrationRefused } from './migrate.ts'
export { type AsOf, type News, subjectOf } from './news.ts'
export { type Notes, type Noting, openNoting } from './notes.ts'
export type { Page, State, StateRequest } from './page.ts'
export {
  type Flaw,
  type Pack,
  type PackedRows,
  packedFieldsOf,
  packerOf,
  type ReadyRecords,
  type StagedRows,
  type StoredRecord,
} from './staging.ts'
export {
  type BrandStanding,
  type Found,
  isUnavailable,
  openStore,
  type Store,
  type Walker,
} from './store.ts'
export { sharedOwner } from './tables.ts'
export type { Orphans, Writer } from './write.ts'
