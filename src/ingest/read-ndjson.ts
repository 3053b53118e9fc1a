import { isUtf8 } from 'node:buffer'
import { readLines } from './lines.ts'
import { plainText } from './report.ts'
import { rowBytesMax, type SourceRow } from './row.ts'

/** Newline-delimited JSON: one record on each line; blank lines are passed over. */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
): AsyncIterable<readonly SourceRow[]> {
  for await (const lines of readLines(chunks)) {
    const rows: SourceRow[] = []
    for (const { number, bytes } of lines) {
      const row = readRow(number, bytes)
      if (row) rows.push(row)
    }
    yield rows
  }
}

const openBrace = 0x7b

/** One record's JSON text as a row. */
export const readRow = (line: number, bytes: Buffer | null): SourceRow | null => {
  if (bytes === null) {
    return { line, problem: `is longer than ${rowBytesMax.toLocaleString('en')} bytes`, text: '' }
  }
  if (!isUtf8(bytes)) return { line, problem: 'is not valid UTF-8', text: bytes.toString('latin1') }
  const text = bytes.toString()
  if (bytes[0] !== openBrace && text.trim() === '') return null
  try {
    return { line, value: JSON.parse(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { line, problem: `is not JSON: ${plainText(reason.slice(0, 160))}`, text }
  }
}
