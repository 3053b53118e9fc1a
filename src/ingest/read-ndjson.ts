import { isUtf8 } from 'node:buffer'
import { type CanonicalScanner, limits } from '#contract'
import { createCanonicalRows } from './canonical-rows.ts'
import { parseJson } from './json-text.ts'
import { lineEnd, nextLine, readLines } from './lines.ts'
import { plainText } from './report.ts'
import { requireRows, rowBytesMax, SourceError, type SourceRow, type SourceRows } from './row.ts'

/**
 * Newline-delimited JSON: one record per line; blank lines are skipped. Lines that the scanner
 * recognises as canonical are not parsed.
 */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  scanner?: CanonicalScanner,
): AsyncIterable<SourceRows> {
  let hasBegun = false
  let [rowCount, emptyLines] = [0, 0]
  for await (const { first, bytes } of readLines(chunks)) {
    if (!hasBegun && bytes) hasBegun = rejectArray(bytes)
    const rows: SourceRow[] = []
    const canonical = scanner && createCanonicalRows(scanner)
    let line = first
    for (let at = 0; bytes && at < bytes.length; line += 1) {
      const recognised = canonical ? canonical.endOf(bytes, at) : -1
      const next = recognised < 0 ? 0 : nextLine(bytes, recognised)
      if (next > 0) {
        canonical?.add(line, at, recognised)
        rowCount += 1
        at = next
        continue
      }
      const [end, after] = lineEnd(bytes, at)
      const row = parseRow(line, bytes.subarray(at, end))
      if (row) {
        rowCount += 1
        rows.push(row)
      } else {
        emptyLines += 1
        requireRows(emptyLines, rowCount)
      }
      at = after
    }
    if (!bytes) rows.push(tooLongRow(line))
    yield { rows, canonical: (bytes && canonical?.build(bytes)) ?? null }
  }
}

const [openBrace, openBracket] = [0x7b, 0x5b]

/** Rejects a file that begins like a JSON array. Returns whether the file has begun. */
const rejectArray = (bytes: Buffer): boolean => {
  const first = bytes.find((byte) => !isBlank(byte))
  if (first === openBracket) {
    throw new SourceError(
      'is a JSON array, not one record on each line: rename it to .json, or use --format json',
    )
  }
  return first !== undefined
}

/** Space, tab and line endings. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a

/** Parses one record's JSON; null for a blank line. */
export const parseRow = (line: number, bytes: Buffer | null): SourceRow | null => {
  if (bytes === null) return tooLongRow(line)
  if (!isUtf8(bytes))
    return {
      line,
      problem: 'is not valid UTF-8: save the file as UTF-8',
      text: bytes.toString('latin1'),
    }
  const text = bytes.toString()
  if (bytes[0] !== openBrace && text.trim() === '') return null
  try {
    return { line, ...parseJson(text) }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { line, problem: `is not JSON: ${plainText(reason.slice(0, 160))}`, text }
  }
}

const tooLongRow = (line: number): SourceRow => ({
  line,
  problem: `is a row of more than ${rowBytesMax.toLocaleString('en')} bytes and was not parsed: a record has at most ${limits.record.maxBytes.toLocaleString('en')} bytes`,
  text: '',
})
