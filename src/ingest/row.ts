import type { CanonicalRecords } from '#store'
import type { Loss } from './json-text.ts'

/** Some rows of a source. */
export interface SourceRows {
  readonly rows: readonly SourceRow[]
  /** Those among and between them whose text can be stored as it is. */
  readonly ready: ReadyRows | null
}

/** One row of a source: a value to check, or what keeps it from being one. */
export type SourceRow =
  | {
      readonly line: number
      readonly value: unknown
      /** What the value does not hold of the text it was parsed from. */
      readonly losses: readonly Loss[]
    }
  | {
      readonly line: number
      readonly problem: string
      readonly text: string
      /** The field at fault, as a path such as `relationship.customFields`; none for the whole row. */
      readonly field?: string
    }

/** Rows as bytes, where in them they are, and their lines. */
export interface ReadyRows extends CanonicalRecords {
  readonly lines: readonly number[]
}

/** A source cannot be read at all: not there, not what its name says, or cut off. */
export class SourceRefused extends Error {}

/**
 * A row longer than this is refused rather than held in memory. It is far more than a record may
 * have, so that a record with much white space, or one that is too long, is read and named.
 */
export const rowBytesMax = 16 * 1_024 * 1_024
