export type { GetRequest } from './get.ts'
export { countedMax } from './ledger.ts'
export type { Key, ListRequest } from './list.ts'
export { MigrationRefused } from './migrate.ts'
export {
  type BrandStanding,
  type Found,
  isUnavailable,
  openStore,
  type Page,
  type Store,
  type VersionRequest,
} from './store.ts'
export { ownerOf, sharedOwner } from './tables.ts'
export type { Merged, StoredRecord, Writer } from './write.ts'
