import type { Condition, Relation, Resource } from '#contract'
import type { IsCancelled } from '#database'
import type { Body } from '../read/body.ts'
import type { Reserve } from '../read/list.ts'
import type { State } from '../read/state.ts'
import type { Key } from '../schema/tables.ts'

/** The order of a list: by a sortable field, then by the identity in the same direction. */
export interface Sort {
  readonly field: string
  readonly isDescending: boolean
}

/** A value as its column has it, the same on every engine: a decimal number is a text. */
export type PlainValue = string | number | null

/** A record's place in an order. */
export interface Position {
  /** Its value of the field that is sorted by; null where it has none, and without a sort. */
  readonly value: PlainValue
  readonly key: Key
}

/** Which records of a collection. All conditions have to be fulfilled. */
export interface Selection {
  readonly resource: Resource
  readonly brand: string
  /** The filters of the contract's lists, by name. */
  readonly filters: ReadonlyMap<string, string | number>
  readonly where: readonly Condition[]
  /** Only these records; null for all. */
  readonly ids: readonly Key[] | null
}

/** A request for a page of the query API, without anything of HTTP. */
export interface QueryRequest extends Selection {
  /** Null for the order of the identity. */
  readonly sort: Sort | null
  /** Only these fields of each record; null for all. */
  readonly fields: readonly string[] | null
  readonly limit: number
  /** The page begins after this record. */
  readonly after: Position | null
  readonly include: readonly Relation[]
  readonly reserve?: Reserve | undefined
  /** A read in steps ends once it is cancelled. */
  readonly isCancelled?: IsCancelled | undefined
}

export interface QueryPage extends State {
  /** Joined by commas, ready to send. */
  readonly items: Body
  readonly total: number
  readonly next: Position | null
  /** Those of `ids` that are not among the records. */
  readonly missing: readonly Key[]
}
