import type { JsonValue, Kind } from '#contract'
import type { Operation } from './arithmetic.ts'
import type { CodeKind } from './codes/code-of.ts'

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
  /** Other rows that belong to each row, by key. */
  readonly join?: readonly JoinedRows[]
  /** Rows with equal cells in these columns become one row. */
  readonly group?: readonly string[]
  /** The columns that a row plan has made, in a mapping for its rows. */
  readonly made?: readonly string[]
  /** Only rows that meet all of these conditions are used. */
  readonly where: readonly CellCondition[]
  /** Rows that meet all of these conditions remove their record; no conditions, no removals. */
  readonly remove: readonly CellCondition[]
  /** Whether identical records of several rows are expected, such as orders in a file of lines. */
  readonly distinct: boolean
  /** The formats of these rows, unless an expression has its own. */
  readonly formats: ValueFormats
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
  /** The only origin, if there is one. */
  readonly given?: GivenRows
}

/** Rows that the mapping file has itself. */
export interface GivenRows {
  readonly line: number
  readonly columns: readonly string[]
  /** With a cell for each column. */
  readonly rows: readonly { readonly line: number; readonly cells: readonly JsonValue[] }[]
}

/** Rows that are joined. Columns of the one row with a key are named `vendor.CITY`. */
export interface JoinedRows {
  readonly line: number
  readonly name: string
  readonly from: RowOrigin
  /** Columns that have equal cells: of the row, or of rows joined before, and of the joined rows. */
  readonly on: readonly JoinColumns[]
}

export interface JoinColumns {
  readonly line: number
  readonly column: string
  readonly other: string
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
  | {
      readonly kind: 'moreThan' | 'lessThan'
      /** An amount, a day or a time in UTC, as records have it. */
      readonly than: string
      /** How the cell is read. */
      readonly as: 'amount' | 'date' | 'timestamp'
      readonly formats: ValueFormats
    }

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
  /** The codes that names in the cell stand for; the table comes first. */
  readonly code?: CodeKind
  /** For texts that neither the table nor the codes have. */
  readonly otherwise: Constant | null
  /** For an empty cell. */
  readonly default: Constant | null
  /** The unit of a number, if it differs by row, and the unit to convert it to. */
  readonly unit?: { readonly from: Expression; readonly to: string }
  /** Rounds numbers to places, or to those of the currency in a field; null for the brand's. */
  readonly round?: { readonly places: number } | { readonly currency: string | null }
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
  | {
      readonly kind: 'arithmetic'
      readonly operation: Operation
      readonly of: readonly Expression[]
    }
  | {
      readonly kind: 'when'
      /** The first case whose conditions are all met gives the value. */
      readonly cases: readonly WhenCase[]
      /** The value if no case applies; null for none. */
      readonly otherwise: Expression | null
    }
  | { readonly kind: 'brand'; readonly property: keyof BrandValues }
  | {
      readonly kind: 'lookup'
      readonly collection: string
      /** The fields that are compared, with the values of the row. */
      readonly by: readonly ObjectEntry[]
    }
  /** Not decided yet. `withFirstCandidates` replaces it where a command accepts that. */
  | {
      readonly kind: 'open'
      readonly line: number
      /** The candidates, best first. */
      readonly candidates: readonly Expression[]
    }
  | {
      readonly kind: 'rows'
      readonly function: RowsFunction
      /** The name of joined rows; null for the rows of the group. */
      readonly in: string | null
      /** The value of each of these rows; null to count rows. */
      readonly of: Expression | null
    }

/** What is made of the values of several rows. */
export type RowsFunction = 'sum' | 'count' | 'min' | 'max' | 'first'

export interface WhenCase {
  readonly line: number
  readonly conditions: readonly CellCondition[]
  readonly value: Expression
}

/** What expressions can use of the brand that owns the records. */
export interface BrandValues {
  readonly id: string
  readonly slug: string
  readonly name: string
  /** The code of its base currency. */
  readonly currency: string
  /** The code of its country. */
  readonly country: string
  readonly timezone: string
}

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
