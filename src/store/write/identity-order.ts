import { columnsOf, type Table } from '../schema/tables.ts'
import type { RowBatch } from './staging.ts'

/** Checks that rows arrive in identity order without duplicates. */
export interface IdentityOrder {
  /** Whether all rows of a batch follow those of earlier batches, in order. */
  continues(rows: RowBatch): boolean
}

/** An identity as slices of a buffer: consecutive parts, beginning at an offset. */
interface Identity {
  readonly bytes: Uint8Array
  readonly offsets: Int32Array
  readonly at: number
}

/** Engines sort identifiers and texts by their bytes; the order of other kinds is unknown here. */
export const hasIdentityOrder = ({ key }: Table): boolean =>
  key.every(({ kind }) => kind === 'uuid' || kind === 'text')

export const createIdentityOrder = (table: Table): IdentityOrder => {
  const parts = table.key.length
  const columns = columnsOf(table).length
  let last: Identity | null = null

  const otherIdentity = (cells: RowBatch['cells'], row: number): Identity => {
    const first = row * (columns + 1)
    return joined(cells.slice(first, first + parts).map((part) => Buffer.from(String(part))))
  }

  return {
    continues: ({ lines, canonical, others, cells }) => {
      const width = columns * 2 + 2
      let other = 0
      let before = last
      for (let row = 0; row < lines.length; row += 1) {
        let identity: Identity
        if (others[other] === row) {
          identity = otherIdentity(cells, other)
          other += 1
        } else if (canonical) identity = { ...canonical, at: (row - other) * width + 2 }
        else return false
        if (before && compare(before, identity, parts) >= 0) return false
        before = identity
      }
      // Copies the identity, so that the batch's buffer can be freed.
      last = before && copied(before, parts)
      return true
    },
  }
}

const compare = (one: Identity, other: Identity, parts: number): number => {
  for (let part = 0; part < parts * 2; part += 2) {
    const end = one.offsets[one.at + part + 1] as number
    const otherEnd = other.offsets[other.at + part + 1] as number
    let at = one.offsets[one.at + part] as number
    let otherAt = other.offsets[other.at + part] as number
    while (at < end && otherAt < otherEnd) {
      const difference = (one.bytes[at] as number) - (other.bytes[otherAt] as number)
      if (difference !== 0) return difference
      at += 1
      otherAt += 1
    }
    if (at < end || otherAt < otherEnd) return at < end ? 1 : -1
  }
  return 0
}

const copied = ({ bytes, offsets, at }: Identity, parts: number): Identity =>
  joined(
    Array.from({ length: parts }, (_, part) =>
      bytes.slice(offsets[at + part * 2], offsets[at + part * 2 + 1]),
    ),
  )

const joined = (parts: readonly Uint8Array[]): Identity => {
  const offsets: number[] = []
  let length = 0
  for (const part of parts) {
    offsets.push(length, length + part.length)
    length += part.length
  }
  return { bytes: Buffer.concat(parts), offsets: new Int32Array(offsets), at: 0 }
}
