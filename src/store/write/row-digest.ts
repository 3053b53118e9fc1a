import type { Catalog, Resource } from '#contract'
import type { SqlValue } from '#database'
import { type Table, tableOf } from '../schema/tables.ts'
import { markAt, markOf } from './duplicate-filter.ts'
import { watchedReferences } from './references.ts'
import { type CanonicalRecords, packedColumns } from './staging.ts'

/** What is noted of rows when they are packed, so that nobody has to look through them later on. */
export interface RowDigest {
  /** The mark of each identity. */
  readonly marks: Float64Array<ArrayBuffer>
  /** What each of the watched references points at; what was told before is seldom told again. */
  readonly referred: readonly (readonly string[])[]
}

export interface RowDigester {
  /** RowDigest a row by its cells, the first of which is at this place. */
  cells(cells: readonly SqlValue[], first: number): void
  /** RowDigest rows that are bytes. */
  ready(rows: CanonicalRecords): void
  /** What was noted since the last time. */
  take(): RowDigest
}

/** RowDigest rows of a collection, wherever they are packed. */
export const createRowDigester = (catalog: Catalog, resource: Resource): RowDigester =>
  digesterFor(tableOf(catalog, resource))

/** So many values, of all references together, are known to have been told. */
const toldMax = 400_000

export const digesterFor = (table: Table): RowDigester => {
  const parts = table.key.length
  const width = packedColumns(table).length * 2 + 2
  const watched = watchedReferences(table).map(({ column }) => ({
    column,
    told: new Set<string>(),
    values: [] as string[],
  }))
  let marks: number[] = []

  let toldOfAll = 0
  const tell = ({ told, values }: (typeof watched)[number], value: string) => {
    if (told.has(value)) return
    if (toldOfAll >= toldMax) {
      for (const each of watched) each.told.clear()
      toldOfAll = 0
    }
    told.add(value)
    toldOfAll += 1
    values.push(value)
  }

  return {
    cells: (cells, first) => {
      marks.push(markOf(cells.slice(first, first + parts)))
      for (const each of watched) {
        const value = cells[first + each.column] ?? null
        if (value !== null) tell(each, String(value))
      }
    },
    ready: ({ texts, places }) => {
      const bytes = Buffer.from(texts.buffer, texts.byteOffset, texts.byteLength)
      for (let at = 0; at < places.length; at += width) {
        marks.push(markAt(bytes, places, at + 2, parts))
      }
      for (const each of watched) {
        let [before, end] = [-1, -1]
        for (let at = 2 + each.column * 2; at < places.length; at += width) {
          const from = places[at] as number
          const to = places[at + 1] as number
          // Neighbours share much, and what was told last need not be made a text again.
          if (from < 0) continue
          if (before >= 0 && isSame(bytes, from, to, before, end)) continue
          tell(each, bytes.toString('utf8', from, to))
          before = from
          end = to
        }
      }
    },
    take: () => {
      const notes = {
        marks: new Float64Array(marks),
        referred: watched.map(({ values }) => values.splice(0)),
      }
      marks = []
      return notes
    },
  }
}

const isSame = (bytes: Buffer, from: number, to: number, start: number, end: number): boolean => {
  if (to - from !== end - start) return false
  for (let at = from, other = start; at < to; at += 1, other += 1) {
    if (bytes[at] !== bytes[other]) return false
  }
  return true
}
