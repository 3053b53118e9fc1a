import type { MappedProblem, RowMapper } from '#mapping'
import type { CanonicalRecords } from '#store'
import type { Loss } from './json-text.ts'

/** Some rows of a source. */
export interface SourceRows {
  readonly rows: readonly SourceRow[]
  /** Rows among and between them whose text can be stored as it is. */
  readonly canonical: CanonicalRows | null
  /** Where the values of mapped records come from. */
  readonly originOf?: RowMapper['originOf'] | undefined
}

/** One row of a source: a record to validate, an identity to remove, or why there is neither. */
export type SourceRow =
  | {
      readonly line: number
      /** The text of a record that a mapping has made. */
      readonly json: string
    }
  | {
      readonly line: number
      readonly value: unknown
      /** What parsing dropped of the text. */
      readonly losses: readonly Loss[]
    }
  | {
      readonly line: number
      /** The identity of a record that is removed: the values of its key fields, in their order. */
      readonly removal: readonly string[]
    }
  | {
      readonly line: number
      readonly problem: string
      readonly text: string
      /** The field with the problem, such as `relationship.customFields`; none for the whole row. */
      readonly field?: string
    }
  | {
      readonly line: number
      /** The line before it that gives the same record, and is valid. */
      readonly repeats: number
    }
  | {
      readonly line: number
      /** Everything that keeps a mapping from making a record of the row. */
      readonly problems: readonly MappedProblem[]
    }

/** Canonical rows as bytes, with their offsets and their lines in the source. */
export interface CanonicalRows extends CanonicalRecords {
  readonly lines: readonly number[]
}

/** A source cannot be read at all: missing, not what its name says, or cut off. */
export class SourceError extends Error {}

/**
 * A longer row is rejected rather than held in memory. The limit is far above the size of a record,
 * so that a record with much white space, or one that is too large, is still parsed and reported.
 */
export const rowBytesMax = 16 * 1_024 * 1_024
