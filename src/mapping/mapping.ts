import type { JsonValue, Kind } from '#contract'

/*
 * A mapping file as data: how the rows of a brand's own systems become records. `parseMapping` reads it
 * from YAML and checks it against the contract; `compileMapping` makes a function of the part of one
 * collection. All of it can be sent to a thread.
 */

/** A mapping file. */
export interface Mapping {
  /** As messages name it. */
  readonly file: string
  /** The owner of the records; null where the command or the sender names it. */
  readonly brand: string | null
  /** The address of the database of queries, with `${NAME}` for environment variables. */
  readonly database: string | null
  readonly collections: readonly CollectionMapping[]
}

/** How rows become the records of one collection. A collection can have several of them. */
export interface CollectionMapping {
  /** The mapping's file, as messages name it. */
  readonly file: string
  readonly line: number
  readonly collection: string
  readonly from: RowOrigin
  /** Rows that do not meet all of them are left out. */
  readonly where: readonly CellCondition[]
  /** Rows that meet all of them remove their record; none if there are no conditions. */
  readonly remove: readonly CellCondition[]
  /** Whether identical records of several rows are expected, as of the orders in a file of order lines. */
  readonly distinct: boolean
  readonly fields: readonly FieldMapping[]
  /** Fields that keep the time of the import that brought the record first. */
  readonly firstSeen: readonly string[]
  /** Fields with the time of the import that changed the record last. */
  readonly lastChanged: readonly string[]
}

/** Where rows come from; at least one of them. */
export interface RowOrigin {
  readonly files: FileOrigin | null
  readonly sql: SqlOrigin | null
  readonly rows: SentRows | null
}

/** Files by the patterns of their names, and how to read them. */
export interface FileOrigin {
  readonly patterns: readonly string[]
  readonly encoding?: 'utf-8' | 'windows-1252' | 'iso-8859-1'
  readonly delimiter?: ',' | ';' | '\t' | '|'
  readonly sheet?: string
  readonly headerRow?: number
}

/** A query of a database. */
export interface SqlOrigin {
  readonly line: number
  readonly sql: string
  /** The column that grows with every change. */
  readonly cursor: string | null
  /** Rows this much before the last cursor are read again. */
  readonly overlapMs: number
  /** A query of the keys of deleted rows. */
  readonly deleted: string | null
  /** How often all keys are compared, and the query of the keys, if it is not `sql` itself. */
  readonly reconcile: { readonly everyMs: number; readonly sql: string | null } | null
}

/** Rows that a sender posts; those with these names of tables, or all. */
export interface SentRows {
  readonly tables: readonly string[] | null
}

/** What the cell of a column must be. */
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

/** How a value is made: from a source, through functions, by a table, with a default. */
export interface Expression {
  readonly source: ValueSource
  /** What the value becomes. */
  readonly as: Kind
  /** Whether a number is a percentage, which may be written with a percent sign. */
  readonly isPercent: boolean
  /** The known values of a text, if it has some. */
  readonly knownValues: readonly string[] | null
  readonly apply: readonly FunctionCall[]
  /** Texts and what they mean. */
  readonly values: readonly (readonly [text: string, value: JsonValue])[] | null
  /** For texts that the table does not have. */
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
      /** Whether its records belong to no brand. */
      readonly shared: boolean
      readonly key: readonly Expression[]
      /** Whether no key at all means no record. */
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

/** How texts are read as numbers, days, times and lists. */
export interface ValueFormats {
  readonly decimal: string
  /** The sign between groups of digits; none if null. */
  readonly group: string | null
  /** An exact factor for numbers. */
  readonly multiply: string | null
  /** Patterns of dates, tried in order; of ISO 8601 if empty. */
  readonly date: readonly string[]
  readonly timestamp: readonly string[]
  readonly timezone: string
  /** The separator of a text that holds a list. */
  readonly split: string | null
  /** Whether a text is JSON. */
  readonly json: boolean
}
