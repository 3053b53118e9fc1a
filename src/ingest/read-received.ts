import { compileSource } from './mapped-rows.ts'
import { openMapped } from './open-mapped.ts'
import { receiveCells } from './received-row.ts'
import type { Received } from './row.ts'
import type { Source } from './source.ts'

/** Rows per batch. */
const batchRows = 500

/** Whether the rows of a mapped source can be read again. */
export const canReadAgain = ({
  mapping,
  input,
  readReceived: read,
}: Pick<Source, 'mapping' | 'input' | 'readReceived'>): boolean =>
  read !== undefined || (mapping !== undefined && (input.kind === 'file' || input.kind === 'given'))

/**
 * Reads the rows of some lines again, as they were received, in batches. An import does not keep the
 * cells of its rows, because most are stored. Inputs that cannot be read again have none.
 */
export async function* readReceived(
  source: Source,
  owner: string,
  wanted: ReadonlySet<number>,
): AsyncIterable<ReadonlyMap<number, Received>> {
  const { mapping, input, resource } = source
  if (source.readReceived) yield* source.readReceived(wanted)
  if (!mapping || !canReadAgain(source) || input.kind === 'rows' || wanted.size === 0) return
  const table = await openMapped({ ...source, input, mapping }, { owner })
  let left = wanted.size
  try {
    const { columns } = table
    const mapper = compileSource(source, table.mapping, owner, columns)
    let received = new Map<number, Received>()
    for await (const batch of table.rows) {
      for (const row of batch) {
        if (!('cells' in row) || !wanted.has(row.line)) continue
        received.set(row.line, receiveCells({ resource, mapper, columns }, row.cells))
        left -= 1
      }
      if (received.size >= batchRows || left === 0) {
        yield received
        received = new Map()
      }
      if (left === 0) return
    }
    if (received.size > 0) yield received
  } finally {
    await table.close()
  }
}
