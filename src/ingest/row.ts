import type { Cell, MappedProblem, Rank, RowMapper, RowNamer } from '#mapping'
import type { CanonicalRecords, CorrectedRow, Key, ReceivedRow } from '#store'
import type { Loss } from './json-text.ts'

/** Rows of a source. */
export interface SourceRows {
  readonly rows: readonly SourceRow[]
  /** Rows among and between them whose text can be stored unchanged. */
  readonly canonical: CanonicalRows | null
  /** Finds the columns behind the values of mapped records. */
  readonly originOf?: RowMapper['originOf'] | undefined
  /** What can be read of a row whose record is invalid, by its cells. */
  readonly receive?: ((cells: readonly Cell[]) => Received) | undefined
  readonly names?: RowNames | undefined
  /** Of a correction file: the quarantined rows that the rows were made from. */
  readonly corrections?: readonly Correction[] | undefined
}

/** The quarantined rows that a row of a correction file was made from. */
export interface Correction {
  readonly line: number
  /**
   * Several, if rows of several collections came from one row; null if the file does not say so as
   * it was written.
   */
  readonly rows: readonly CorrectedRow[] | null
}

/** What the sender of mapped rows calls them. Null if that is not known. */
export interface RowNames {
  /** The key of the row of a line: `order_no "B777", line "2"`. */
  keyOf(line: number): string | null
  /** The natural key of the record that the row refers to at a JSON pointer: `B777`. */
  referenceOf(line: number, pointer: string): string | null
  /** What `RowNamer.textsOf` returns. */
  textsOf(line: number): readonly (string | null)[] | null
}

interface RowCells {
  readonly line: number
  readonly cells?: readonly Cell[] | undefined
}

/** The names of rows whose cells are at hand. Asks for the rows only if a name is wanted. */
export const namesOf = (namer: RowNamer, rows: () => readonly RowCells[]): RowNames => {
  let cellsByLine: ReadonlyMap<number, readonly Cell[]> | undefined
  const withCells = <T>(line: number, name: (cells: readonly Cell[]) => T): T | null => {
    cellsByLine ??= new Map(rows().flatMap((row) => (row.cells ? [[row.line, row.cells]] : [])))
    const cells = cellsByLine.get(line)
    return cells ? name(cells) : null
  }
  return {
    keyOf: (line) => withCells(line, namer.keyOf) || null,
    referenceOf: (line, pointer) => withCells(line, (cells) => namer.referenceOf(pointer, cells)),
    textsOf: (line) => withCells(line, namer.textsOf),
  }
}

/** A row of a source: a record to validate, an identity to remove, or a problem. */
export type SourceRow =
  | {
      readonly line: number
      /** The JSON text of a mapped record. */
      readonly json: string
      readonly cells?: readonly Cell[]
      /** For `keep: newest by`, unless the cell is empty. */
      readonly rank?: Rank
    }
  | {
      readonly line: number
      readonly value: unknown
      /** Values that parsing dropped. */
      readonly losses: readonly Loss[]
    }
  | {
      readonly line: number
      /** The identity of the record to remove: its key values, in order. */
      readonly removal: readonly string[]
      /** See `RemovedRow`. */
      readonly rank?: Rank
    }
  | {
      readonly line: number
      readonly problem: string
      readonly text: string
      /** The invalid field, such as `relationship.customFields`; absent for the whole row. */
      readonly field?: string
    }
  | {
      readonly line: number
      /** The earlier line with the same, valid record. */
      readonly repeats: number
    }
  | {
      readonly line: number
      /** All problems that prevent the mapping of the row. */
      readonly problems: readonly MappedProblem[]
      readonly rank?: Rank
      readonly received?: Received
    }

/** A row as its source sent it, with what can be read of its record. */
export interface Received {
  /** The identity of its record; null if it cannot be read. */
  readonly key: Key | null
  /** The identifier of the record that its record is a part of. */
  readonly parent: string | null
  /** What the source calls it, if it has no identity. */
  readonly natural: string | null
  /** Null for a row that is too long to be kept. */
  readonly row: ReceivedRow | null
  /** Whether a mapping makes the record of the cells. */
  readonly isMapped: boolean
  /** Whether no other mapping may try it again: a stored record may be newer. */
  readonly isFinal?: boolean
}

/** Canonical rows as bytes, with their offsets and their lines in the source. */
export interface CanonicalRows extends CanonicalRecords {
  readonly lines: readonly number[]
  /** For mapped rows. */
  readonly ranks?: readonly Rank[]
}

/** A source cannot be read at all: it is missing, truncated, or not what its name says. */
export class SourceError extends Error {}

/** Empty lines of a file; ten more for each row, since some programs write one after each. */
const emptyLinesMax = 1_000_000

/** Throws if a file has so many empty lines that it has hardly anything else. */
export const requireRows = (emptyLines: number, rows: number): void => {
  if (emptyLines <= emptyLinesMax + rows * 10) return
  throw new SourceError(
    `has more than ${emptyLinesMax.toLocaleString('en')} empty lines: remove them`,
  )
}

/**
 * Longer rows are rejected rather than held in memory. The limit is far above the size of a record,
 * so that a record with much white space, or one that is too large, is still parsed and reported.
 */
export const rowBytesMax = 16 * 1_024 * 1_024
