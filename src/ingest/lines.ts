import { rowBytesMax } from './row.ts'

/** Consecutive whole lines of a source, with their line endings; the last line may have none. */
export interface Lines {
  /** The number of the first line. */
  readonly first: number
  /** Null for a single line that is too long. */
  readonly bytes: Buffer | null
}

const newline = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/** Splits a stream of bytes at line endings. Holds at most one line and one chunk. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncIterable<Lines> {
  let number = 1
  let rest: Buffer[] = []
  let restBytes = 0
  let tooLong = false

  /** The buffered rest, completed. The first line may begin with a byte order mark. */
  const joined = (end: Buffer): Buffer => {
    const bytes = rest.length > 0 ? Buffer.concat([...rest, end]) : end
    rest = []
    restBytes = 0
    return number === 1 && bytes.subarray(0, 3).equals(byteOrderMark) ? bytes.subarray(3) : bytes
  }

  for await (const chunk of chunks) {
    let from = 0
    if (tooLong) {
      from = chunk.indexOf(newline) + 1
      if (from === 0) continue
      tooLong = false
      yield { first: number, bytes: null }
      number += 1
    }
    const to = chunk.lastIndexOf(newline) + 1
    if (to > from) {
      const bytes = joined(chunk.subarray(from, to))
      const first = number
      // Counted before the yield: the consumer may transfer the bytes to another thread.
      number += linesIn(bytes)
      yield { first, bytes }
      from = to
    }
    if (from === chunk.length) continue
    rest.push(chunk.subarray(from))
    restBytes += chunk.length - from
    if (restBytes > rowBytesMax) {
      tooLong = true
      rest = []
      restBytes = 0
    }
  }
  if (tooLong) yield { first: number, bytes: null }
  else if (restBytes > 0) yield { first: number, bytes: joined(Buffer.alloc(0)) }
}

const linesIn = (bytes: Buffer): number => {
  let count = 0
  for (let at = bytes.indexOf(newline); at >= 0; at = bytes.indexOf(newline, at + 1)) count += 1
  return count
}

/** The end of the line that starts at `from`, before and after its line ending. */
export const lineEnd = (bytes: Buffer, from: number): readonly [number, number] => {
  const at = bytes.indexOf(newline, from)
  const end = at < 0 ? bytes.length : at
  const isTwo = end > from && bytes[end - 1] === carriageReturn
  return [isTwo ? end - 1 : end, at < 0 ? end : end + 1]
}

/** The start of the next line if a line ends at `end`; otherwise 0. */
export const nextLine = (bytes: Buffer, end: number): number => {
  if (bytes[end] === newline) return end + 1
  if (end === bytes.length) return end
  return bytes[end] === carriageReturn && bytes[end + 1] === newline ? end + 2 : 0
}
