export {
  type CommitListener,
  type Database,
  DatabaseBusyError,
  DatabaseError,
  DatabaseMissingError,
  DatabaseUnreachableError,
  type Dialect,
  type IsCancelled,
  literal,
  type Query,
  QueryTimeoutError,
  quote,
  ReadCancelledError,
  type Results,
  type Row,
  type RowSlices,
  type Session,
  type SqlValue,
  type Steps,
} from './database.ts'
export { checkDatabaseUrl, keyFileOf, openDatabase, openKeyDatabase } from './open.ts'
export type { ReadableTable, RowSecurityState } from './row-security.ts'
