import type { JsonValue, Kind } from '#contract'

/*
 * A mapping file as data: it turns the rows of a brand's systems into records. `parseMapping` reads
 * it from YAML and checks it against the contract; `compileMapping` compiles the part for one
 * collection. All of it can be posted to a thread.
 */

export interface Mapping {
  /** The name in messages. */
  readonly file: string
  /** The owner of the records; null if the command or the sender provides it. */
  readonly brand: string | null
  /** The URL of the database for queries, or `${NAME}` of the environment variable that has it. */
  readonly database: string | null
  readonly collections: readonly CollectionMapping[]
}

/** Maps rows to the records of one collection. A collection can have several mappings. */
export interface CollectionMapping {
  /** The mapping file's name in messages. */
  readonly file: string
  readonly line: number
  readonly collection: string
  readonly from: RowOrigin
  /** Only rows that meet all of these conditions are used. */
  readonly where: readonly CellCondition[]
  /** Rows that meet all of these conditions remove their record; no conditions, no removals. */
  readonly remove: readonly CellCondition[]
  /** Whether identical records of several rows are expected, such as orders in a file of lines. */
  readonly distinct: boolean
  /** Which of several rows with one key counts; without it, different ones are refused. */
  readonly keep?: KeepRule
  readonly fields: readonly FieldMapping[]
  /** Fields that keep the time of the import that added the record. */
  readonly firstSeen: readonly string[]
  /** Fields with the time of the import that last changed the record. */
  readonly lastChanged: readonly string[]
}

/** The row that counts of several with one key: the newest has the highest time or number. */
export type KeepRule =
  | { readonly row: 'first' | 'last' }
  | {
      readonly row: 'newest'
      readonly line: number
      readonly column: string
      readonly formats: ValueFormats
    }

/** The origins of rows; at least one. */
export interface RowOrigin {
  readonly files: FileOrigin | null
  readonly sql: SqlOrigin | null
  readonly rows: SentRows | null
}

/** Files, by name patterns, and options for reading them. */
export interface FileOrigin {
  readonly patterns: readonly string[]
  readonly encoding?: 'utf-8' | 'windows-1252' | 'iso-8859-1'
  readonly delimiter?: ',' | ';' | '\t' | '|'
  readonly sheet?: string
  readonly headerRow?: number
  readonly trailer?: Trailer
}

/** The last row of a file, which says what the rows before it have. Cells are counted from 1. */
export interface Trailer {
  /** The beginning of its first cell. */
  readonly startsWith: string
  /** The cell with the number of rows; null for none. */
  readonly count: number | null
  /** The columns whose sums it has, and their cells. */
  readonly sums: readonly { readonly column: string; readonly cell: number }[]
  /** The signs of numbers. */
  readonly decimal: string
  readonly group: string | null
}

/** A database query. */
export interface SqlOrigin {
  readonly line: number
  readonly sql: string
  /** A column that increases with every change. */
  readonly cursor: string | null
  /** Rows this far before the last cursor are read again. */
  readonly overlapMs: number
  /** A query for the keys of deleted rows. */
  readonly deleted: string | null
  /** The interval for comparing all keys, and the query for them if it is not `sql`. */
  readonly reconcile: { readonly everyMs: number; readonly sql: string | null } | null
}

/** Rows that a sender posts: those with these table names, or all. */
export interface SentRows {
  readonly tables: readonly string[] | null
}

/** A condition on the cell of a column. */
export interface CellCondition {
  readonly line: number
  readonly column: string
  readonly test: CellTest
}

export type CellTest =
  | { readonly kind: 'in' | 'not'; readonly values: readonly string[] }
  | { readonly kind: 'empty'; readonly expected: boolean }
  | { readonly kind: 'startsWith'; readonly prefixes: readonly string[] }

export interface FieldMapping {
  readonly line: number
  /** The dotted name of a field. */
  readonly field: string
  readonly value: Expression
}

/** Produces a value: from a source, through functions and a value table, with a default. */
export interface Expression {
  readonly source: ValueSource
  /** The kind of the result. */
  readonly as: Kind
  /** Whether a number is a percentage and may have a percent sign. */
  readonly isPercent: boolean
  /** The known values of a text field, if any. */
  readonly knownValues: readonly string[] | null
  readonly apply: readonly FunctionCall[]
  /** A table of texts and their values. */
  readonly values: readonly (readonly [text: string, value: JsonValue])[] | null
  /** For texts that are not in the table. */
  readonly otherwise: Constant | null
  /** For an empty cell. */
  readonly default: Constant | null
  readonly formats: ValueFormats
}

export interface Constant {
  readonly value: JsonValue
}

export type ValueSource =
  | { readonly kind: 'column'; readonly column: string; readonly optional: boolean }
  | { readonly kind: 'value'; readonly value: JsonValue }
  | { readonly kind: 'join'; readonly parts: readonly Expression[]; readonly separator: string }
  | { readonly kind: 'first'; readonly of: readonly Expression[] }
  | {
      readonly kind: 'identity'
      readonly collection: string
      /** Whether the referenced records are shared between brands. */
      readonly shared: boolean
      readonly key: readonly Expression[]
      /** Whether an empty key means no reference. */
      readonly optional: boolean
    }
  | { readonly kind: 'object'; readonly fields: readonly ObjectEntry[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'importTime' }

export interface ObjectEntry {
  readonly name: string
  readonly value: Expression
}

export interface FunctionCall {
  readonly name: string
  readonly arguments: readonly (string | number)[]
}

/** The formats of numbers, dates, times and lists in texts. */
export interface ValueFormats {
  readonly decimal: string
  /** The grouping separator of digits; null for none. */
  readonly group: string | null
  /** An exact factor for numbers. */
  readonly multiply: string | null
  /** Patterns of dates, tried in order; ISO 8601 if empty. */
  readonly date: readonly string[]
  readonly timestamp: readonly string[]
  readonly timezone: string
  /** The separator of a list in a text. */
  readonly split: string | null
  /** Whether a text is JSON. */
  readonly json: boolean
}
