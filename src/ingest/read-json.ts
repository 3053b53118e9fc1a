import { isBlank, parseRow } from './read-ndjson.ts'
import { rowBytesMax, SourceError, type SourceRow } from './row.ts'

const [quoteMark, backslash, comma, openBracket, closeBracket, openBrace, closeBrace] = [
  ...Buffer.from('"\\,[]{}'),
] as [number, number, number, number, number, number, number]
const newline = 0x0a

/**
 * Reads a JSON array of records with one element in memory at a time. Brackets and commas delimit
 * the elements; parsing each one shows whether it is valid JSON.
 */
export async function* readJsonArray(
  chunks: AsyncIterable<Buffer>,
): AsyncIterable<readonly SourceRow[]> {
  let line = 1
  let depth = 0
  let inString = false
  let escaped = false
  let begun = false
  let ended = false
  let elements = 0
  let elementLine = 0
  let parts: Buffer[] = []
  let bytes = 0

  const element = (): SourceRow | null => {
    const whole = bytes > rowBytesMax ? null : Buffer.concat(parts)
    parts = []
    bytes = 0
    const at = elementLine
    elementLine = 0
    return at === 0 ? null : parseRow(at, whole)
  }

  for await (const chunk of chunks) {
    const rows: SourceRow[] = []
    let from = begun && !ended ? 0 : -1
    for (let index = 0; index < chunk.length; index += 1) {
      const byte = chunk[index] as number
      if (byte === newline) line += 1
      if (!begun) {
        if (isBlank(byte) || byte === 0xef || byte === 0xbb || byte === 0xbf) continue
        if (byte !== openBracket)
          throw new SourceError(
            byte === openBrace
              ? 'does not begin with [ and is not a JSON array: if it has one record on each line, rename it to .ndjson, or use --format ndjson'
              : 'does not begin with [ and is not a JSON array',
          )
        begun = true
        from = index + 1
        continue
      }
      if (ended) {
        if (!isBlank(byte))
          throw new SourceError(`has text after the end of the array, in line ${line}`)
        continue
      }
      if (inString) {
        if (escaped) escaped = false
        else if (byte === backslash) escaped = true
        else if (byte === quoteMark) inString = false
        continue
      }
      if (elementLine === 0 && !isBlank(byte) && byte !== comma && byte !== closeBracket) {
        elementLine = line
      }
      if (byte === quoteMark) inString = true
      else if (byte === openBrace || byte === openBracket) depth += 1
      else if (depth > 0 && (byte === closeBrace || byte === closeBracket)) depth -= 1
      else if (depth === 0 && (byte === comma || byte === closeBracket)) {
        take(chunk.subarray(from, index))
        const row = element()
        if (row) rows.push(row)
        else if (byte === comma || elements > 0) {
          throw new SourceError(`has a comma without a record next to it, in line ${line}`)
        }
        elements += 1
        from = index + 1
        if (byte === closeBracket) {
          ended = true
          from = -1
        }
      }
    }
    if (from !== -1 && from < chunk.length) take(chunk.subarray(from))
    if (rows.length > 0) yield rows
  }
  if (!begun) throw new SourceError('is empty: a JSON array begins with [')
  if (!ended) throw new SourceError('ends before the end of its array: the file is not complete')

  function take(part: Buffer): void {
    bytes += part.length
    if (bytes <= rowBytesMax) parts.push(part)
    else parts = []
  }
}
