import type { Cell } from '../cell.ts'
import type { Certainty } from './proposal.ts'

/** A table of a file or a database, with sample rows. */
export interface SampleTable {
  /** Its name, unlike that of any other: `purchasing.vendor`, `vendors.csv`, `stock.xlsx, sheet Lines`. */
  readonly name: string
  /** The part of the name that tells what its rows are: `vendor`, `vendors`, `Lines`. */
  readonly title: string
  /** The value of `from`, as YAML. */
  readonly from: string
  /** The same without a cursor, for joins: a change of joined rows alone would not be seen. */
  readonly joinFrom?: string
  /** The uncertainty about it, if any. */
  readonly fromNote?: { readonly certainty: Certainty; readonly note: string }
  readonly columns: readonly string[]
  /** The types of the columns, if a database declares them. */
  readonly types?: readonly DeclaredType[]
  readonly rows: readonly (readonly Cell[])[]
  /** How many rows the table has, as far as it is known without reading it: an estimate, or null. */
  readonly rowCount: number | null
  readonly isView: boolean
  /** The primary key, if a database declares one. */
  readonly primaryKey?: readonly string[]
  /** Other keys that a database declares unique. */
  readonly uniqueKeys?: readonly (readonly string[])[]
  readonly foreignKeys?: readonly ForeignKey[]
}

export interface ForeignKey {
  readonly columns: readonly string[]
  /** The referenced table, by its `name`. */
  readonly table: string
  /** Its columns, in the same order. */
  readonly to: readonly string[]
}

/** The type of a column, as its database declares it. */
export interface DeclaredType {
  readonly kind: 'whole' | 'decimal' | 'money' | 'flag' | 'date' | 'time' | 'uuid' | 'json' | 'text'
  /** The digits after the decimal sign of a `decimal`, if they are declared. */
  readonly scale: number | null
  readonly isNullable: boolean
}
