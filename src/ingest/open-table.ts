import { withoutCorrections } from './corrections.ts'
import { type FileInput, openChunks, type StreamInput } from './input.ts'
import { openLocalFile } from './local-file.ts'
import type { OpenedFile } from './opened-file.ts'
import { readCsv } from './read-csv.ts'
import type { Table, TableOptions } from './table.ts'

/**
 * Opens the table of a file or a stream. If the content is not a table, reading throws a
 * `SourceError` without the file's name; `namedError` adds it. `onBytes` receives the number of
 * bytes read, before decompression.
 */
export const openTable = async (
  input: FileInput | StreamInput,
  onBytes: (bytes: number) => void = () => undefined,
): Promise<Table> => {
  const { format, table: options = {} } = input
  if (format !== 'xlsx' && format !== 'parquet') return openCsv(input, options, onBytes)
  const file = await openLocalFile(input, onBytes)
  try {
    const read = await readersByFormat[format](file.opened, options, file.onBytes)
    const table = withoutCorrections(read, false)
    return {
      ...table,
      close: async () => {
        await table.close()
        await file.close()
      },
    }
  } catch (error) {
    await file.close()
    throw error
  }
}

const openCsv = async (
  input: FileInput | StreamInput,
  options: TableOptions,
  onBytes: (bytes: number) => void,
): Promise<Table> => {
  // Several threads may read the same file; its bytes count once.
  const isCounted = (options.part?.index ?? 0) === 0
  const { chunks, close } = openChunks(input, isCounted ? onBytes : () => undefined)
  try {
    const table = await readCsv(chunks, options)
    return withoutCorrections({ ...table, close: async () => close() }, true)
  } catch (error) {
    close()
    throw error
  }
}

/** Formats that need random access to a local file. Loaded on demand. */
const readersByFormat = {
  xlsx: async (...input: Parameters<ReadFile>) =>
    (await import('./xlsx/read-xlsx.ts')).readXlsx(...input),
  parquet: async (...input: Parameters<ReadFile>) =>
    (await import('./read-parquet.ts')).readParquet(...input),
} satisfies Record<string, ReadFile>

type ReadFile = (
  file: OpenedFile,
  options: TableOptions,
  onBytes: (bytes: number) => void,
) => Promise<Table>
