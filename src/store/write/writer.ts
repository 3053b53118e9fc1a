import type { Resource } from '#contract'
import type { Query, Row } from '#database'
import type { FieldValues } from '../schema/field-values.ts'
import type { StoredRecord } from '../schema/record-body.ts'
import type { Key } from '../schema/tables.ts'
import type { ImportedFile } from '../sources/imported-files.ts'
import type { SourceChange, SourceName } from '../sources/source-states.ts'
import type { Corrections, CurrentRow } from './corrected-rows.ts'
import type { HeldRow, HeldSource, RowDescription } from './held-rows.ts'
import type { Merged } from './merge.ts'
import type { OnChange } from './merge-changes.ts'
import type { PlacedRow } from './placed-rows.ts'
import type { ReceivedCells, YieldedRows } from './received-rows.ts'
import type { RejectedRow } from './rejected-rows.ts'
import type { ReleasedCode } from './released-codes.ts'
import type { Orphans, RemovedRecords } from './removed-records.ts'
import type { RowChoice } from './repeated-rows.ts'
import type { SupersededRow } from './rewrites.ts'
import type { BrokenCode, BrokenKey } from './row-checks.ts'
import type { SeenTimes } from './seen-times.ts'
import type { StagedRows } from './staging.ts'
import type { WrittenUnit } from './write-entries.ts'

