import { rowBytesMax, SourceDatabaseError } from './source-database.ts'

/** How a protocol frames its messages. */
export interface Framing {
  readonly headerBytes: number
  /** The length of what follows the header. */
  readonly bodyBytes: (header: Buffer) => number
  /** Whether the message counts, so that a row can be named by its number. */
  readonly isCounted: (header: Buffer) => boolean
}

/** Counts what a source sends, and throws a `SourceDatabaseError` for too much of it. */
export interface MessageGuard {
  /** All bytes so far. */
  readonly received: number
  /** All messages that count, so far. */
  readonly messages: number
  /** Looks at the next bytes, before the driver keeps them. */
  check(chunk: Buffer): void
}

export const createMessageGuard = (
  { headerBytes, bodyBytes, isCounted }: Framing,
  bytesMax: number,
  /** The row of the current query that such a message is. */
  rowOf: (messages: number) => number,
): MessageGuard => {
  const header = Buffer.alloc(headerBytes)
  let received = 0
  let messages = 0
  let headerLength = 0
  let bodyLeft = 0
  return {
    get received() {
      return received
    },
    get messages() {
      return messages
    },
    check: (chunk) => {
      received += chunk.length
      if (received > bytesMax) throw tooMuch(`more than ${format(bytesMax)} bytes`)
      for (let at = 0; at < chunk.length; ) {
        if (bodyLeft > 0) {
          const skipped = Math.min(bodyLeft, chunk.length - at)
          bodyLeft -= skipped
          at += skipped
          continue
        }
        const copied = chunk.copy(header, headerLength, at)
        headerLength += copied
        at += copied
        if (headerLength < headerBytes) return
        headerLength = 0
        if (isCounted(header)) messages += 1
        bodyLeft = bodyBytes(header)
        if (bodyLeft > rowBytesMax) {
          throw tooMuch(`row ${rowOf(messages)} with more than ${format(rowBytesMax)} bytes`)
        }
      }
    },
  }
}

const format = (bytes: number): string => bytes.toLocaleString('en')

const tooMuch = (what: string): SourceDatabaseError =>
  new SourceDatabaseError(
    `The source database sent ${what}. Select fewer columns or rows in the query.`,
    false,
  )
