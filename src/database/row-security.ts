import type { Query, Row } from './database.ts'

/**
 * The rows of a table that the serving role may read: those of the named owner and shared ones,
 * all, none, or those with one value in one column.
 */
export interface ReadableTable {
  readonly name: string
  readonly rows: 'owner' | 'all' | 'none' | { readonly column: string; readonly value: string }
}

/** The engine's row-level security, in addition to the brand condition in every statement. */
export interface RowSecurity {
  /** A query for the current state. */
  readonly inspect: (tables: readonly ReadableTable[]) => Query
  /** Parses the result of `inspect`. */
  readonly read: (row: Row) => RowSecurityState
  /** Creates what is missing, as far as the user's rights allow, and skips the rest. */
  readonly repair: (tables: readonly ReadableTable[]) => readonly string[]
}

export interface RowSecurityState {
  /** The missing parts and how to add them, in sentences; null if nothing is missing. */
  readonly problem: string | null
  /** Tables that lack something. */
  readonly incomplete: readonly string[]
  /** Whether the user may add some of the missing parts. */
  readonly canRepair: boolean
}
