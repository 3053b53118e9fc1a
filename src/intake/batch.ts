import type { CollectionResult, RowProblem } from '#ingest'
import type { BatchChange } from './batch-changes.ts'
import type { ItemResult } from './item-results.ts'

/** Records that a sender hands over in one piece: all of them are stored, or none. */
export interface BatchRequest {
  /** The brand that owns the records. */
  readonly brand: string
  /** The ingest key that the batch came with. */
  readonly keyId: string
  /** What the sender calls the request, so that it can repeat it. */
  readonly idempotencyKey: string | null
  /** Lines of JSON in UTF-8, packed with `openBodyPacker`. */
  readonly body: PackedBody
  /** The collections that the key may write; null for all. */
  readonly collections: readonly string[] | null
  /** The name of a mapping; null for records in the form of the API. */
  readonly map: string | null
  /** What a line is: an item of the change feed, a row for a mapping, or an event of Debezium. */
  readonly form: 'items' | 'rows' | 'debezium'
  /** Check the batch, and store nothing. */
  readonly dryRun: boolean
  /** Keep records that refer to one that has not arrived yet until it has, instead of refusing them. */
  readonly park?: boolean
  /** Put records that cannot be stored in quarantine, and store the others. */
  readonly quarantine?: boolean
  /** The share of bad records that refuses the batch nevertheless, in percent; null for the default. */
  readonly maxBadRows?: number | null
  /** Keep the outcome of each item. Only for items of the change feed. */
  readonly results?: boolean
}

/** A body as it is stored, with the hash of its batch. */
export interface PackedBody {
  /** Compressed where that helps. */
  readonly bytes: Uint8Array
  /** Its length when it is not compressed. */
  readonly length: number
  /** Of the brand, the options and the body. */
  readonly hash: string
}

export interface Batch {
  readonly id: string
  readonly brand: string
  /** After a dry run, `checked` says that the batch could be stored as it is. */
  readonly state: 'queued' | 'working' | 'committed' | 'checked' | 'refused' | 'quarantined'
  readonly dryRun: boolean
  readonly receivedAt: string
  /** The collections that the key of the sender may write; null for all. */
  readonly sentWith: readonly string[] | null
  readonly finishedAt: string | null
  /** Lines that are not blank. */
  readonly items: number
  readonly collections: readonly CollectionCounts[]
  /** The first of them. */
  readonly problems: readonly RowProblem[]
  readonly problemCount: number
  /** What a dry run would change: the first changes. */
  readonly changes?: readonly BatchChange[]
  /** The outcomes of the first items, on request. */
  readonly results?: readonly ItemResult[]
  /**
   * The number of the write that has stored its records, or of a later one of the brand; null if
   * nothing was stored, or if an earlier version has stored them.
   */
  readonly change: number | null
}

/** What a batch did to a collection. Of several items for one record, the last one counts. */
export type CollectionCounts = Pick<
  CollectionResult,
  'collection' | 'read' | 'added' | 'changed' | 'unchanged' | 'removed' | 'parked' | 'unparked'
> & { readonly quarantined?: number }

/** What a unit did, and the first of what was wrong with it. */
export type UnitResult = Pick<Batch, 'collections' | 'problems' | 'problemCount'> & {
  /** See `Batch`. Not stored by earlier versions. */
  readonly change?: number | null
}

/** How a batch has ended. */
export type BatchResult = Pick<
  Batch,
  'finishedAt' | 'items' | 'collections' | 'problems' | 'problemCount' | 'changes' | 'results'
> & {
  readonly state: 'committed' | 'checked' | 'refused'
  /** Not known before the commit, and not stored by earlier versions. */
  readonly change?: number | null
}

/** There is no room for another batch. */
export class QueueFullError extends Error {
  /** The number of seconds after which there may be room again. */
  readonly retryAfterSeconds: number

  constructor(message: string, retryAfterSeconds: number) {
    super(message)
    this.retryAfterSeconds = retryAfterSeconds
  }
}

/** An idempotency key was used before, for another request. */
export class IdempotencyConflictError extends Error {}
