import { isJsonObject } from '#contract'
import { type Cell, cellsOf } from '#mapping'
import { type FileInput, namedError, openChunks } from './input.ts'
import { openTable } from './open-table.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import { SourceError, type SourceRow } from './row.ts'
import { openableFile } from './source.ts'
import type { Encoding, TableRow } from './table.ts'

/** The columns and the first rows of a file. */
export interface FileSample {
  readonly columns: readonly string[]
  readonly rows: readonly (readonly Cell[])[]
  /** The encoding of a text file, if it is not UTF-8. */
  readonly encoding: Encoding | null
}

/** Reads the first rows of a file in any supported encoding. */
export const sampleFile = async (path: string, rowsMax: number): Promise<FileSample> => {
  const { input } = await openableFile(path, {})
  try {
    if (input.format === 'json' || input.format === 'ndjson') {
      return await sampleObjects(input, rowsMax)
    }
    try {
      return await sampleTable(input, rowsMax, null)
    } catch (error) {
      const isOther = error instanceof SourceError && /is not valid UTF-8/.test(error.message)
      if (!isOther) throw error
      return await sampleTable(input, rowsMax, 'windows-1252')
    }
  } catch (error) {
    throw namedError(path, error)
  }
}

const sampleTable = async (
  input: FileInput,
  rowsMax: number,
  encoding: Encoding | null,
): Promise<FileSample> => {
  const table = await openTable(encoding ? { ...input, table: { encoding } } : input)
  try {
    const rows = await firstRows(table.rows, rowsMax)
    return {
      columns: table.columns,
      rows: rows.flatMap((row) => ('cells' in row ? [row.cells] : [])),
      encoding,
    }
  } finally {
    await table.close()
  }
}

const sampleObjects = async (input: FileInput, rowsMax: number): Promise<FileSample> => {
  const { chunks, close } = openChunks(input, () => undefined)
  const batches = async function* (): AsyncIterable<readonly SourceRow[]> {
    if (input.format === 'json') yield* readJsonArray(chunks)
    else for await (const { rows } of readNdjson(chunks)) yield rows
  }
  try {
    const rows = await firstRows(batches(), rowsMax)
    const objects = rows.flatMap((row) =>
      'value' in row && isJsonObject(row.value) ? [row.value] : [],
    )
    const columns = [...new Set(objects.flatMap((each) => Object.keys(each)))]
    return { columns, rows: objects.map((each) => cellsOf(each, columns)), encoding: null }
  } finally {
    close()
  }
}

const firstRows = async <Row extends SourceRow | TableRow>(
  batches: AsyncIterable<readonly Row[]>,
  rowsMax: number,
): Promise<readonly Row[]> => {
  const rows: Row[] = []
  for await (const batch of batches) {
    rows.push(...batch.slice(0, rowsMax - rows.length))
    if (rows.length >= rowsMax) break
  }
  return rows
}
