import { basename } from 'node:path'
import { isJsonObject } from '#contract'
import type { Cell } from '#mapping'
import type { CorrectedRow } from '#store'
import type { Correction, SourceRow } from './row.ts'
import type { Table, TableRow } from './table.ts'

/*
 * A correction file has only the rows of a source that cannot be stored, as received, with two more
 * columns: why, and which quarantined rows they are, with the state that the file was made from. It is
 * imported like the file that the rows came in. The import ignores both columns and settles the rows,
 * whatever has become of their keys. It leaves out what is newer than the file; see
 * `stale-corrections.ts`.
 */

/** The columns that a correction file adds. */
export const correctionColumns = { reason: 'selvedge_reason', row: 'selvedge_row' } as const

const correctionPart = /\.corrections(-\d+)?(?=(\.[a-z0-9]+){1,2}$)/i

/** Whether a name is that of a correction file: `vendors.corrections.csv`. */
export const isCorrectionName = (path: string): boolean => correctionPart.test(basename(path))

/** The name of the file that a correction file belongs to; other names stay as they are. */
export const correctedName = (name: string): string => name.replace(correctionPart, '')

/** What a correction file says of a quarantined row: `partners/0f3a92c41b7d-5d1f3a526a0f-2mk8`. */
export const correctionText = ({ collection, id, version, change }: CorrectedRow): string =>
  `${collection}/${id}-${version}-${change.toString(36)}`

const correctionPattern =
  /^(?<collection>[a-z][a-z0-9-]*)\/(?<id>[0-9a-f]{12})-(?<version>[0-9a-f]{12})-(?<change>[0-9a-z]{1,11})$/

/** Parses a cell of the column that names quarantined rows; null if it is not as it was written. */
export const parseCorrections = (text: string): readonly CorrectedRow[] | null => {
  const rows: CorrectedRow[] = []
  for (const each of text.split(/[\s,;]+/).filter(Boolean)) {
    const { collection, id, version, change } = correctionPattern.exec(each)?.groups ?? {}
    if (!collection || !id || !version || !change) return null
    rows.push({ collection, id, version, change: Number.parseInt(change, 36) })
  }
  return rows
}

/** What the rows of a correction file correct; undefined for rows of other files. */
export const correctionsOf = (
  rows: readonly { readonly line: number; readonly corrects?: Correction['rows'] }[],
): readonly Correction[] | undefined =>
  rows.some(({ corrects }) => corrects !== undefined)
    ? rows.flatMap(({ line, corrects }) =>
        corrects === undefined ? [] : [{ line, rows: corrects }],
      )
    : undefined

/** A record without the members of a correction file. */
export const withoutMembers = (
  row: SourceRow,
): SourceRow & { readonly corrects?: Correction['rows'] } => {
  if (!('value' in row) || !isJsonObject(row.value)) return row
  const { [correctionColumns.row]: text, ...rest } = row.value
  if (typeof text !== 'string') return row
  const { [correctionColumns.reason]: _, ...value } = rest
  return { ...row, value, corrects: parseCorrections(text) }
}

/** A table without the columns of a correction file; its rows have what they correct. */
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
      corrects: parseCorrections(String(row.cells[at] ?? '')),
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
