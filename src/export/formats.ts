import { closeSync, createWriteStream, openSync } from 'node:fs'
import { finished } from 'node:stream/promises'
import { type Kind, leafFields, type Resource, valueAt } from '#contract'
import { fileMode } from '#files'
import { columnsOf, csvHeader, csvRow, exactCsv, jsonKinds } from '#formats'
import { type Body, decodeBody } from '#store'

export type ExportFormat = 'ndjson' | 'csv' | 'parquet'

export const exportFormats: readonly ExportFormat[] = ['ndjson', 'csv', 'parquet']

/** Writes the file of one collection, batch by batch. */
export interface FileWriter {
  write(bodies: readonly Body[]): Promise<void>
  close(): Promise<void>
}

export const openFile = async (
  format: ExportFormat,
  resource: Resource,
  file: string,
): Promise<FileWriter> => {
  if (format === 'parquet') return openParquet(resource, file)
  return format === 'csv'
    ? openText(file, csvHeader(columnsOf(resource), exactCsv), csvRows(resource))
    : openText(file, '', ndjsonLines)
}

type Encode = (bodies: readonly Body[]) => string | Uint8Array

const openText = (file: string, head: string, encode: Encode): FileWriter => {
  const out = createWriteStream(file, { mode: fileMode })
  const done = finished(out)
  // The failure is reported when the file is closed; until then it must not end the process.
  done.catch(() => undefined)
  out.write(head)
  return {
    write: async (bodies) => {
      if (!out.write(encode(bodies))) {
        await Promise.race([new Promise((resolve) => out.once('drain', resolve)), done])
      }
    },
    close: async () => {
      out.end()
      await done
    },
  }
}

const newline = Buffer.from('\n')

/** Records as they are stored, byte for byte. */
const ndjsonLines: Encode = (bodies) => Buffer.concat(bodies.flatMap((body) => [body, newline]))

const csvRows = (resource: Resource): Encode => {
  const columns = columnsOf(resource)
  const row = (body: Body): string =>
    csvRow(columns, exactCsv, JSON.parse(decodeBody(body)), () => null)
  return (bodies) => bodies.map(row).join('')
}

type ParquetType = 'STRING' | 'INT64' | 'BOOLEAN'

/** Amounts, dates and values of any kind stay text, so that no digit is lost. */
const parquetTypes: Record<Kind, ParquetType> = {
  id: 'STRING',
  ref: 'STRING',
  person: 'STRING',
  text: 'STRING',
  integer: 'INT64',
  flag: 'BOOLEAN',
  amount: 'STRING',
  date: 'STRING',
  timestamp: 'STRING',
  any: 'STRING',
  texts: 'STRING',
  object: 'STRING',
  objects: 'STRING',
}

const parquetValue = (kind: Kind, value: unknown): unknown => {
  if (value === null) return null
  if (kind === 'integer') return BigInt(value as number)
  return jsonKinds.has(kind) ? JSON.stringify(value) : value
}

const openParquet = async (resource: Resource, file: string): Promise<FileWriter> => {
  const { fileWriter, ParquetWriter, schemaFromColumnData } = await import('hyparquet-writer')
  const columns = leafFields(resource.fields)
  // The library opens a file by its name, and keeps the mode of one that exists.
  closeSync(openSync(file, 'w', fileMode))
  const columnData = (records: readonly unknown[]) =>
    columns.map(({ name, path, field }) => ({
      name,
      type: parquetTypes[field.kind],
      nullable: field.nullable,
      data: records.map((record) => parquetValue(field.kind, valueAt(record, path))),
    }))
  const writer = new ParquetWriter({
    writer: fileWriter(file),
    schema: schemaFromColumnData({ columnData: columnData([]) }),
  })
  return {
    write: async (bodies) => {
      await writer.write({
        columnData: columnData(bodies.map((body) => JSON.parse(decodeBody(body)))),
      })
    },
    close: async () => {
      await writer.finish()
    },
  }
}
