export {
  type ColumnKind,
  type CommitListener,
  type Database,
  type Dialect,
  type IsCancelled,
  type LookupKind,
  literal,
  type Part,
  type Query,
  quote,
  type Results,
  type Row,
  type RowSlices,
  type Session,
  type SlicePart,
  type SortKind,
  type SqlValue,
  type Steps,
  tableLockMs,
} from './database.ts'
export {
  DatabaseBusyError,
  DatabaseError,
  type DatabaseFailure,
  DatabaseMissingError,
  DatabaseOutageError,
  DatabaseRefusedError,
  DatabaseUnreachableError,
  databaseFailureOf,
  QueryTimeoutError,
  ReadCancelledError,
  ReadLimitError,
  SnapshotLimitError,
} from './errors.ts'
export {
  type DatabaseHosts,
  type HostFact,
  type HostMemory,
  type HostState,
  outranks,
} from './hosts.ts'
export {
  checkDatabaseUrl,
  type InspectedDatabase,
  inspectDatabase,
  keyFileOf,
  openDatabase,
  openKeyDatabase,
  openQueueDatabase,
  sqliteFileOf,
  sqliteFilesOf,
} from './open.ts'
export { readAs } from './read-shares.ts'
export type { ReadableTable, RowSecurityState } from './row-security.ts'
export { together } from './together.ts'
