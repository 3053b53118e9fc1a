import type { CollectionMapping } from '#mapping'
import type { SourceName, Store, Writer } from '#store'
import type { CpuLimit } from './cpu-limit.ts'
import type { OnError } from './held-rows.ts'
import type { ChangeCollector } from './record-changes.ts'
import type { Referenced } from './referenced-removals.ts'
import type { Report, RowProblem } from './report.ts'
import type { Source } from './source.ts'

export interface IngestOptions {
  readonly store: Store
  readonly sources: readonly Source[]
  /** A brand's slug, or `sharedOwner`. */
  readonly owner: string
  /** Remove stored records of these collections that are not in the sources. */
  readonly replace: boolean
  /** Allow a replacement to remove more than half of a collection. */
  readonly allowRemovals: boolean
  /** Validate and report only. */
  readonly dryRun: boolean
  /** Report dangling references as warnings: all of them, or those to some collections. */
  readonly allowDangling: boolean | ReadonlySet<string>
  /** What becomes of rows that cannot be stored; `refuse` by default. */
  readonly onError?: OnError
  /** The share of bad rows that refuses the import nevertheless, in percent; 5 by default. */
  readonly badRowsPercentMax?: number | undefined
  /** The source of the rows, for those that are put in quarantine; null for a command. */
  readonly source?: SourceName | null
  /**
   * Whether the sender may read records; true by default. Otherwise problems have no names of stored
   * records, and nothing of other brands.
   */
  readonly mayRead?: boolean
  /**
   * The mappings of the source, of all collections. Quarantined rows that another mapping has refused
   * are tried again.
   */
  readonly mappings?: readonly CollectionMapping[] | undefined
  /** Leave out records that changed after this number of a change, and warn of them; null for none. */
  readonly supersededAfter?: number | null
  readonly report: Report
  /** Called with the warnings of rows that were in quarantine before. Without it, the report has them. */
  readonly onReleasedProblem?: (problem: RowProblem) => void
  /** Called with the line of each row that is put in quarantine. */
  readonly onQuarantined?: ((line: number) => void) | undefined
  /** Receives the changes. None, if the import is refused. */
  readonly changes?: ChangeCollector | undefined
  /**
   * Leave out removals of records that stored ones refer to, and warn of them. The source has to send
   * them again.
   */
  readonly holdsRemovals?: boolean
  /** The transaction to write in, instead of a new one. */
  readonly write?: Store['write']
  readonly onProgress?: (progress: Progress) => void
  /** For each source; the common limit by default. */
  readonly cpuMs?: CpuLimit | undefined
  /** Writes further data in the records' transaction. Not called if nothing is written. */
  readonly beforeCommit?: (
    writer: Writer,
    collections: readonly CollectionResult[],
  ) => Promise<void>
  /**
   * Further work of a dry run, after the records were merged and before all is rolled back. If the
   * import is refused, the bad rows are missing.
   */
  readonly beforeRollback?: ((writer: Writer, isRefused: boolean) => Promise<void>) | undefined
  /** Receives how many rows of a source become no record of their own, and why. */
  readonly onUnstored?: ((source: Source, why: Unstored, rows: number) => void) | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
}

/** Why a row of a source does not become a record of its own: `keep` leaves out some rows. */
export type Unstored = 'removal' | 'refused' | 'repeated' | 'leftOut'

/** The amount of a source that has been read. */
export interface Progress {
  readonly source: Source
  readonly bytes: number
  readonly rows: number
  readonly done: boolean
}

/** The effect of an import on one collection. */
export interface CollectionResult {
  readonly collection: string
  /** The owner's records before the import. */
  readonly stored: number
  readonly read: number
  readonly added: number
  readonly changed: number
  readonly unchanged: number
  readonly removed: number
  /** Rows of the sources that wait for a record. */
  readonly parked: number
  /** Rows that waited and that this import stored. */
  readonly unparked: number
  readonly refused: number
  /** Those of the refused rows that are in quarantine. */
  readonly quarantined: number
  readonly seconds: number
  /**
   * A replacement that removed nothing, because rejected rows may be the same records, or because
   * others are newer.
   */
  readonly keptMissing: boolean
  /** A replacement that was rejected, because it would remove more than half of the records. */
  readonly removesTooMany: boolean
  /** Removals that were left out because stored records refer to the records. */
  readonly heldRemovals: number
  /** Rows that were left out because newer ones are stored or in quarantine. */
  readonly superseded: number
}

export interface IngestResult {
  readonly collections: readonly CollectionResult[]
  /** Rows that are in quarantine after the import, including earlier ones. */
  readonly waiting: readonly WaitingRows[]
  /** Whether the import was committed. */
  readonly written: boolean
  /** The number of the write; null if nothing was committed, or if its transaction is still open. */
  readonly change: number | null
  /** Whether problems prevent the import; in a dry run, whether they would. */
  readonly refused: boolean
}

/** The number of rows of a collection that wait for records they refer to. */
export interface WaitingRows {
  readonly collection: string
  readonly rows: number
}

export interface RepeatedOptions extends IngestOptions {
  /** Records that stay, whatever the sources say. */
  readonly referenced: Referenced
}
