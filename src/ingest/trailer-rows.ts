import { createTrailerCheck, type Trailer } from '#mapping'
import { SourceError } from './row.ts'
import type { Table, TableRow } from './table.ts'

/** The rows of a table before its trailer. Throws `SourceError` if the trailer disagrees with them. */
export async function* rowsBeforeTrailer(
  { columns, rows }: Table,
  trailer: Trailer,
): Table['rows'] {
  const check = createTrailerCheck(trailer, columns)
  let last: TableRow | undefined
  for await (const batch of rows) {
    if (batch.length === 0) continue
    const before = last ? [last, ...batch.slice(0, -1)] : batch.slice(0, -1)
    last = batch.at(-1)
    for (const row of before) check.add('cells' in row ? row.cells : null, row.line)
    yield before
  }
  const problem = last
    ? check.end('cells' in last ? last.cells : (last.uneven ?? []), last.line)
    : 'has no rows, not even a trailer'
  if (problem !== null) throw new SourceError(problem)
}
