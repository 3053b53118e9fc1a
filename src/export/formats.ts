import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import type { Resource } from '#contract'
import { fileMode } from '#files'
import { columnsOf, csvHeader, csvRow, exactCsv } from '#formats'
import { type Body, decodeBody } from '#store'
import { openParquet } from './parquet.ts'

export type ExportFormat = 'ndjson' | 'csv' | 'parquet'

export const exportFormats: readonly ExportFormat[] = ['ndjson', 'csv', 'parquet']

/**
 * The layout version of each format. It changes with columns and types, so that an export does not
 * keep files that an earlier release wrote in another layout.
 */
export const layoutsByFormat: Record<ExportFormat, number> = { ndjson: 1, csv: 1, parquet: 2 }

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
  // Closing the file reports the error; until then it must not end the process.
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

/** The stored records, byte for byte. */
const ndjsonLines: Encode = (bodies) => Buffer.concat(bodies.flatMap((body) => [body, newline]))

const csvRows = (resource: Resource): Encode => {
  const columns = columnsOf(resource)
  const row = (body: Body): string =>
    csvRow(columns, exactCsv, JSON.parse(decodeBody(body)), () => null)
  return (bodies) => bodies.map(row).join('')
}
