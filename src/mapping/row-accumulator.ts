import { addDecimals, compareDecimals, type Decimal, formatUnits, parseDecimal } from '#contract'
import type { Binding } from './binding.ts'
import { type Cell, textOf } from './cell.ts'
import { CellError } from './cell-error.ts'
import { compileExpression } from './compile-expression.ts'
import { columnsIn, partsOf } from './expression-parts.ts'
import type { RowsFunction, ValueSource } from './mapping.ts'
import { FormatError } from './number-format.ts'
import { problemCell } from './problem-cell.ts'

/** The value of the rows that were added. */
export interface Accumulator {
  value(): Cell
}

export interface AccumulatorOf {
  create(): Accumulator
  /** Adds a row. `placeOf` names it in problems. */
  add(accumulator: Accumulator, cells: readonly Cell[], placeOf: () => string): void
  /** The value of no rows. */
  readonly empty: Cell
}

/** Characters of a value in a message. */
const shownMax = 100

/** Longer numbers are not amounts. */
const digitsMax = 100

/** Compiles a value over rows. */
export const compileAccumulator = (
  source: Extract<ValueSource, { readonly kind: 'rows' }>,
  binding: Binding,
  line: number,
  onHeld: (bytes: number) => void,
): AccumulatorOf => {
  const read = source.of ? compileExpression(source.of, line, binding) : null
  const [only, ...others] = columnsIn(partsOf(source))
  const shown = only && others.length === 0 ? binding.cell(only, line, true) : () => null
  const isNumber = source.of?.as === 'amount' || source.of?.as === 'integer'
  const add = adders[source.function]
  return {
    create: () => new RowAccumulator(source.function),
    add: (accumulator, cells, placeOf) => {
      const own = accumulator as RowAccumulator
      if (own.problem !== null) return
      const before = own.cell
      try {
        if (read === null) own.count += 1
        else add(own, read(cells), isNumber)
      } catch (error) {
        if (!(error instanceof FormatError)) throw error
        const text = error instanceof CellError ? error.value : textOf(shown(cells))
        const value = text ? ` ${JSON.stringify(text.slice(0, shownMax))}` : ''
        own.problem = `has a row${value} that ${error.message} (${placeOf()})`
      }
      if (own.cell !== before) onHeld((textOf(own.cell)?.length ?? 0) * 2)
    },
    empty: new RowAccumulator(source.function).value(),
  }
}

class RowAccumulator implements Accumulator {
  readonly #function: RowsFunction
  count = 0
  number: Decimal | null = null
  cell: Cell = null
  problem: string | null = null

  constructor(called: RowsFunction) {
    this.#function = called
  }

  value(): Cell {
    if (this.problem !== null) return problemCell(this.problem)
    if (this.#function === 'count') return this.count
    return this.number ? formatUnits(this.number.units, this.number.scale) : this.cell
  }
}

type Add = (accumulator: RowAccumulator, value: Cell, isNumber: boolean) => void

const adders: Record<RowsFunction, Add> = {
  sum: (accumulator, value) => {
    if (value === null) {
      throw new FormatError(
        'is empty: its sum is not known. Add default: 0 to of, if it counts as 0',
      )
    }
    const term = parseDecimal(String(value))
    accumulator.number = accumulator.number ? addDecimals(accumulator.number, term) : term
    if (accumulator.number.scale > digitsMax) throw new FormatError('has too many digits')
  },
  count: (accumulator, value) => {
    if (value !== null) accumulator.count += 1
  },
  min: (accumulator, value, isNumber) => keepExtreme(accumulator, value, isNumber, -1),
  max: (accumulator, value, isNumber) => keepExtreme(accumulator, value, isNumber, 1),
  first: (accumulator, value) => {
    accumulator.cell ??= value
  },
}

const keepExtreme = (
  accumulator: RowAccumulator,
  value: Cell,
  isNumber: boolean,
  wanted: -1 | 1,
): void => {
  if (value === null) return
  if (isNumber) {
    const number = parseDecimal(String(value))
    if (!accumulator.number || compareDecimals(number, accumulator.number) === wanted)
      accumulator.number = number
    return
  }
  // Days and times have one form, whose texts are in their order.
  const [text, before] = [textOf(value) ?? '', textOf(accumulator.cell)]
  if (before === null || (wanted === 1 ? text > before : text < before)) accumulator.cell = value
}
