import { isUtf8 } from 'node:buffer'
import { limits, type ReadyTexts } from '#contract'
import { parseJson } from './json-text.ts'
import { lineEnd, nextLine, readLines } from './lines.ts'
import { plainText } from './report.ts'
import {
  type ReadyRows,
  rowBytesMax,
  SourceRefused,
  type SourceRow,
  type SourceRows,
} from './row.ts'

/**
 * Newline-delimited JSON: one record on each line; blank lines are passed over. Lines that are
 * known to be ready are not parsed.
 */
export async function* readNdjson(
  chunks: AsyncIterable<Buffer>,
  texts?: ReadyTexts,
): AsyncIterable<SourceRows> {
  let begun = false
  for await (const { first, bytes } of readLines(chunks)) {
    if (!begun && bytes) begun = refuseArray(bytes)
    const rows: SourceRow[] = []
    const ready = texts && bytes && openReadyRows(texts, bytes)
    let line = first
    for (let at = 0; bytes && at < bytes.length; line += 1) {
      const next = ready?.take(line, at)
      if (next) {
        at = next
        continue
      }
      const [end, after] = lineEnd(bytes, at)
      const row = readRow(line, bytes.subarray(at, end))
      if (row) rows.push(row)
      at = after
    }
    if (!bytes) rows.push(tooLongRow(line))
    yield { rows, ready: ready ? ready.all() : null }
  }
}

/** Gathers the lines that are ready of some that were read. */
const openReadyRows = (texts: ReadyTexts, bytes: Buffer) => {
  const width = texts.places.length + 2
  const lines: number[] = []
  let places = new Int32Array(64 * width)
  return {
    /** Takes the line that begins here, and says where the next one does; 0 if it is not ready. */
    take: (line: number, from: number): number => {
      const end = texts.endOf(bytes, from)
      const next = end < 0 ? 0 : nextLine(bytes, end)
      if (next === 0 || end - from > limits.record.maxBytes) return 0
      const at = lines.length * width
      if (at === places.length) {
        const larger = new Int32Array(places.length * 2)
        larger.set(places)
        places = larger
      }
      places[at] = from
      places[at + 1] = end
      places.set(texts.places, at + 2)
      lines.push(line)
      return next
    },
    all: (): ReadyRows | null =>
      lines.length > 0 ? { lines, bytes, offsets: places.subarray(0, lines.length * width) } : null,
  }
}

const [openBrace, openBracket] = [0x7b, 0x5b]

/** Refuses a file that begins like a JSON array. Says whether it has begun. */
const refuseArray = (bytes: Buffer): boolean => {
  const first = bytes.find((byte) => !isBlank(byte))
  if (first === openBracket) {
    throw new SourceRefused(
      'is a JSON array, not one record on each line: name it .json, or use --format json',
    )
  }
  return first !== undefined
}

/** Space, tab and the ends of lines. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === 0x0a

/** One record's JSON text as a row. */
export const readRow = (line: number, bytes: Buffer | null): SourceRow | null => {
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
  problem: `is a row of more than ${rowBytesMax.toLocaleString('en')} bytes, which is not read: a record has at most ${limits.record.maxBytes.toLocaleString('en')} bytes`,
  text: '',
})
