import type { JsonValue, OperatorRowCells } from '#contract'
import { parseCell, textOf } from '#mapping'
import type { QuarantinedRow, Store } from '#store'
import { OperatorError } from './error.ts'
import { type RowsFilter, readRowsRequest } from './rows.ts'

/** A row can have thousands of columns, and a cell megabytes. The correction file has all of it. */
const [cellsMax, charactersMax] = [500, 2_000]

/** A row in quarantine as it was received. */
export const readRowCells = async (
  store: Pick<Store, 'has' | 'brands' | 'quarantine'>,
  { id, ...filter }: Pick<RowsFilter, 'brand'> & { readonly id: string },
): Promise<OperatorRowCells> => {
  const request = await readRowsRequest(store, filter)
  const { rows } = await store.quarantine.list({ ...request, ids: [id], limit: 1 })
  const [row] = rows
  if (!row) throw new OperatorError('missing', `There is no row ${id} in quarantine.`)
  const cells = receivedOf(row)
  return {
    hasMoreCells: cells !== null && cells.length > cellsMax,
    cells:
      cells?.slice(0, cellsMax).map(([column, value]) => ({
        column,
        text: (textOf(parseCell(value as JsonValue)) ?? '').slice(0, charactersMax),
      })) ?? null,
  }
}

const receivedOf = ({ row, record }: QuarantinedRow): [column: string, cell: unknown][] | null => {
  if (row) return row.columns.map((column, at) => [column, row.cells[at] ?? null])
  return record && Object.entries(record)
}
