/** One server message: its code, and its content from `start` to `end` in `bytes`. */
export type OnMessage = (code: number, bytes: Buffer, start: number, end: number) => void

/** The code and the length. */
const headerBytes = 5

/**
 * Splits the data of a PostgreSQL server into messages. A message within one chunk is passed on in
 * place; one that spans chunks is assembled in a new buffer. Buffers are never reused, so callers
 * can keep parts of a message.
 */
export const createMessageSplitter = (onMessage: OnMessage): ((chunk: Buffer) => void) => {
  const header = Buffer.alloc(headerBytes)
  /** Received bytes of an incomplete header. */
  let headerLength = 0
  /** The content of an incomplete message, and its received length. */
  let content: Buffer | null = null
  let contentLength = 0

  const contentBytes = (bytes: Buffer, at: number): number => {
    const length = bytes.readInt32BE(at + 1) - 4
    if (length < 0) throw new RangeError('The database sent a message with an invalid length.')
    return length
  }

  return (chunk) => {
    let at = 0
    if (content === null && headerLength > 0) {
      const copied = chunk.copy(header, headerLength, 0, headerBytes - headerLength)
      headerLength += copied
      at = copied
      if (headerLength < headerBytes) return
      content = Buffer.allocUnsafeSlow(contentBytes(header, 0))
      contentLength = 0
    }
    if (content !== null) {
      const copied = chunk.copy(content, contentLength, at)
      contentLength += copied
      at += copied
      if (contentLength < content.length) return
      const whole = content
      content = null
      headerLength = 0
      onMessage(header[0] as number, whole, 0, whole.length)
    }
    while (at + headerBytes <= chunk.length) {
      const start = at + headerBytes
      const end = start + contentBytes(chunk, at)
      if (end > chunk.length) {
        chunk.copy(header, 0, at, start)
        headerLength = headerBytes
        content = Buffer.allocUnsafeSlow(end - start)
        contentLength = chunk.copy(content, 0, start)
        return
      }
      onMessage(chunk[at] as number, chunk, start, end)
      at = end
    }
    headerLength = chunk.copy(header, 0, at)
  }
}
