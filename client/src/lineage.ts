/** A relation of a record of a lineage. */
export interface LineageRelation {
  /** The place of the record in `records`. */
  readonly record: number
  /** A reference by its field, such as `supplierId`, or a list, such as `order-items?orderId`. */
  readonly relation: string
}

/** A record along the chain. */
export interface LineageRecord {
  readonly group: string
  /** Its identity; several parts are joined by commas. */
  readonly id: string
  /** Steps from the start. */
  readonly depth: number
  /** Another record refers to it, and it does not exist. */
  readonly isMissing: boolean
  /** The relation that led to it; null of the start. */
  readonly reachedBy: LineageRelation | null
  /** Of a missing record only its identity. */
  readonly record: { readonly [field: string]: unknown }
}

/** The records along the chain from a record, up to what it came from and down to what follows. */
export interface Lineage {
  readonly group: string
  readonly id: string
  /** `complete`, or what the chain was not followed any further for. */
  readonly ended: 'complete' | 'depth' | 'limit' | 'reads' | 'time'
  /** Lists and records that were read. */
  readonly reads: number
  /** In the order in which they were found; the first is the start. */
  readonly records: readonly LineageRecord[]
  /** Places in `records`, and the field or filter. */
  readonly references: readonly {
    readonly from: number
    readonly to: number
    readonly via: string
  }[]
  /** Lists of which only some records are here. */
  readonly truncated: readonly (LineageRelation & {
    readonly totalItems: number
    readonly shown: number
    /** Path of the list with all of them. */
    readonly url: string
  })[]
  /** The relations that were read. */
  readonly followed: readonly LineageRelation[]
  /** The relations that were not read, because a limit was reached. */
  readonly left: readonly (LineageRelation & { readonly up: boolean; readonly down: boolean })[]
}

export interface LineageQuery {
  /** `up`: what the record came from; `down`: what follows from it. Default: `both`. */
  readonly direction?: 'up' | 'down' | 'both' | undefined
  /** Maximum number of steps from the record. */
  readonly depth?: number | undefined
  /** Maximum number of records, 1 to 100: 80 by default. */
  readonly limit?: number | undefined
  /** Identities of records that come first where a list is truncated: at most 100. */
  readonly first?: readonly string[] | undefined
}
