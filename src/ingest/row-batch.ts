import type { Rank } from '#mapping'
import type { RowBatch, RowDigester } from '#store'
import type { CanonicalRows } from './row.ts'

type Cell = RowBatch['cells'][number]

/** Collects the valid rows of a batch in line order. The canonical rows are known in advance. */
export const createRowBatchBuilder = (digester: RowDigester, canonical: CanonicalRows | null) => {
  const lines: number[] = []
  const others: number[] = []
  const cells: Cell[] = []
  const ranks: Rank[] = []
  const canonicalLines = canonical?.lines ?? []
  let next = 0
  const addCanonicalBefore = (line: number) => {
    for (; next < canonicalLines.length && (canonicalLines[next] as number) < line; next += 1) {
      lines.push(canonicalLines[next] as number)
      ranks.push(canonical?.ranks?.[next] ?? null)
    }
  }
  return {
    /** Adds the cells of a row that is not canonical. Returns its index in the batch. */
    add: (line: number, row: readonly Cell[], rank: Rank = null): number => {
      addCanonicalBefore(line)
      const index = lines.length
      others.push(index)
      lines.push(line)
      ranks.push(rank)
      const first = cells.length
      for (const cell of row) cells.push(cell)
      digester.addCells(cells, first)
      return index
    },
    /** The number of rows before a line, which must not be before that of an added row. */
    rowsBefore: (line: number): number => {
      addCanonicalBefore(line)
      return lines.length
    },
    build: (): RowBatch => {
      addCanonicalBefore(Number.POSITIVE_INFINITY)
      if (canonical) digester.addCanonical(canonical)
      return {
        lines,
        canonical: canonical && { bytes: canonical.bytes, offsets: canonical.offsets },
        others,
        cells,
        digest: digester.take(),
        ...(ranks.some((rank) => rank !== null) && { ranks }),
      }
    },
  }
}

/** Returns a batch with exclusive buffers, and the buffers to transfer to another thread. */
export const toTransferable = <Batch extends RowBatch>(batch: Batch): [Batch, ArrayBuffer[]] => {
  const { canonical, digest } = batch
  if (!canonical) return [batch, [digest.hashes.buffer]]
  const { bytes: own } = canonical
  const isWhole = own.byteLength === own.buffer.byteLength && own.buffer instanceof ArrayBuffer
  const bytes = isWhole ? new Uint8Array(own.buffer) : new Uint8Array(own)
  const offsets = canonical.offsets.slice()
  return [
    { ...batch, canonical: { bytes, offsets } },
    [bytes.buffer, offsets.buffer, digest.hashes.buffer],
  ]
}
