import type { SqlValue } from '#database'
import { columnsOf, type Table } from '../schema/tables.ts'
import { hashIdentity, hashSlices } from './duplicate-filter.ts'
import { watchedReferences } from './references.ts'
import type { CanonicalRecords } from './staging.ts'

/** Data collected while rows are packed, so that later checks need not read the rows again. */
export interface RowDigest {
  /** The hash of each identity. */
  readonly hashes: Float64Array<ArrayBuffer>
  /** The values of each watched reference, mostly without repetitions. */
  readonly referenced: readonly (readonly string[])[]
}

export interface RowDigester {
  /** Adds a row by its cells, beginning at index `first`. */
  addCells(cells: readonly SqlValue[], first: number): void
  /** Adds rows that are slices of a buffer. */
  addCanonical(rows: CanonicalRecords): void
  /** Returns and clears the collected data. */
  take(): RowDigest
}

/** Maximum values of all references cached as already reported: about 40 MB. */
const reportedMax = 400_000

export const createRowDigester = (table: Table): RowDigester => {
  const parts = table.key.length
  const width = columnsOf(table).length * 2 + 2
  const watched = watchedReferences(table).map(({ column }) => ({
    column,
    reported: new Set<string>(),
    values: [] as string[],
  }))
  let hashes: number[] = []

  let reportedCount = 0
  const report = ({ reported, values }: (typeof watched)[number], value: string) => {
    if (reported.has(value)) return
    if (reportedCount >= reportedMax) {
      for (const each of watched) each.reported.clear()
      reportedCount = 0
    }
    reported.add(value)
    reportedCount += 1
    values.push(value)
  }

  return {
    addCells: (cells, first) => {
      hashes.push(hashIdentity(cells.slice(first, first + parts)))
      for (const each of watched) {
        const value = cells[first + each.column] ?? null
        if (value !== null) report(each, String(value))
      }
    },
    addCanonical: ({ bytes: body, offsets }) => {
      const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      for (let at = 0; at < offsets.length; at += width) {
        hashes.push(hashSlices(bytes, offsets, at + 2, parts))
      }
      for (const each of watched) {
        let [before, end] = [-1, -1]
        for (let at = 2 + each.column * 2; at < offsets.length; at += width) {
          const from = offsets[at] as number
          const to = offsets[at + 1] as number
          // Adjacent rows often share a value: compare bytes before decoding a string.
          if (from < 0) continue
          if (before >= 0 && isSame(bytes, from, to, before, end)) continue
          report(each, bytes.toString('utf8', from, to))
          before = from
          end = to
        }
      }
    },
    take: () => {
      const digest = {
        hashes: new Float64Array(hashes),
        referenced: watched.map(({ values }) => values.splice(0)),
      }
      hashes = []
      return digest
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
