import type { Condition, Relation, Resource } from '#contract'
import type { IsCancelled } from '#database'
import type { Body } from '../read/body.ts'
import type { Reserve } from '../read/list.ts'
import type { State } from '../read/state.ts'
import type { Key } from '../schema/tables.ts'

/** The order of a list: by a sortable field, then by identity in the same direction. */
export interface Sort {
  readonly field: string
  readonly isDescending: boolean
}

/** A column's value in the same form on every engine: a decimal number is a string. */
export type PlainValue = string | number | null

/** A record's position in an order. */
export interface Position {
  /** The value of the sort field; null if the record has none or the list has no sort. */
  readonly value: PlainValue
  readonly key: Key
}

/** Selects the records of a collection that fulfil all conditions. */
export interface Selection {
  readonly resource: Resource
  readonly brand: string
  /** The filters of contract lists, by name. */
  readonly filters: ReadonlyMap<string, string | number>
  readonly where: readonly Condition[]
  /** Only these records; null for all. */
  readonly ids: readonly Key[] | null
}

/** A request for a page of the query API, independent of HTTP. */
export interface QueryRequest extends Selection {
  /** Null for identity order. */
  readonly sort: Sort | null
  /** Only these fields of each record; null for all. */
  readonly fields: readonly string[] | null
  readonly limit: number
  /** The page begins after this record. */
  readonly after: Position | null
  readonly include: readonly Relation[]
  readonly reserve?: Reserve | undefined
  /** Cancelling ends a read in steps. */
  readonly isCancelled?: IsCancelled | undefined
}

export interface QueryPage extends State {
  /** Joined by commas, ready to send. */
  readonly items: Body
  /** Number of records in `items`. */
  readonly count: number
  readonly total: number
  readonly next: Position | null
  /** The requested `ids` that were not found. */
  readonly missing: readonly Key[]
}
