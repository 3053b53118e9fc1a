import type { StatementSync } from 'node:sqlite'
import { type ColumnKind, quote, type RowSlices, type SqlValue } from '../database.ts'
import { sliceColumns, sliceWidth } from '../row-slices.ts'

/**
 * Inserts rows that are slices of a buffer. SQLite gets the bytes of each row once, and the positions
 * of its columns in them, so that no JavaScript string is made of them. Identifiers are decoded here
 * and bound together as one blob: each further parameter and function call would cost as much as all
 * of them.
 */
export const insertSlices = (
  prepare: (text: string) => StatementSync,
  table: string,
  rows: RowSlices,
): void => {
  const { bytes, offsets, parts, numbersOf } = rows
  const width = sliceWidth(rows)
  const placesOf = (isWanted: (kind: ColumnKind) => boolean) =>
    parts.flatMap(({ kind }, index) => (isWanted(kind) ? [2 + index * 2] : []))
  const identifiers = placesOf(isIdentifier)
  const others = placesOf((kind) => !isIdentifier(kind))
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
    for (const place of others) {
      const from = offsets[at + place] as number
      // SQL counts from 1.
      if (from < 0) cells.push(null, null)
      else cells.push(from - begin + 1, (offsets[at + place + 1] as number) - from)
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

/** What a slice of a row's text is stored as. */
const converted: Record<Exclude<ColumnKind, 'uuid'>, (slice: string) => string> = {
  text: (slice) => `cast(${slice} as text)`,
  integer: (slice) => `cast(${slice} as integer)`,
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
  const values = rows.parts.map(({ kind }) => {
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
