import type { RowBatch, RowDigester } from '#store'
import type { ReadyRows } from './row.ts'

type Cell = RowBatch['cells'][number]

/** Gathers the good rows of a batch, of which the ready ones are known. */
export const openPacking = (digester: RowDigester, ready: ReadyRows | null) => {
  const lines: number[] = []
  const others: number[] = []
  const cells: Cell[] = []
  const all = ready?.lines ?? []
  let taken = 0
  const takeReady = (before: number) => {
    for (; taken < all.length && (all[taken] as number) < before; taken += 1) {
      lines.push(all[taken] as number)
    }
  }
  return {
    /** Adds a row by its cells. */
    add: (line: number, row: readonly Cell[]) => {
      takeReady(line)
      others.push(lines.length)
      lines.push(line)
      const first = cells.length
      for (const cell of row) cells.push(cell)
      digester.addCells(cells, first)
    },
    pack: (): RowBatch => {
      takeReady(Number.POSITIVE_INFINITY)
      if (ready) digester.addCanonical(ready)
      return {
        lines,
        canonical: ready && { bytes: ready.bytes, offsets: ready.offsets },
        others,
        cells,
        digest: digester.take(),
      }
    },
  }
}

/** Packed rows whose bytes nobody else holds, and those bytes, which can be moved to a thread. */
export const movable = <Rows extends RowBatch>(rows: Rows): [Rows, ArrayBuffer[]] => {
  const { canonical, digest } = rows
  if (!canonical) return [rows, [digest.hashes.buffer]]
  const bytes = new Uint8Array(canonical.bytes)
  const offsets = canonical.offsets.slice()
  return [
    { ...rows, canonical: { bytes, offsets } },
    [bytes.buffer, offsets.buffer, digest.hashes.buffer],
  ]
}
