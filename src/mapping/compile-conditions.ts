import { compareDecimals, parseDecimal } from '#contract'
import type { Binding } from './binding.ts'
import { type Cell, textOf } from './cell.ts'
import { CellError } from './cell-error.ts'
import { compileConvert } from './convert.ts'
import type { CellCondition, CellTest } from './mapping.ts'
import { FormatError } from './number-format.ts'

/**
 * Compiles conditions that a row must all meet. Throws a `CellError` if a cell cannot be compared
 * with a number or a time.
 */
export const compileConditions = (
  conditions: readonly CellCondition[],
  binding: Binding,
): ((cells: readonly Cell[]) => boolean) => {
  const tests = conditions.map(({ column, line, test }) => {
    const read = binding.value(column, line, false)
    const isMet = compileTest(test)
    return (cells: readonly Cell[]) => {
      let cell: Cell = null
      try {
        cell = read(cells)
        return isMet(cell)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        throw new CellError(error.message, textOf(cell), { column, line })
      }
    }
  })
  return (cells) => tests.every((isMet) => isMet(cells))
}

const compileTest = (test: CellTest): ((cell: Cell) => boolean) => {
  if (test.kind === 'empty') return (cell) => (textOf(cell) === null) === test.expected
  if (test.kind === 'startsWith') {
    return (cell) => {
      const text = textOf(cell) ?? ''
      return test.prefixes.some((prefix) => text.startsWith(prefix))
    }
  }
  if ('than' in test) return compileComparison(test)
  const values = new Set(test.values)
  const expected = test.kind === 'in'
  return (cell) => values.has(textOf(cell) ?? '') === expected
}

const compileComparison = ({
  kind,
  than,
  as,
  formats,
}: Extract<CellTest, { readonly than: string }>): ((cell: Cell) => boolean) => {
  const convert = compileConvert({ as, isPercent: true, knownValues: null, formats })
  const limit = as === 'amount' ? parseDecimal(than) : null
  const wanted = kind === 'moreThan' ? 1 : -1
  return (cell) => {
    const value = cell === null || cell === '' ? null : convert(cell)
    if (value === null) return false
    const text = String(value)
    // Days, and times in UTC, sort as texts.
    const order = limit
      ? compareDecimals(parseDecimal(text), limit)
      : Number(text > than) - Number(text < than)
    return order === wanted
  }
}
