import { basename } from 'node:path'
import { isJsonObject } from '#contract'
import type { Cell } from '#mapping'
import type { SourceRow } from './row.ts'
import type { Table, TableRow } from './table.ts'

/*
 * A correction file has only the rows of a source that cannot be stored, as received, with two more
 * columns: why, and the ids of the quarantined rows. It is imported like the file that the rows came
 * in. The import ignores both columns and settles the rows with these ids, whatever has become of
 * their keys.
 */

/** The columns that a correction file adds. */
export const correctionColumns = { reason: 'selvedge_reason', row: 'selvedge_row' } as const

const correctionPart = /\.corrections(-\d+)?(?=(\.[a-z0-9]+){1,2}$)/i

/** Whether a name is that of a correction file: `vendors.corrections.csv`. */
export const isCorrectionName = (path: string): boolean => correctionPart.test(basename(path))

/** The name of the file that a correction file belongs to; other names stay as they are. */
export const correctedName = (name: string): string => name.replace(correctionPart, '')

/** The ids in a cell: rows of several collections can have come from one row. */
export const idsOf = (text: string): readonly string[] => text.split(/[\s,;]+/).filter(Boolean)

/** The ids that rows of a correction file settle; undefined for rows of other files. */
export const settledBy = (
  rows: readonly { readonly line: number; readonly settles?: readonly string[] }[],
): readonly string[] | undefined =>
  rows.some(({ settles }) => settles) ? rows.flatMap(({ settles = [] }) => settles) : undefined

/** A record without the members of a correction file. */
export const withoutMembers = (row: SourceRow): SourceRow & { settles?: readonly string[] } => {
  if (!('value' in row) || !isJsonObject(row.value)) return row
  const { [correctionColumns.row]: ids, ...rest } = row.value
  if (typeof ids !== 'string') return row
  const { [correctionColumns.reason]: _, ...value } = rest
  return { ...row, value, settles: idsOf(ids) }
}

/** A table without the columns of a correction file; its rows have the ids. */
export const withoutCorrections = (table: Table, isEscaped: boolean): Table => {
  const at = table.columns.findIndex((name) => name.trim() === correctionColumns.row)
  if (at < 0) return table
  const reasonAt = table.columns.findIndex((name) => name.trim() === correctionColumns.reason)
  const isOwn = (_: unknown, index: number) => index !== at && index !== reasonAt
  const ownRow = (row: TableRow): TableRow => {
    if ('problem' in row) return row
    const cells = row.cells.filter(isOwn)
    return {
      line: row.line,
      cells: isEscaped ? cells.map(unescaped) : cells,
      settles: idsOf(String(row.cells[at] ?? '')),
    }
  }
  const rows = async function* (): Table['rows'] {
    for await (const batch of table.rows) yield batch.map(ownRow)
  }
  return { ...table, columns: table.columns.filter(isOwn), rows: rows() }
}

/**
 * Where a spreadsheet can take a text for a formula: at its start and, for a program that splits
 * lines at another delimiter, after one. A number is not a formula.
 */
const formula = /(^["\s]*|[;,|\t\r\n]["\s]*)(?='*[=+\-@])/g
const escapedFormula = /(^["\s]*|[;,|\t\r\n]["\s]*)'(?='*[=+\-@])/g
const number = /^[+-]?\d+([.,]\d+)*$/

/** A text that no spreadsheet runs, for a CSV file; `unescaped` gives the text back. */
export const escapedText = (text: string): string =>
  number.test(text) ? text : text.replace(formula, "$1'")

const unescaped = (cell: Cell): Cell =>
  typeof cell === 'string' ? cell.replace(escapedFormula, '$1') : cell
