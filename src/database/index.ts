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
  type OpenOptions,
  openDatabase,
  openKeyDatabase,
  openPostgresState,
  openQueueDatabase,
  replacedFilesOf,
  restoredFileOf,
  sqliteFileOf,
  sqliteFilesOf,
} from './open.ts'
export type { PostgresServer, PostgresState } from './postgres/table-copy.ts'
export type { TypedTable } from './postgres/tables.ts'
export { databaseIn, typedTables } from './postgres/transaction.ts'
export { readAs } from './read-shares.ts'
export type { ReadableTable, RowSecurityState } from './row-security.ts'
export {
  findSqliteDamage,
  openSqliteState,
  type SqliteState,
} from './sqlite/online-backup.ts'
export { lockSqliteFiles, replaceFiles } from './sqlite/replace-files.ts'
export { openSqliteTables, type SqliteTables } from './sqlite/table-rows.ts'
export { together } from './together.ts'
