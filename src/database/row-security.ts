import type { Query, Row } from './database.ts'

/**
 * Which rows of a table the role that serves requests may read: those of the owner that is named
 * and the shared ones, all, none, or those with one value in one column.
 */
export interface ReadableTable {
  readonly name: string
  readonly rows: 'owner' | 'all' | 'none' | { readonly column: string; readonly value: string }
}

/** What an engine needs so that it keeps brands apart by itself, beside the condition in every statement. */
export interface RowSecurity {
  /** Finds out what of it is there. */
  readonly inspect: (tables: readonly ReadableTable[]) => Query
  /** Reads what `inspect` has found. */
  readonly read: (row: Row) => RowSecurityState
  /** Creates what is missing, as far as the user has the right to; what it has not is passed over. */
  readonly repair: (tables: readonly ReadableTable[]) => readonly string[]
}

export interface RowSecurityState {
  /** What is missing and how to add it, in sentences; null when nothing is. */
  readonly problem: string | null
  /** Tables that lack something. */
  readonly incomplete: readonly string[]
  /** Whether the user has the right to add some of what is missing. */
  readonly canRepair: boolean
}
