import type { Database, Dialect, Query, Session } from '#database'
import type { StoreTable } from './collection-stats.ts'
import type { Table } from './tables.ts'

/** The tables other than those of the collections. Their definitions are passed down to migrations. */
export interface StoreTables {
  readonly tables: readonly StoreTable[]
  readonly indexes: readonly { readonly name: string; readonly ddl: string }[]
  readonly searchIndex: SearchIndex
}

/** The search index, which migrations fill from the stored records. */
export interface SearchIndex {
  readonly searchTable: string
  /** The rules that the stored entries of each collection were built with. */
  readonly readEntrySources: (database: Database) => Promise<ReadonlyMap<string, string>>
  /** The rules of a newer version that this one does not know. */
  readonly entryAdditions: (
    sources: ReadonlyMap<string, string>,
    tables: ReadonlyMap<string, Table>,
  ) => readonly string[]
  /** The collections whose stored entries are missing or outdated. */
  readonly outdatedEntries: (
    sources: ReadonlyMap<string, string>,
    tables: ReadonlyMap<string, Table>,
  ) => readonly Table[]
  /** Rebuilds the entries of every stored record of a collection, for every owner. */
  readonly fillEntries: (
    session: Session,
    table: Table,
    dialect: Dialect,
    log: (sentence: string) => void,
  ) => Promise<void>
  /** Records that entries are stored, even if no collection has any. */
  readonly storeEntryRules: Query
}
