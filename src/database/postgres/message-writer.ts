import type { SqlValue } from '../database.ts'

/**
 * Writes messages to a PostgreSQL server (protocol 3.0) into one buffer, so that one system call
 * sends the messages of many requests.
 */
export interface MessageWriter {
  /** Prepares a named statement and requests its columns. */
  prepare(name: string, text: string): void
  /** Closes a prepared statement. */
  forget(name: string): void
  /** Runs a prepared statement. `formats` selects text or binary for each result column. */
  execute(name: string, values: readonly SqlValue[], formats: readonly ColumnFormat[]): void
  /** Ends a transaction. The server answers with `readyForQuery`, also after an error. */
  sync(): void
  terminate(): void
  /** Returns everything written since the last call, in a new buffer. */
  take(): Buffer
}

/** Text (0) or binary (1). */
export type ColumnFormat = 0 | 1

const codes = {
  bind: 0x42,
  close: 0x43,
  describe: 0x44,
  execute: 0x45,
  parse: 0x50,
  sync: 0x53,
  terminate: 0x58,
  statement: 0x53,
} as const

const initialBytes = 16_384

export const createMessageWriter = (): MessageWriter => {
  let buffer = Buffer.allocUnsafeSlow(initialBytes)
  let at = 0
  /** Offset of the current message's length field. */
  let lengthAt = 0

  const reserve = (bytes: number): void => {
    if (at + bytes <= buffer.length) return
    const larger = Buffer.allocUnsafeSlow(Math.max(buffer.length * 2, at + bytes))
    buffer.copy(larger, 0, 0, at)
    buffer = larger
  }
  const begin = (code: number): void => {
    reserve(5)
    buffer[at] = code
    lengthAt = at + 1
    at += 5
  }
  const end = (): void => {
    buffer.writeInt32BE(at - lengthAt, lengthAt)
  }
  const byte = (value: number): void => {
    reserve(1)
    buffer[at] = value
    at += 1
  }
  const int16 = (value: number): void => {
    reserve(2)
    at = buffer.writeInt16BE(value, at)
  }
  const text = (value: string): void => {
    // A UTF-16 unit takes at most three bytes in UTF-8.
    reserve(value.length * 3)
    at += buffer.write(value, at, 'utf8')
  }
  const terminated = (value: string): void => {
    text(value)
    byte(0)
  }
  const value = (each: SqlValue): void => {
    reserve(4)
    const valueAt = at
    at += 4
    if (each === null) {
      buffer.writeInt32BE(-1, valueAt)
      return
    }
    if (typeof each === 'string') text(each)
    else if (typeof each === 'number') text(String(each))
    else {
      reserve(each.length)
      buffer.set(each, at)
      at += each.length
    }
    buffer.writeInt32BE(at - valueAt - 4, valueAt)
  }

  return {
    prepare: (name, statement) => {
      begin(codes.parse)
      terminated(name)
      terminated(statement)
      // The server infers parameter types.
      int16(0)
      end()
      begin(codes.describe)
      byte(codes.statement)
      terminated(name)
      end()
    },
    forget: (name) => {
      begin(codes.close)
      byte(codes.statement)
      terminated(name)
      end()
    },
    execute: (name, values, formats) => {
      begin(codes.bind)
      // The unnamed portal.
      byte(0)
      terminated(name)
      int16(values.length)
      for (const each of values) int16(each instanceof Uint8Array ? 1 : 0)
      int16(values.length)
      for (const each of values) value(each)
      int16(formats.length)
      for (const format of formats) int16(format)
      end()
      begin(codes.execute)
      byte(0)
      // No row limit.
      int16(0)
      int16(0)
      end()
    },
    sync: () => {
      begin(codes.sync)
      end()
    },
    terminate: () => {
      begin(codes.terminate)
      end()
    },
    take: () => {
      const written = Buffer.from(buffer.subarray(0, at))
      at = 0
      return written
    },
  }
}
