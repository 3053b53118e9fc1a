/** A destination of bytes. One write at a time. */
export interface ByteSink {
  /** Resolves when more can be written. The caller may reuse the bytes. */
  write(bytes: Uint8Array): Promise<void>
}

/** Reads exact numbers of bytes from a stream. */
export interface ByteReader {
  /** The next bytes; fewer at the end of the stream. */
  read(length: number): Promise<Buffer>
  isAtEnd(): Promise<boolean>
  close(): Promise<void>
}

export const createByteReader = (stream: AsyncIterable<Uint8Array>): ByteReader => {
  const iterator = stream[Symbol.asyncIterator]()
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let hasEnded = false

  const fill = async (length: number): Promise<void> => {
    while (waitingBytes < length && !hasEnded) {
      const { done, value } = await iterator.next()
      if (done) hasEnded = true
      else if (value.length > 0) {
        waiting.push(value)
        waitingBytes += value.length
      }
    }
  }

  return {
    read: async (length) => {
      await fill(length)
      const [first] = waiting
      const all =
        waiting.length === 1 && first
          ? Buffer.from(first.buffer, first.byteOffset, first.length)
          : Buffer.concat(waiting)
      const rest = all.subarray(length)
      waiting = rest.length > 0 ? [rest] : []
      waitingBytes = rest.length
      return all.subarray(0, length)
    },
    isAtEnd: async () => {
      await fill(1)
      return waitingBytes === 0
    },
    close: async () => {
      hasEnded = true
      await iterator.return?.()
    },
  }
}
