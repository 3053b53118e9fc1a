import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Body, BodyPieces } from '../read/body.ts'

const [quote, backslash, comma] = [0x22, 0x5c, 0x2c]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]
const [openText, commaText, closeText] = ['{', ',', '}'].map((text) => Buffer.from(text)) as [
  Buffer,
  Buffer,
  Buffer,
]

/** Bytes scanned before the event loop gets a turn: a few milliseconds. */
const turnBytes = 1_048_576

/**
 * Reduces records to some of their fields. The record itself is the first piece; included records
 * stay. Copies values byte for byte as they are stored.
 */
export const projectRecords = async (
  records: readonly BodyPieces[],
  fields: ReadonlySet<string>,
): Promise<readonly BodyPieces[]> => {
  const projected: BodyPieces[] = []
  let bytes = 0
  for (const [record, ...included] of records) {
    if (!record) continue
    // With included records, the last piece closes the record.
    const end = included.length === 0 ? [closeText] : included
    projected.push([...propertiesOf(record, fields), ...end])
    bytes += record.length
    if (bytes < turnBytes) continue
    bytes = 0
    await nextTurn()
  }
  return projected
}

/** The selected properties of a record's text, without the closing brace. */
const propertiesOf = (body: Body, fields: ReadonlySet<string>): BodyPieces => {
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength)
  const pieces: Body[] = []
  for (let at = 1; bytes[at] === quote; ) {
    const nameEnd = stringEnd(bytes, at)
    const end = valueEnd(bytes, nameEnd + 1)
    if (fields.has(bytes.toString('utf8', at + 1, nameEnd - 1))) {
      pieces.push(pieces.length === 0 ? openText : commaText, bytes.subarray(at, end))
    }
    at = bytes[end] === comma ? end + 1 : end
  }
  return pieces.length === 0 ? [openText] : pieces
}

/** The index after a string that begins with a quote. */
const stringEnd = (bytes: Buffer, start: number): number => {
  let at = start + 1
  while (at < bytes.length && bytes[at] !== quote) at += bytes[at] === backslash ? 2 : 1
  return at + 1
}

/** The index after a value, which is that of the comma or brace that follows. */
const valueEnd = (bytes: Buffer, start: number): number => {
  let depth = 0
  for (let at = start; at < bytes.length; ) {
    const byte = bytes[at]
    if (byte === quote) {
      at = stringEnd(bytes, at)
      continue
    }
    if (depth === 0 && (byte === comma || byte === closeBrace)) return at
    if (byte === openBrace || byte === openBracket) depth += 1
    else if (byte === closeBrace || byte === closeBracket) depth -= 1
    at += 1
  }
  return bytes.length
}
