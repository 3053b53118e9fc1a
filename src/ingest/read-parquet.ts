import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import {
  type AsyncBuffer,
  type Compressors,
  type FileMetaData,
  parquetMetadataAsync,
  parquetRead,
  parquetSchema,
  type SchemaElement,
  type SchemaTree,
  snappyUncompress,
} from 'hyparquet'
import { formatUnits, type JsonValue } from '#contract'
import { type Cell, CivilTime } from '#mapping'
import { type OpenedFile, readAt } from './opened-file.ts'
import { SourceError } from './row.ts'
import type { Table, TableOptions, TableRow } from './table.ts'

/**
 * Reads a Parquet file by row groups. A struct column becomes one column per field, such as
 * `relationship.status`; lists and maps become JSON values. Numbers keep all their digits.
 */
export const readParquet = async (
  opened: OpenedFile,
  _options: TableOptions,
  onBytes: (bytes: number) => void,
): Promise<Table> => {
  const file = fileBuffer(opened, onBytes)
  const metadata = await named(parquetMetadataAsync(file, { geoparquet: false }))
  const columns = parquetSchema(metadata).children.flatMap((tree, index) =>
    columnsIn(tree, '', (row) => row[index]),
  )
  return {
    columns: columns.map(({ name }) => name),
    rows: readGroups(file, withoutDecimals(metadata, columns), columns),
    close: async () => undefined,
  }
}

const fileBuffer = (
  { descriptor, bytes: size }: OpenedFile,
  onBytes: (bytes: number) => void,
): AsyncBuffer => ({
  byteLength: size,
  slice: async (start, end = size) => {
    const buffer = new ArrayBuffer(Math.max(0, Math.min(end, size) - start))
    const bytes = Buffer.from(buffer)
    for (let filled = 0; filled < bytes.length; ) {
      const { bytesRead } = await readAt(
        descriptor,
        bytes,
        filled,
        bytes.length - filled,
        start + filled,
      )
      if (bytesRead === 0) throw new RangeError('the file is not complete')
      filled += bytesRead
    }
    onBytes(buffer.byteLength)
    return buffer
  },
})

interface ParquetColumn {
  readonly name: string
  readonly element: SchemaElement
  readonly read: (row: readonly unknown[]) => Cell
}

type ReadValue = (row: readonly unknown[]) => unknown

/** The columns of a field: one, or those of a struct's fields. */
const columnsIn = (tree: SchemaTree, prefix: string, read: ReadValue): readonly ParquetColumn[] => {
  const { element, children } = tree
  const name = prefix + element.name
  const isStructure =
    children.length > 0 &&
    element.repetition_type !== 'REPEATED' &&
    element.converted_type === undefined &&
    element.logical_type === undefined
  if (!isStructure) {
    const convert = children.length > 0 ? jsonOf : converterOf(element)
    return [
      {
        name,
        element,
        read: (row) => {
          const value = read(row)
          return value === null || value === undefined ? null : convert(value)
        },
      },
    ]
  }
  return children.flatMap((child) =>
    columnsIn(child, `${name}.`, (row) => {
      const value = read(row) as { readonly [name: string]: unknown } | null | undefined
      return value?.[child.element.name]
    }),
  )
}

type Convert = (value: unknown) => Cell

