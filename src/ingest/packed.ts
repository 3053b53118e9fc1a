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

/** So many rows are unpacked at once: what is made of them is gone before it has to be moved. */
const unpackedMax = 200

type Unpacked = Pick<StagedRows, 'lines' | 'cells'>

/** Turns packed rows of a collection into the cells that are staged, some at a time. */
export const openUnpacking = (catalog: Catalog, resource: Resource) => {
  const isInteger = packedFieldsOf(catalog, resource).map(
    (path) => fieldAt(resource.fields, path)?.kind === 'integer',
  )
  const width = isInteger.length + 1
  return function* ({ lines, ready, others, cells }: PackedRows): Iterable<Unpacked> {
    const cutter = ready && openCutter(ready, isInteger)
    let other = 0
    for (let first = 0; first < lines.length; first += unpackedMax) {
      const some = lines.slice(first, first + unpackedMax)
      const unpacked: Cell[] = []
      for (let row = first; row < first + some.length; row += 1) {
        if (cutter && others[other] !== row) {
          cutter(unpacked)
          continue
        }
        for (let cell = other * width; cell < (other + 1) * width; cell += 1) {
          unpacked.push(cells[cell] ?? null)
        }
        other += 1
      }
      yield { lines: some, cells: unpacked }
    }
  }
}

/** Cuts one ready row after the other out of their bytes. */
const openCutter = (
  { texts, places }: NonNullable<PackedRows['ready']>,
  isInteger: readonly boolean[],
) => {
  // What came from another thread is bare bytes.
  const bytes = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength)
  const encoding = isAscii(bytes) ? 'latin1' : 'utf8'
  const last = isInteger.map(() => ({ from: 0, to: 0, cell: '' as Cell }))
  let at = 0
  const cutColumn = (column: number): Cell => {
    const from = places[at] as number
    const to = places[at + 1] as number
    if (from < 0) return null
    const before = last[column] as (typeof last)[number]
    // Neighbours share much, and a text that is there need not be made again.
    if (!isSame(bytes, from, to, before.from, before.to)) {
      const text = bytes.toString(encoding, from, to)
      before.cell = isInteger[column] ? Number(text) : text
    }
    before.from = from
    before.to = to
    return before.cell
  }
  return (into: Cell[]) => {
    const body = bytes.toString(encoding, places[at], places[at + 1])
    at += 2
    for (let column = 0; column < isInteger.length; column += 1, at += 2) {
      into.push(cutColumn(column))
    }
    into.push(body)
  }
}

const isSame = (bytes: Buffer, from: number, to: number, start: number, end: number): boolean => {
  if (to - from !== end - start) return false
  for (let at = from, other = start; at < to; at += 1, other += 1) {
    if (bytes[at] !== bytes[other]) return false
  }
  return true
}
