import { FormatError } from './number-format.ts'

/** The place of a problem in a row, if it is not the field as a whole. */
export interface CellPlace {
  readonly column?: string
  /** The line of the mapping. */
  readonly line?: number
}

/** A problem with a value that is not the whole cell of the field's only column. */
export class CellError extends FormatError {
  readonly value: string | null
  readonly place: CellPlace

  constructor(message: string, value: string | null, place: CellPlace = {}) {
    super(message)
    this.value = value
    this.place = place
  }
}
