import { closeSync, openSync } from 'node:fs'
import { zstdCompressSync } from 'node:zlib'
import type { SchemaElement } from 'hyparquet-writer'
import {
  exactTextColumn,
  type JsonValue,
  type Kind,
  leafFields,
  type Resource,
  valueAt,
} from '#contract'
import { fileMode } from '#files'
import { type Body, decodeBody } from '#store'
import type { FileWriter } from './formats.ts'

/**
 * Rows per row group: enough to amortise the cost of a group and to make dictionaries effective.
 */
const groupRows = 100_000
/** A row group is encoded in memory. It ends before it exceeds 64 MiB of JSON. */
const groupBytesMax = 67_108_864

/**
 * Opens a Parquet file with a column for each field, in a type that readers compare, sum and group
 * by without a cast. The contract gives amounts no scale, so no decimal type holds all their
 * digits: an amount is a number in the column of its name, and exact in a text column beside it.
 */
export const openParquet = async (resource: Resource, file: string): Promise<FileWriter> => {
  const { fileWriter, ParquetWriter } = await import('hyparquet-writer')
  const columns = parquetColumns(resource)
  // The library opens a file by name, and keeps the mode of an existing one.
  closeSync(openSync(file, 'w', fileMode))
  const writer = new ParquetWriter({
    writer: fileWriter(file),
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(schemaElement)],
    codec: 'ZSTD',
    compressors: { ZSTD: (bytes) => zstdCompressSync(bytes) },
  })
  let rows = columns.map((): unknown[] => [])
  let [count, bytes] = [0, 0]
  const writeGroup = async () => {
    if (count === 0) return
    const columnData = columns.map(({ name }, index) => ({ name, data: rows[index] ?? [] }))
    await writer.write({ columnData, rowGroupSize: groupRows })
    rows = columns.map(() => [])
    count = 0
    bytes = 0
  }
  return {
    write: async (bodies) => {
      for (const body of bodies) {
        if (count === groupRows || bytes + body.length > groupBytesMax) await writeGroup()
        const record = parse(body)
        for (const [index, { read }] of columns.entries()) rows[index]?.push(read(record))
        count += 1
        bytes += body.length
      }
    },
    close: async () => {
      await writeGroup()
      await writer.finish()
    },
  }
}

const parse = (body: Body): JsonValue => JSON.parse(decodeBody(body))

interface ParquetColumn {
  readonly name: string
  readonly nullable: boolean
  readonly type: ParquetType
  /** The value in a record, as the type stores it. */
  readonly read: (record: JsonValue) => unknown
}

type ParquetType = Omit<SchemaElement, 'name' | 'repetition_type'>

const schemaElement = ({ name, nullable, type }: ParquetColumn): SchemaElement => ({
  ...type,
  name,
  repetition_type: nullable ? 'OPTIONAL' : 'REQUIRED',
})

const parquetColumns = ({ fields }: Resource): readonly ParquetColumn[] =>
  leafFields(fields).flatMap(({ name, path, field: { kind, nullable } }) => {
    const column = (columnName: string, { type, store }: ParquetValue): ParquetColumn => ({
      name: columnName,
      nullable,
      type,
      read: (record) => {
        const value = valueAt(record, path)
        return value === null ? null : store(value)
      },
    })
    const own = column(name, valuesByKind[kind])
    return kind === 'amount' ? [own, column(exactTextColumn(name), text)] : [own]
  })

interface ParquetValue {
  readonly type: ParquetType
  /** Converts a value that is not null to the representation that has statistics. */
  readonly store: (value: NonNullable<JsonValue>) => unknown
}

const text: ParquetValue = {
  type: { type: 'BYTE_ARRAY', converted_type: 'UTF8', logical_type: { type: 'STRING' } },
  store: (value) => value,
}

const json: ParquetValue = { type: text.type, store: (value) => JSON.stringify(value) }

const dayMs = 86_400_000

const valuesByKind: Record<Kind, ParquetValue> = {
  id: text,
  ref: text,
  person: text,
  text,
  integer: { type: { type: 'INT64' }, store: (value) => BigInt(value as number) },
  flag: { type: { type: 'BOOLEAN' }, store: (value) => value },
  amount: { type: { type: 'DOUBLE' }, store: Number },
  date: {
    type: { type: 'INT32', converted_type: 'DATE', logical_type: { type: 'DATE' } },
    store: (value) => Date.parse(value as string) / dayMs,
  },
  timestamp: {
    type: {
      type: 'INT64',
      converted_type: 'TIMESTAMP_MILLIS',
      logical_type: { type: 'TIMESTAMP', isAdjustedToUTC: true, unit: 'MILLIS' },
    },
    store: (value) => BigInt(Date.parse(value as string)),
  },
  any: json,
  texts: json,
  object: json,
  objects: json,
}
