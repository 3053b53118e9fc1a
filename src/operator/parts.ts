import type { Audit } from '#audit'
import type { Database } from '#database'
import type { Units } from '#intake'
import type { Keys, Links } from '#keys'
import type { Store } from '#store'

/** What the functions of an operator work on: an opened installation, the clock and chance. */
export interface OperatorParts {
  /** The database of the records, and that of the keys. */
  readonly database: Database
  readonly keyDatabase: Database
  readonly store: Store
  readonly keys: Keys
  readonly links: Links
  /** The database's secret. */
  readonly secret: string
  readonly audit: Audit
  /** The address of the database. */
  readonly databaseUrl: string
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
}

/** Runs work with the units of intake. */
export type WithUnits = <T>(work: (units: Units) => Promise<T>) => Promise<T>
