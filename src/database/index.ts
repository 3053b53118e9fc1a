export {
  type ColumnKind,
  type CommitListener,
  type Database,
  DatabaseBusyError,
  DatabaseError,
  DatabaseMissingError,
  DatabaseUnreachableError,
  type Dialect,
  type IsCancelled,
  type LookupKind,
  literal,
  type Part,
  type Query,
  QueryTimeoutError,
  quote,
  ReadCancelledError,
  ReadLimitError,
  type Results,
  type Row,
  type RowSlices,
  type Session,
  type SlicePart,
  SnapshotLimitError,
  type SortKind,
  type SqlValue,
  type Steps,
} from './database.ts'
export {
  type DatabaseHosts,
  type HostFact,
  type HostMemory,
  type HostState,
  outranks,
} from './hosts.ts'
export {
  checkDatabaseUrl,
  keyFileOf,
  openDatabase,
  openKeyDatabase,
  openQueueDatabase,
  sqliteFileOf,
} from './open.ts'
export { readAs } from './read-shares.ts'
export type { ReadableTable, RowSecurityState } from './row-security.ts'
export { together } from './together.ts'
