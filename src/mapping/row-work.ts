import { limits } from '#contract'
import { FormatError } from './number-format.ts'

/** Texts of a row that expressions make, all together. A record has a small part of that. */
const charactersMax = 16 * limits.record.maxBytes

/** Limits what the expressions of one row make: a short mapping can repeat a long cell many times. */
export interface RowWork {
  /** Begins a row. */
  start(): void
  /** Counts characters. Throws a `FormatError` if the row has too many. */
  spend(characters: number): void
}

export const createRowWork = (): RowWork => {
  let left = charactersMax
  return {
    start: () => {
      left = charactersMax
    },
    spend: (characters) => {
      left -= characters
      if (left >= 0) return
      throw new FormatError(
        `is too long: the expressions of a row make at most ${charactersMax.toLocaleString('en')} characters`,
      )
    },
  }
}
