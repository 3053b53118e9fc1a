import type { Database, Dialect, Query, Session } from '#database'
import type { StoreTable } from './collection-stats.ts'
import type { Table } from './tables.ts'

/** The tables beside those of the collections. Their definitions are passed down to migrations. */
export interface StoreTables {
  readonly tables: readonly StoreTable[]
  readonly indexes: readonly { readonly name: string; readonly ddl: string }[]
  readonly searchIndex: SearchIndex
}

/** The search index, which migrations fill from the stored records. */
export interface SearchIndex {
  readonly searchTable: string
  /** What the stored entries of each collection were made of. */
  readonly readEntrySources: (database: Database) => Promise<ReadonlyMap<string, string>>
  /** What a newer version finds records by, and this one does not. */
  readonly entryAdditions: (
    sources: ReadonlyMap<string, string>,
    tables: ReadonlyMap<string, Table>,
  ) => readonly string[]
  /** The collections whose stored entries are missing, or were made of something else. */
  readonly outdatedEntries: (
    sources: ReadonlyMap<string, string>,
    tables: ReadonlyMap<string, Table>,
  ) => readonly Table[]
  /** Makes the entries of every stored record of a collection again, of every owner. */
  readonly fillEntries: (
    session: Session,
    table: Table,
    dialect: Dialect,
    log: (sentence: string) => void,
  ) => Promise<void>
  /** Says that entries are stored, also where no collection has any. */
  readonly storeEntryRules: Query
}
