import { rowBytesMax } from './row.ts'

/** One line of a source, without its end. A line that is too long comes without its bytes. */
export interface Line {
  readonly number: number
  readonly bytes: Buffer | null
}

const newline = 0x0a
const carriageReturn = 0x0d
const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf])

/**
 * Cuts a stream of bytes into lines, a batch for each chunk that came, whatever its size; holds at
 * most one line and one chunk.
 */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncIterable<readonly Line[]> {
  let number = 0
  let rest: Buffer[] = []
  let restBytes = 0
  let tooLong = false

  const finish = (bytes: Buffer): Line => {
    number += 1
    if (tooLong) {
      tooLong = false
      return { number, bytes: null }
    }
    const end = bytes.at(-1) === carriageReturn ? bytes.length - 1 : bytes.length
    const start = number === 1 && bytes.subarray(0, 3).equals(byteOrderMark) ? 3 : 0
    return { number, bytes: bytes.subarray(start, end) }
  }

  for await (const chunk of chunks) {
    const lines: Line[] = []
    let from = 0
    for (;;) {
      const at = chunk.indexOf(newline, from)
      if (at === -1) break
      const part = chunk.subarray(from, at)
      lines.push(finish(rest.length > 0 ? Buffer.concat([...rest, part]) : part))
      rest = []
      restBytes = 0
      from = at + 1
    }
    if (from < chunk.length) {
      rest.push(chunk.subarray(from))
      restBytes += chunk.length - from
      if (restBytes > rowBytesMax) {
        tooLong = true
        rest = []
        restBytes = 0
      }
    }
    if (lines.length > 0) yield lines
  }
  if (restBytes > 0 || tooLong) yield [finish(Buffer.concat(rest))]
}
