import pg from 'pg'
import type { Row, SqlValue } from '../database.ts'
import type { ColumnFormat } from './message-writer.ts'

/** The wire format of a statement's columns, and how to decode them. */
export interface RowDecoder {
  readonly formats: readonly ColumnFormat[]
  /** Decodes the content of a `dataRow` message. */
  decode(bytes: Buffer, start: number, end: number): Row
}

/** Decodes the value from `start` to `end` in `bytes`. */
type Decode = (bytes: Buffer, start: number, end: number) => SqlValue

interface ColumnType {
  readonly format: ColumnFormat
  readonly decode: Decode
}

/** PostgreSQL's numbers for its types. */
const oid = { bytea: 17, int8: 20, int4: 23, text: 25, varchar: 1_043, uuid: 2_950 } as const

/** The type of `dialect.bytes` columns; no table uses it. */
export const bytesType: number = oid.varchar

/**
 * The bytes of a value. Copies them out of a much larger chunk: otherwise a cached record would
 * keep the whole chunk in memory.
 */
const decodeBytes: Decode = (bytes, start, end) => {
  const length = end - start
  if (length * 2 >= bytes.buffer.byteLength) return bytes.subarray(start, end)
  const copy = Buffer.allocUnsafeSlow(length)
  bytes.copy(copy, 0, start, end)
  return copy
}

const decodeText: Decode = (bytes, start, end) => bytes.toString('utf8', start, end)

/** Counts and totals fit a number. */
const decodeInt8: Decode = (bytes, start) =>
  bytes.readInt32BE(start) * 0x1_0000_0000 + bytes.readUInt32BE(start + 4)

const columnTypes: ReadonlyMap<number, ColumnType> = new Map<number, ColumnType>([
  [oid.bytea, { format: 1, decode: decodeBytes }],
  [oid.varchar, { format: 0, decode: decodeBytes }],
  [oid.int8, { format: 1, decode: decodeInt8 }],
  [oid.int4, { format: 1, decode: (bytes, start) => bytes.readInt32BE(start) }],
  [oid.text, { format: 0, decode: decodeText }],
  [oid.uuid, { format: 0, decode: (bytes, start, end) => bytes.toString('latin1', start, end) }],
])

/** Any other type is sent as text and parsed by the driver. */
const otherType = (type: number): ColumnType => {
  const parse = pg.types.getTypeParser(type, 'text')
  return { format: 0, decode: (...value) => parse(decodeText(...value) as string) as SqlValue }
}

/** For a statement that returns no rows. */
export const noRows: RowDecoder = {
  formats: [],
  decode: () => {
    throw new RangeError('The database sent a row for a statement without columns.')
  },
}

/** Reads the content of a `rowDescription` message. */
export const createRowDecoder = (bytes: Buffer, start: number): RowDecoder => {
  const types = readTypes(bytes, start)
  const decoders = types.map(({ decode }) => decode)
  return {
    formats: types.map(({ format }) => format),
    decode: (row, from, end) => {
      const count = row.readInt16BE(from)
      const values: SqlValue[] = new Array(count)
      let at = from + 2
      for (let index = 0; index < count; index += 1) {
        const length = row.readInt32BE(at)
        at += 4
        if (length < 0) {
          values[index] = null
          continue
        }
        values[index] = (decoders[index] as Decode)(row, at, at + length)
        at += length
      }
      if (at !== end) throw new RangeError('The database sent a row that does not fit its columns.')
      return values
    },
  }
}

const readTypes = (bytes: Buffer, start: number): readonly ColumnType[] => {
  let at = start + 2
  return Array.from({ length: bytes.readInt16BE(start) }, () => {
    // The name is followed by table, column, type number, size, modifier and format.
    const nameEnd = bytes.indexOf(0, at) + 1
    const type = bytes.readUInt32BE(nameEnd + 6)
    at = nameEnd + 18
    return columnTypes.get(type) ?? otherType(type)
  })
}