/** The conversion of a flat field's value to a cell. */
const converterOf = (element: SchemaElement): Convert => {
  const { converted_type: converted, logical_type: logical, repetition_type: repetition } = element
  if (repetition === 'REPEATED') return jsonOf
  if (isDecimal(element)) return (value) => decimalText(value, element.scale ?? 0)
  if (converted === 'DATE' || logical?.type === 'DATE') {
    return (value) => new CivilTime((value as Date).toISOString().slice(0, 10))
  }
  if (logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC) {
    return (value) => new CivilTime((value as Date).toISOString().slice(0, -1))
  }
  if (converted === 'TIME_MILLIS' || converted === 'TIME_MICROS' || logical?.type === 'TIME') {
    const unit = logical?.type === 'TIME' ? logical.unit : converted?.slice('TIME_'.length)
    return (value) =>
      clockText(BigInt(value as number | bigint) / (unitsPerSecond[unit ?? ''] ?? 1n))
  }
  if (converted === 'JSON' || logical?.type === 'JSON') return jsonOf
  return (value) => (value instanceof Uint8Array ? bytesText(value) : (value as Cell))
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Some programs write strings without the annotation. */
const bytesText = (bytes: Uint8Array): string => {
  try {
    return utf8.decode(bytes)
  } catch {
    return Buffer.from(bytes).toString('base64')
  }
}

const unitsPerSecond: { readonly [unit: string]: bigint } = {
  MILLIS: 1_000n,
  MICROS: 1_000_000n,
  NANOS: 1_000_000_000n,
}

const clockText = (seconds: bigint): string =>
  [seconds / 3_600n, (seconds / 60n) % 60n, seconds % 60n]
    .map((part) => String(part).padStart(2, '0'))
    .join(':')

const isDecimal = ({ converted_type: converted, logical_type: logical }: SchemaElement): boolean =>
  converted === 'DECIMAL' || logical?.type === 'DECIMAL'

/**
 * The library would convert decimals to doubles. Without the annotation it returns the stored
 * integers.
 */
const withoutDecimals = (
  metadata: FileMetaData,
  columns: readonly ParquetColumn[],
): FileMetaData => {
  const decimals = new Set(columns.map(({ element }) => element).filter(isDecimal))
  return {
    ...metadata,
    schema: metadata.schema.map((element) => {
      if (!decimals.has(element)) return element
      const { converted_type: _converted, logical_type: _logical, ...plain } = element
      return plain
    }),
  }
}

const decimalText = (value: unknown, scale: number): string => {
  const number =
    value instanceof Uint8Array
      ? BigInt.asIntN(value.length * 8, BigInt(`0x0${Buffer.from(value).toString('hex')}`))
      : BigInt(value as number | bigint)
  return formatUnits(number, scale)
}

/** A nested value as JSON. */
const jsonOf = (value: unknown): JsonValue => {
  if (value === null || value === undefined) return null
  if (value instanceof Date) return value.toISOString()
  if (value instanceof Uint8Array) return bytesText(value)
  if (typeof value === 'bigint') {
    return Number.isSafeInteger(Number(value)) ? Number(value) : String(value)
  }
  if (Array.isArray(value)) return value.map(jsonOf)
  if (typeof value !== 'object') return value as JsonValue
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, jsonOf(each)]))
}

/** Row groups are decoded as a whole. */
const groupBytesMax = 1_024 * 1_024 * 1_024
const pageBytesMax = 256 * 1_024 * 1_024
const batchRows = 1_000

async function* readGroups(
  file: AsyncBuffer,
  metadata: FileMetaData,
  columns: readonly ParquetColumn[],
): AsyncIterable<readonly TableRow[]> {
  let line = 1
  for (const { num_rows: count, total_byte_size: bytes } of metadata.row_groups) {
    if (bytes > groupBytesMax) {
      const limit = groupBytesMax.toLocaleString('en')
      throw new SourceError(
        `has a row group of more than ${limit} bytes: write it with smaller row groups`,
      )
    }
    const rows = await readRows(file, metadata, line - 1, line - 1 + Number(count))
    for (let at = 0; at < rows.length; at += batchRows) {
      const first = line + at
      yield rows.slice(at, at + batchRows).map((row, index) => ({
        line: first + index,
        cells: columns.map(({ read }) => read(row)),
      }))
    }
    line += rows.length
  }
}

const readRows = async (
  file: AsyncBuffer,
  metadata: FileMetaData,
  rowStart: number,
  rowEnd: number,
): Promise<readonly (readonly unknown[])[]> => {
  let all: readonly (readonly unknown[])[] = []
  if (rowEnd === rowStart) return all
  const text = (bytes: Uint8Array | undefined) => bytes && utf8.decode(bytes)
  const reading = parquetRead({
    file,
    metadata,
    rowStart,
    rowEnd,
    compressors,
    utf8: false,
    geoparquet: false,
    parsers: {
      stringFromBytes: text,
      jsonFromBytes: (bytes) => JSON.parse(text(bytes) ?? 'null'),
    },
    onComplete: (rows) => {
      all = rows
    },
  })
  await named(reading)
  return all
}

/** The library's errors have no class. */
const named = async <T>(reading: Promise<T>): Promise<T> => {
  try {
    return await reading
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (/^E[A-Z]+$/.test(code) || error instanceof SourceError) throw error
    throw new SourceError(`is not a whole Parquet file: ${(error as Error).message}`)
  }
}

const bounded =
  (decompress: (bytes: Uint8Array, length: number) => Uint8Array) =>
  (bytes: Uint8Array, length: number): Uint8Array => {
    if (length > pageBytesMax) {
      const limit = pageBytesMax.toLocaleString('en')
      throw new SourceError(`has a page of more than ${limit} bytes: write it with smaller pages`)
    }
    return decompress(bytes, length)
  }

const compressors: Compressors = {
  SNAPPY: bounded((bytes, length) => {
    const page = new Uint8Array(length)
    snappyUncompress(bytes, page)
    return page
  }),
  GZIP: bounded((bytes, length) => gunzipSync(bytes, { maxOutputLength: Math.max(1, length) })),
  BROTLI: bounded((bytes, length) =>
    brotliDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
  ),
  ZSTD: bounded((bytes, length) =>
    zstdDecompressSync(bytes, { maxOutputLength: Math.max(1, length) }),
  ),
}
