import type { Condition, Relation, Resource } from '#contract'
import type { IsCancelled } from '#database'
import type { Body } from '../read/body.ts'
import type { Reserve } from '../read/list.ts'
import type { State } from '../read/state.ts'
import type { Key } from '../schema/tables.ts'
import type { Figures, SummaryRequest } from './summary-request.ts'

/** The order of a list: by a field or a computed value, then by identity in the same direction. */
export interface Sort {
  /** A sortable field, a filter with known values, or the name of the computed value. */
  readonly field: string
  readonly isDescending: boolean
  readonly by?: ComputedValue
}

/** A value that is computed from a record: no index has it. */
export type ComputedValue =
  /** An amount in the brand's base currency, by what the record itself states. */
  | { readonly kind: 'base'; readonly amount: string; readonly currency: string }
  /** The first of these dates that is not null. */
  | { readonly kind: 'firstDate'; readonly fields: readonly string[] }

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
  /** Sums of all records of the list, from the same snapshot; null or absent for none. */
  readonly totals?: SummaryRequest | null
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
  readonly totals?: Figures
}
