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
 * Inserts rows that are slices of a buffer. SQLite gets the bytes of each row once, and the positions
 * of its columns in them, so that no JavaScript string is made of them. Identifiers are decoded here
 * and bound together as one blob: each further parameter and function call would cost as much as all
 * of them. Values that are not what their slices say are bound by themselves.
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
  const decoded = new Uint8Array(count * identifiers.length * identifierBytes)

  let decodedEnd = 0
  const addRow = (cells: SqlValue[], row: number) => {
    const at = row * width
    const begin = offsets[at] as number
    const decodedFrom = decodedEnd
    let present = 0
    for (const [index, place] of identifiers.entries()) {
      const from = offsets[at + place] as number
      if (from >= 0) {
        decodeIdentifier(bytes, from, decoded, decodedEnd)
        present += 2 ** index
      }
      decodedEnd += identifierBytes
    }
    cells.push(bytes.subarray(begin, offsets[at + 1]))
    cells.push(decoded.subarray(decodedFrom, decodedEnd), present)
    for (const number of numbersOf(row)) cells.push(number)
    for (const { place, read } of others) {
      const from = offsets[at + place] as number
      const to = offsets[at + place + 1] as number
      if (read) cells.push(from < 0 ? null : read(buffer, from, to))
      // SQL counts from 1.
      else if (from < 0) cells.push(null, null)
      else cells.push(from - begin + 1, to - from)
    }
  }

  let row = 0
  const insert = (each: number) => {
    if (count - row < each) return
    const statement = prepare(insertText(table, rows, each))
    while (count - row >= each) {
      const cells: SqlValue[] = []
      for (const end = row + each; row < end; row += 1) addRow(cells, row)
      statement.run(...cells)
    }
  }
  insert(rowsPerStatement)
  insert(1)
}

/** Rows of one statement. More of them make it no faster. */
const rowsPerStatement = 16
const identifierBytes = 16

const isIdentifier = (kind: ColumnKind): boolean => kind === 'uuid'

type Read = (bytes: Buffer, from: number, to: number) => SqlValue

/** What makes the value of a slice; undefined where SQLite does. */
const readerOf = ({ kind, read }: SlicePart): Read | undefined =>
  kind === 'decimal' ? encodeDecimalSlice : read

const asText = (slice: string) => `cast(${slice} as text)`
const asInteger = (slice: string) => `cast(${slice} as integer)`

/** What a slice of a row's text is stored as. */
const converted: Record<Exclude<ColumnKind, 'uuid' | 'decimal'>, (slice: string) => string> = {
  text: asText,
  integer: asInteger,
  date: asInteger,
  timestamp: asInteger,
  folded: asText,
}

/**
 * Inserts some rows. Their parameters have no numbers: Node looks up the name of each parameter that
 * it binds, which takes the longer the more have one.
 */
const insertText = (table: string, rows: RowSlices, count: number): string => {
  let last = 0
  const next = () => {
    last += 1
    return `column${last}`
  }
  const [body, identifiers, present] = [next(), next(), next()]
  const numbers = rows.numbered.map(next)
  let identifier = 0
  const values = rows.parts.map((part) => {
    const { kind } = part
    if (kind === 'decimal' || readerOf(part)) return next()
    if (kind !== 'uuid') return converted[kind](`substr(${body}, ${next()}, ${next()})`)
    const from = identifier * identifierBytes + 1
    const isPresent = `${present} & ${2 ** identifier}`
    identifier += 1
    return `iif(${isPresent}, substr(${identifiers}, ${from}, ${identifierBytes}), null)`
  })
  const row = `(${Array(last).fill('?')})`
  return [
    `insert into ${quote(table)} (${sliceColumns(rows).map(quote)})`,
    `select ${[...numbers, ...values, `cast(${body} as text)`]}`,
    `from (values ${Array(count).fill(row)})`,
  ].join('\n')
}

/** The number that a hexadecimal digit stands for, by its byte. */
const digitValues = new Uint8Array(256)
for (const [value, digit] of [...'0123456789abcdef'].entries()) {
  digitValues[digit.charCodeAt(0)] = value
}
const hyphen = 0x2d

/** Decodes the identifier whose 36 characters begin here. */
const decodeIdentifier = (bytes: Uint8Array, from: number, into: Uint8Array, at: number): void => {
  let to = at
  for (let digit = from; digit < from + 36; digit += 2) {
    if (bytes[digit] === hyphen) digit += 1
    const high = digitValues[bytes[digit] as number] as number
    into[to] = (high << 4) | (digitValues[bytes[digit + 1] as number] as number)
    to += 1
  }
}
