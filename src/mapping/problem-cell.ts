import type { Cell } from './cell.ts'
import { CellError } from './cell-error.ts'

/*
 * A cell of a made row whose value is not known has the reason in its place, as a text: so it is kept
 * in quarantine and in correction files as any other cell is.
 */
const mark = '#problem: '

export const problemCell = (reason: string): Cell => mark + reason

/** The name of a column in messages: `sum of lines.QTY` for the column of a value over rows. */
export const shownColumn = (column: string): string => column.replace(valueColumn, '$1')

export const valuePrefix = 'rows: '
const valueColumn = /^rows: (.*) #[0-9a-f]{6}$/s

/** The reason why a cell has no value; null if it has one. */
export const problemIn = (cell: Cell): string | null =>
  typeof cell === 'string' && cell.startsWith(mark) ? cell.slice(mark.length) : null

/** Throws a `CellError` for a cell without a value that is known. */
export const checkedCell = (cell: Cell): Cell => {
  const problem = problemIn(cell)
  if (problem !== null) throw new CellError(problem, '')
  return cell
}
