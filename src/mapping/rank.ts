import { type Cell, textOf } from './cell.ts'
import { compileConvert, memoized } from './convert.ts'
import type { ValueFormats } from './mapping.ts'
import { FormatError } from './number-format.ts'

/** The place of a row among those with the same key, as a decimal number; null before all others. */
export type Rank = string | null

/** Compiles how new a cell is: a time in milliseconds, or a number. Throws a `FormatError`. */
export const compileRank = (formats: ValueFormats): ((cell: Cell) => Rank) => {
  const convert = (as: 'timestamp' | 'date' | 'amount') =>
    compileConvert({ as, isPercent: false, knownValues: null, formats })
  const [timeOf, dayOf, numberOf] = [convert('timestamp'), convert('date'), convert('amount')]
  const millisecondsOf = (read: typeof timeOf) => (cell: NonNullable<Cell>) => {
    const time = read(cell)
    return time === null ? null : Date.parse(String(time))
  }
  const hasPattern = formats.timestamp.length + formats.date.length > 0
  const times = [millisecondsOf(timeOf), millisecondsOf(dayOf)]
  const rankOf = (cell: NonNullable<Cell>): Rank => {
    // Only a pattern makes a time of a number.
    const isNumber = !hasPattern && digits.test(textOf(cell) ?? '')
    const mayBeNumber = ['string', 'number', 'bigint'].includes(typeof cell)
    for (const read of [...(isNumber ? [] : times), ...(mayBeNumber ? [numberOf] : [])]) {
      try {
        const rank = read(cell)
        return rank === null ? null : String(rank)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
      }
    }
    throw new FormatError('is neither a time nor a number, so that it cannot tell the newest row')
  }
  const rankOfText = memoized(rankOf)
  return (cell) => {
    if (cell === null) return null
    return typeof cell === 'string' ? rankOfText(cell) : rankOf(cell)
  }
}

const digits = /^-?\d+([.,]\d+)?$/
