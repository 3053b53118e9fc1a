import type { Api, Filters, Row } from '../api.ts'
import type { Group } from '../contract.ts'
import type { CellContext } from './cell-text.ts'
import { cellText } from './cell-text.ts'
import type { Column } from './column.ts'
import { readResponses } from './derived-responses.ts'

/** More rows are a download: copying waits for one request per hundred. */
export const copiedMax = 1_000

const pageSize = 100

/** The rows of a whole list. */
export const readRows = async (
  api: Api,
  group: Group,
  parameters: Filters,
  include: string[],
): Promise<readonly Row[]> => {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const page = await api.query(group.path, parameters, {
      limit: pageSize,
      include,
      ...(cursor && { cursor }),
    })
    rows.push(...page.items)
    cursor = page.next
  } while (cursor !== null && rows.length < copiedMax)
  return rows
}

/** Rows as they are shown, separated by tabs as spreadsheets paste them, with the heads. */
export const rowsText = async (
  context: Omit<CellContext, 'responses'>,
  columns: readonly Column[],
  rows: readonly Row[],
): Promise<string> => {
  const lines = [columns.map(({ label }) => label).join('\t')]
  for (let at = 0; at < rows.length; at += pageSize) {
    const page = rows.slice(at, at + pageSize)
    const responses = await readResponses(context.api, columns, page)
    for (const row of page) {
      const cells = columns.map((column) => cellText({ ...context, responses, column, row }))
      lines.push(cells.join('\t'))
    }
  }
  return lines.join('\n')
}
