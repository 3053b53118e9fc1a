import { isUtf8 } from 'node:buffer'
import { type CanonicalScanner, limits } from '#contract'
import { parseJson } from './json-text.ts'
import { lineEnd, nextLine, readLines } from './lines.ts'
import { plainText } from './report.ts'
import {
  type CanonicalRows,
  rowBytesMax,
  SourceError,
  type SourceRow,
  type SourceRows,
} from './row.ts'

/**
 * Newline-delimited JSON: one record on each line; blank lines are skipped. Lines that the scanner
 * recognises as canonical are not parsed.
 */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  scanner?: CanonicalScanner,
): AsyncIterable<SourceRows> {
  let hasBegun = false
  for await (const { first, bytes } of readLines(chunks)) {
    if (!hasBegun && bytes) hasBegun = rejectArray(bytes)
    const rows: SourceRow[] = []
    const canonical = scanner && bytes && createCanonicalRows(scanner, bytes)
    let line = first
    for (let at = 0; bytes && at < bytes.length; line += 1) {
      const next = canonical?.add(line, at)
      if (next) {
        at = next
        continue
      }
      const [end, after] = lineEnd(bytes, at)
      const row = parseRow(line, bytes.subarray(at, end))
      if (row) rows.push(row)
      at = after
    }
    if (!bytes) rows.push(tooLongRow(line))
    yield { rows, canonical: canonical ? canonical.all() : null }
  }
}

/** Collects the canonical lines among some that were read. */
const createCanonicalRows = (scanner: CanonicalScanner, bytes: Buffer) => {
  const width = scanner.offsets.length + 2
  const lines: number[] = []
  let offsets = new Int32Array(64 * width)
  return {
    /** Adds the line that begins here and returns where the next one does; 0 if it is not canonical. */
    add: (line: number, from: number): number => {
      const end = scanner.endOf(bytes, from)
      const next = end < 0 ? 0 : nextLine(bytes, end)
      if (next === 0 || end - from > limits.record.maxBytes) return 0
      const at = lines.length * width
      if (at === offsets.length) {
        const larger = new Int32Array(offsets.length * 2)
        larger.set(offsets)
        offsets = larger
      }
      offsets[at] = from
      offsets[at + 1] = end
      offsets.set(scanner.offsets, at + 2)
      lines.push(line)
      return next
    },
    all: (): CanonicalRows | null =>
      lines.length > 0
        ? { lines, bytes, offsets: offsets.subarray(0, lines.length * width) }
        : null,
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

/** Space, tab and the ends of lines. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a

/** Parses one record's JSON text; null for a blank one. */
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
