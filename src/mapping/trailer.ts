import { addDecimals, compareDecimals, type Decimal, formatUnits, parseDecimal } from '#contract'
import { columnName } from './binding.ts'
import { type Cell, textOf } from './cell.ts'
import type { Trailer } from './mapping.ts'
import { compileNumber, FormatError } from './number-format.ts'

/** Counts and adds up the rows of a file, for its last row to compare with. */
export interface TrailerCheck {
  /** Adds a row; null for one that cannot be read. */
  add(cells: readonly Cell[] | null, line: number): void
  /** What is wrong with the file, as a predicate of it; null if its last row agrees with the others. */
  end(last: readonly Cell[], line: number): string | null
}

const zero: Decimal = { units: 0n, scale: 0 }

export const createTrailerCheck = (
  { startsWith, count, sums, decimal, group }: Trailer,
  columns: readonly string[],
): TrailerCheck => {
  const read = compileNumber({ decimal, group, percent: false })
  const names = columns.map(columnName)
  const added = sums.map(({ column, cell }) => ({
    ...{ column, cell, at: names.indexOf(columnName(column)), total: zero },
    unreadLine: null as number | null,
  }))
  let rows = 0

  /** Null for what is not a number. */
  const numberOf = (cell: Cell | undefined): Decimal | null => {
    const text = textOf(cell)
    if (text === null) return zero
    try {
      return parseDecimal(read(typeof cell === 'string' ? text : text.replace('.', decimal)))
    } catch (error) {
      if (error instanceof FormatError) return null
      throw error
    }
  }
  /** `actual` is null for a sum that is not known. */
  const differenceOf = (
    actual: Decimal | null,
    said: Cell | undefined,
    what: string,
    where: string,
  ) => {
    const expected = textOf(said) === null ? null : numberOf(said)
    if (expected && actual && compareDecimals(expected, actual) === 0) return null
    const shown = expected ? formatUnits(expected.units, expected.scale) : textOf(said)
    return `has ${what}, but its trailer in ${where} says ${shown ?? 'nothing'}`
  }

  return {
    add: (cells, line) => {
      rows += 1
      for (const each of added) {
        const number = cells && numberOf(cells[each.at])
        if (number) each.total = addDecimals(each.total, number)
        else each.unreadLine ??= line
      }
    },
    end: (last, line) => {
      const where = `line ${line}`
      if (!textOf(last[0])?.startsWith(startsWith)) {
        return `has no trailer, as a file that was cut off: its last row, ${where}, does not begin with ${JSON.stringify(startsWith)}`
      }
      const missing = added.find(({ at }) => at < 0)
      if (missing)
        return `has no column ${JSON.stringify(missing.column)} for its trailer to add up`
      const counted = { units: BigInt(rows), scale: 0 }
      const problems = [
        count === null ? null : differenceOf(counted, last[count - 1], countOf(rows), where),
        ...added.map(({ column, cell, total, unreadLine }) => {
          const unread = unreadLine === null ? '' : ` (line ${unreadLine} has no number)`
          const what = `${formatUnits(total.units, total.scale)} as the sum of ${column}${unread}`
          const actual = unreadLine === null ? total : null
          return differenceOf(actual, last[cell - 1], what, where)
        }),
      ]
      return problems.find((problem) => problem !== null) ?? null
    },
  }
}

const countOf = (rows: number): string => `${rows} ${rows === 1 ? 'row' : 'rows'}`
