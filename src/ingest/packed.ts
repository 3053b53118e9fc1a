import { isAscii } from 'node:buffer'
import { type Catalog, fieldAt, type Resource } from '#contract'
import { packedFieldsOf, type StagedRows } from '#store'
import type { ReadyRows } from './row.ts'

type Cell = StagedRows['cells'][number]

/**
 * Good rows on their way to where they are staged: the ready ones as bytes, which go from one thread
 * to another without being copied, and the others as what was packed of them.
 */
export interface PackedRows {
  /** The lines of all of them, in order. */
  readonly lines: readonly number[]
  readonly ready: Pick<ReadyRows, 'texts' | 'places'> | null
  /** Which of the lines are not ready, in order. */
  readonly others: readonly number[]
  readonly cells: readonly Cell[]
}

/** Gathers the good rows of a batch, of which the ready ones are known. */
export const openPacking = (ready: ReadyRows | null) => {
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
    /** Adds a row by having its cells pushed. */
    add: (line: number, push: (into: Cell[]) => void) => {
      takeReady(line)
      others.push(lines.length)
      lines.push(line)
      push(cells)
    },
    pack: (): PackedRows => {
      takeReady(Number.POSITIVE_INFINITY)
      return {
        lines,
        ready: ready && { texts: ready.texts, places: ready.places },
        others,
        cells,
      }
    },
  }
}

/** Packed rows whose bytes nobody else holds, and those bytes, which can be moved to a thread. */
export const movable = <Rows extends PackedRows>(rows: Rows): [Rows, ArrayBuffer[]] => {
  if (!rows.ready) return [rows, []]
  const texts = Buffer.from(new Uint8Array(rows.ready.texts).buffer)
  const places = rows.ready.places.slice()
  return [{ ...rows, ready: { texts, places } }, [texts.buffer, places.buffer]]
}

/** Turns packed rows of a collection into the cells that are staged. */
export const openUnpacking = (catalog: Catalog, resource: Resource) => {
  const isInteger = packedFieldsOf(catalog, resource).map(
    (path) => fieldAt(resource.fields, path)?.kind === 'integer',
  )
  const columns = isInteger.length
  const width = columns + 1
  return ({ lines, ready, others, cells }: PackedRows): readonly Cell[] => {
    if (!ready) return cells
    const { texts, places } = ready
    // What came from another thread is bare bytes.
    const bytes = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength)
    const cut = isAscii(bytes)
      ? (from: number, to: number) => bytes.toString('latin1', from, to)
      : (from: number, to: number) => bytes.toString('utf8', from, to)
    const all: Cell[] = []
    const last = Array.from({ length: columns }, () => ({ from: 0, to: 0, cell: '' as Cell }))
    let at = 0
    let other = 0
    for (let row = 0; row < lines.length; row += 1) {
      if (others[other] === row) {
        for (let cell = other * width; cell < (other + 1) * width; cell += 1) {
          all.push(cells[cell] ?? null)
        }
        other += 1
        continue
      }
      const start = places[at] as number
      const end = places[at + 1] as number
      at += 2
      for (let column = 0; column < columns; column += 1, at += 2) {
        const from = places[at] as number
        if (from < 0) {
          all.push(null)
          continue
        }
        const to = places[at + 1] as number
        const before = last[column] as (typeof last)[number]
        // Neighbours share much, and a text that is there need not be made again.
        if (!isSame(bytes, from, to, before.from, before.to)) {
          const text = cut(from, to)
          before.cell = isInteger[column] ? Number(text) : text
        }
        before.from = from
        before.to = to
        all.push(before.cell)
      }
      all.push(cut(start, end))
    }
    return all
  }
}

const isSame = (bytes: Buffer, from: number, to: number, start: number, end: number): boolean => {
  if (to - from !== end - start) return false
  for (let at = from, other = start; at < to; at += 1, other += 1) {
    if (bytes[at] !== bytes[other]) return false
  }
  return true
}
