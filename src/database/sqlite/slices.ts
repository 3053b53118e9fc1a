import type { StatementSync } from 'node:sqlite'
import {
  type ColumnKind,
  quote,
  type RowSlices,
  type SlicePart,
  type SqlValue,
} from '../database.ts'
import { sliceColumns, sliceWidth } from '../row-slices.ts'
import { encodeDecimalSlice } from './decimal-key.mjs'

/**
 * Inserts rows that are slices of a buffer. SQLite gets the bytes of several rows at once, and the
 * positions of the rows and columns in them, so that no JavaScript strings are created. Identifiers
 * are decoded here and bound together: two parameters and two function calls for each would take
 * longer than everything else. Computed values are bound separately.
 */
export const insertSlices = (
  prepare: (text: string) => StatementSync,
  table: string,
  rows: RowSlices,
): void => {
  const { bytes, offsets, parts, numbersOf } = rows
  const width = sliceWidth(rows)
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const places = parts.map((part, index) => ({
    kind: part.kind,
    place: 2 + index * 2,
    read: readerOf(part),
  }))
  const identifiers = places.filter(({ kind }) => isIdentifier(kind)).map(({ place }) => place)
  const others = places.filter(({ kind }) => !isIdentifier(kind))
  const count = offsets.length / width
  const decoded = new Uint8Array(rowsPerStatement * identifiers.length * identifierBytes)

  const insert = (statement: StatementSync, first: number, end: number) => {
    const base = offsets[first * width] as number
    const cells: SqlValue[] = [bytes.subarray(base, offsets[(end - 1) * width + 1])]
    if (identifiers.length > 0) cells.push(decoded)
    const addSlice = (at: number) => {
      const from = offsets[at] as number
      // SQL counts from 1.
      if (from < 0) cells.push(null, null)
      else cells.push(from - base + 1, (offsets[at + 1] as number) - from)
    }
    let decodedAt = 0
    for (let row = first; row < end; row += 1) {
      const at = row * width
      addSlice(at)
      let present = 0
      for (let index = 0; index < identifiers.length; index += 1) {
        const from = offsets[at + (identifiers[index] as number)] as number
        if (from >= 0) {
          decodeIdentifier(bytes, from, decoded, decodedAt)
          present += 2 ** index
        }
        decodedAt += identifierBytes
      }
      cells.push(present)
      for (const number of numbersOf(row)) cells.push(number)
      for (const { place, read } of others) {
        const from = offsets[at + place] as number
        if (!read) addSlice(at + place)
        else if (from < 0) cells.push(null)
        else cells.push(read(buffer, from, offsets[at + place + 1] as number))
      }
    }
    statement.run(...cells)
  }

  let row = 0
  for (const each of [rowsPerStatement, 1]) {
    if (count - row < each) continue
    const statement = prepare(insertText(table, rows, each))
    for (; count - row >= each; row += each) insert(statement, row, row + each)
  }
}

/** More rows per statement are not faster. */
const rowsPerStatement = 16
const identifierBytes = 16

const isIdentifier = (kind: ColumnKind): boolean => kind === 'uuid'

type Read = (bytes: Buffer, from: number, to: number) => SqlValue

/** Computes the value of a slice; undefined if SQLite does. */
const readerOf = ({ kind, read }: SlicePart): Read | undefined =>
  kind === 'decimal' ? encodeDecimalSlice : read

const asText = (slice: string) => `cast(${slice} as text)`
const asInteger = (slice: string) => `cast(${slice} as integer)`

/** The SQL that converts a slice to its stored value. */
const converted: Record<Exclude<ColumnKind, 'uuid' | 'decimal'>, (slice: string) => string> = {
  text: asText,
  prefix: asText,
  integer: asInteger,
  date: asInteger,
  timestamp: asInteger,
  folded: asText,
}

/**
 * Inserts some rows: ?1 is their bytes, ?2 their identifiers, if any. The other parameters have no
 * numbers: Node looks up the name of each parameter that it binds, and the lookup slows down with
 * the number of names.
 */
const insertText = (table: string, rows: RowSlices, count: number): string => {
  let columns = 1
  const next = () => {
    columns += 1
    return `column${columns}`
  }
  /** Offset of the row's identifiers, which is part of the statement. */
  const decoded = 'column1'
  const whole = `substr(?1, ${next()}, ${next()})`
  const present = next()
  const numbers = rows.numbered.map(next)
  let identifiers = 0
  const values = rows.parts.map((part) => {
    const { kind } = part
    if (kind === 'decimal' || readerOf(part)) return next()
    if (kind !== 'uuid') return converted[kind](`substr(?1, ${next()}, ${next()})`)
    const from = `${decoded} + ${identifiers * identifierBytes}`
    const isPresent = `${present} & ${2 ** identifiers}`
    identifiers += 1
    return `iif(${isPresent}, substr(?2, ${from}, ${identifierBytes}), null)`
  })
  const bound = Array(columns - 1).fill('?')
  const tuples = Array.from(
    { length: count },
    (_, row) => `(${[1 + row * identifiers * identifierBytes, ...bound]})`,
  )
  return [
    `insert into ${quote(table)} (${sliceColumns(rows).map(quote)})`,
    `select ${[...numbers, ...values, `cast(${whole} as text)`]}`,
    `from (values ${tuples})`,
  ].join('\n')
}

/** The value of each hexadecimal digit, by its byte. */
const digitValues = new Uint8Array(256)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digitValues[digit.charCodeAt(0)] = value
}
const hyphen = 0x2d

/** Decodes the 36-character identifier that starts at `from`. */
const decodeIdentifier = (bytes: Uint8Array, from: number, into: Uint8Array, at: number): void => {
  let to = at
  for (let digit = from; digit < from + 36; digit += 2) {
    if (bytes[digit] === hyphen) digit += 1
    const high = digitValues[bytes[digit] as number] as number
    into[to] = (high << 4) | (digitValues[bytes[digit + 1] as number] as number)
    to += 1
  }
}
