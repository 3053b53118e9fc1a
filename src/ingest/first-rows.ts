import { type FileInput, openChunks } from './input.ts'
import { readJsonArray } from './read-json.ts'
import { readNdjson } from './read-ndjson.ts'
import type { SourceRow } from './row.ts'

/** The first rows of a table or of a file of objects. */
export const firstRows = async <Row>(
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

/** The first rows of a JSON or NDJSON file. */
export const firstObjects = async (
  input: FileInput,
  rowsMax: number,
): Promise<readonly SourceRow[]> => {
  const { chunks, close } = openChunks(input, () => undefined)
  const batches = async function* (): AsyncIterable<readonly SourceRow[]> {
    if (input.format === 'json') yield* readJsonArray(chunks)
    else for await (const { rows } of readNdjson(chunks)) yield rows
  }
  try {
    return await firstRows(batches(), rowsMax)
  } finally {
    close()
  }
}