/** Writes records to one owner's collections, inside one transaction. */
export interface Writer {
  /** Stages records. Nothing is compared or visible before `merge`. */
  stage(resource: Resource, records: Iterable<StoredRecord>): Promise<void>
  /**
   * Stages records that are already rows, with their source lines. With `times`, an existing record
   * keeps its first-seen time, and also its last-changed time if nothing else changes. Returns the
   * invalid codes that count. Rows with an error among them are not staged.
   */
  stageRows(resource: Resource, rows: StagedRows, times?: SeenTimes): Promise<readonly BrokenCode[]>
  /** Stages identities for `merge` to remove. Duplicates are allowed. */
  stageRemoval(resource: Resource, keys: Iterable<Key>): Promise<void>
  /**
   * Stages the places of removals and bad rows among the rows that are staged next, for
   * `dropRepeated`.
   */
  stagePlaces(resource: Resource, source: number, rows: readonly PlacedRow[]): Promise<void>
  /** Stages identities that a `merge` with `replace` keeps, whether or not they are staged. */
  stageKept(resource: Resource, keys: Iterable<Key>): Promise<void>
  /** From now on, rejected rows are kept until the end of the transaction, for `quarantine`. */
  keepRejected(): void
  /**
   * Puts rows in quarantine, instead of earlier ones of the same identity. A replacement keeps the
   * stored records of rows that are there before `merge`. Throws `QuarantineFullError`.
   */
  quarantine(resource: Resource, rows: readonly HeldRow[]): Promise<void>
  /** Adds to rejected rows that this import put in quarantine. */
  describeQuarantined(resource: Resource, rows: readonly RowDescription[]): Promise<void>
  /**
   * The quarantined rows of a source that a mapping other than the tried ones has refused, without
   * those whose identity is staged.
   */
  received(
    resource: Resource,
    source: SourceName | null,
    tried: readonly string[],
  ): AsyncIterable<readonly ReceivedCells[]>
  /** Deletes quarantined rows by their ids, except those that this import put there. */
  dropQuarantined(resource: Resource, ids: readonly string[]): Promise<void>
  /** The quarantined rows with these ids as they are now, by id. */
  currentRows(resource: Resource, ids: readonly string[]): Promise<ReadonlyMap<string, CurrentRow>>
  /** The places of those keys whose records are newer than the corrections. */
  newerAmong(
    resource: Resource,
    keys: readonly Key[],
    corrections: Corrections,
  ): Promise<ReadonlySet<number>>
  /**
   * Removes staged rows of a source that are corrections, if their lines are stale or their records
   * are newer, and returns them.
   */
  unstageOlder(
    resource: Resource,
    source: number,
    lines: { readonly all: readonly number[]; readonly stale: readonly number[] },
    corrections: Corrections,
  ): Promise<readonly SupersededRow[]>
  /**
   * Removes the staged rows of a source that must not change what others have: another staged row, a
   * removal, or a stored record that none of these quarantined rows was known to be. Needs
   * `keepRejected`.
   */
  yieldStaged(
    resource: Resource,
    rows: {
      readonly source: number
      readonly ids: readonly string[]
      /** Sources before this one are those of the import itself. */
      readonly ownSources: number
    },
  ): Promise<YieldedRows>
  /** Deletes rows that are in quarantine since before a time. Returns how many. */
  expireQuarantined(before: string): Promise<number>
  /** Quarantined rows per collection. */
  quarantined(): Promise<ReadonlyMap<string, number>>
  /**
   * Stages quarantined rows whose missing record is now stored or staged, and returns how many. If
   * the collection has staged rows, also tries those whose key or code was refused. Call it
   * after staging everything else: other staged rows and removals of the same identity take
   * precedence.
   */
  stageReleased(resource: Resource): Promise<number>
  /**
   * From now on, `rejectInvalid` also finds rows that the database refuses. This takes several times
   * as long, so it is for the repetition of a write that was refused.
   */
  searchRefused(): void
  /**
   * Leaves one row of each identity among the staged rows of these sources: none, if a removal counts.
   * Such a removal also settles the bad rows before it. Returns the number of removed rows. Call it
   * before `stageReleased`.
   */
  dropRepeated(resource: Resource, choice: RowChoice, sources: readonly number[]): Promise<number>
  /**
   * Removes staged rows and removals of records that changed after a number, and returns them. Also
   * removes such rows that this import put in quarantine. Call it before `stageReleased`.
   */
  dropSuperseded(resource: Resource, after: number): Promise<readonly SupersededRow[]>
  /**
   * Removes duplicates and rows with dangling references from the staging table and yields them.
   * Rows that were in quarantine return there, also if a code of theirs is invalid or another
   * record has their key. Keys are judged here if more depends on them than their rows; otherwise
   * the merge judges them.
   */
  rejectInvalid(resource: Resource, checks?: RejectOptions): AsyncIterable<RejectedRow>
  /** Yields rows with dangling references, to some collections or to all. They stay staged. */
  dangling(resource: Resource, isWanted?: (to: string) => boolean): AsyncIterable<RejectedRow>
  /** The number of stored records. */
  count(resource: Resource): Promise<number>
  /** The number of the collection's last change before this transaction. */
  version(resource: Resource): Promise<number>
  /**
   * Identities and values of stored records, by the paths of fields, in batches. Of a shared collection,
   * those that all brands share.
   */
  values(
    resource: Resource,
    paths: readonly (readonly string[])[],
  ): AsyncIterable<readonly FieldValues[]>
  /** The last texts of records, by identity: those in quarantine, or else stored ones. */
  lastTexts(resource: Resource, keys: readonly Key[]): Promise<ReadonlyMap<string, string>>
  /**
   * Applies the staged rows: adds new records, changes those that differ, and leaves the rest. With
   * `replace`, removes records that were neither staged nor kept. With `onlyMissing`, only adds.
   */
  merge(resource: Resource, options?: MergeOptions): Promise<Merged>
  /** Stored records that reference a record removed in this transaction, grouped by reference. */
  orphans(): AsyncIterable<Orphans>
  /** The records removed in this transaction that stored ones reference. */
  referenced: RemovedRecords['referenced']
  /** Says which unit the records belong to, for the audit log. */
  describe(unit: WrittenUnit): void
  /** Changes the state of the records' source, atomically with them. */
  updateSource(source: SourceName, change: SourceChange): Promise<void>
  /** Records that a file was imported. */
  recordFile(file: ImportedFile): Promise<void>
  /** Reads what the transaction sees, with the records that it has merged. */
  read(query: Query): Promise<readonly Row[]>
  /** The number of the write, for `Store.readAfter`; null before its commit. */
  change(): number | null
}

export interface RejectOptions {
  /** Whether dangling references to a collection reject their rows; all do by default. */
  readonly references?: (to: string) => boolean
  /** The sources; if set, rows with dangling references wait. */
  readonly park?: readonly HeldSource[] | undefined
  /** Called with each row whose key another record has. Without it, keys are not checked. */
  readonly onBroken?: (broken: BrokenKey) => void
  /** Whether the merge will replace the collection. Asked again after rows were rejected. */
  readonly replaces?: () => boolean
  /** Called with invalid codes of rows that stay in quarantine because of them. */
  readonly onHeldCode?: (code: ReleasedCode) => void
}

export interface MergeOptions {
  readonly replace?: boolean
  readonly onlyMissing?: boolean
  /** See `RejectOptions`. */
  readonly onBroken?: (broken: BrokenKey) => void
  /** Called with the changes before they are made, until it returns false. */
  readonly onChange?: OnChange | undefined
  /** Whether `onChange` can do without the records of a direct load, which are all added. */
  readonly mayMissChanges?: boolean | undefined
}
