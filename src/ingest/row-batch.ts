import type { RowBatch, RowDigester } from '#store'
import type { ReadyRows } from './row.ts'

type Cell = RowBatch['cells'][number]

/** Gathers the good rows of a batch, of which the ready ones are known. */
export const openPacking = (noting: RowDigester, ready: ReadyRows | null) => {
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
      noting.cells(cells, first)
    },
    pack: (): RowBatch => {
      takeReady(Number.POSITIVE_INFINITY)
      if (ready) noting.ready(ready)
      return {
        lines,
        ready: ready && { texts: ready.texts, places: ready.places },
        others,
        cells,
        notes: noting.take(),
      }
    },
  }
}

/** Packed rows whose bytes nobody else holds, and those bytes, which can be moved to a thread. */
export const movable = <Rows extends RowBatch>(rows: Rows): [Rows, ArrayBuffer[]] => {
  const { ready, notes } = rows
  if (!ready) return [rows, [notes.marks.buffer]]
  const texts = new Uint8Array(ready.texts)
  const places = ready.places.slice()
  return [{ ...rows, ready: { texts, places } }, [texts.buffer, places.buffer, notes.marks.buffer]]
}
