import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/**
 * Node validates and joins every header of every response, which costs more than the rest of a
 * cached response. This module sets well-formed headers as one text instead, in the form in which
 * Node stores them. Only this file uses these private fields; `test/http/raw-response.test.ts`
 * compares its bytes with those of `writeHead`.
 */
interface PrivateFields {
  /** The status line and headers; null until they are set. */
  _header: string | null
  /** Whether they have been written, before the body or together with it. */
  _headerSent: boolean
  readonly _keepAliveTimeout: number
  readonly _maxRequestsPerSocket: number
  readonly maxRequestsOnConnectionReached: boolean
}

const statusLines = {
  200: 'HTTP/1.1 200 OK\r\n',
  304: 'HTTP/1.1 304 Not Modified\r\n',
  429: 'HTTP/1.1 429 Too Many Requests\r\n',
} as const

export type RawStatus = keyof typeof statusLines

/**
 * Sets status and headers. Returns false if `writeHead` is needed, because the connection is not
 * simply kept alive or headers were set before. `lines` are header lines with their line ends.
 */
export const writeRawHead = (
  response: ServerResponse,
  status: RawStatus,
  lines: string,
  now: number,
): boolean => {
  const raw = response as ServerResponse & PrivateFields
  const isPlain =
    raw._header === null &&
    raw.shouldKeepAlive &&
    !raw.maxRequestsOnConnectionReached &&
    raw._keepAliveTimeout > 0 &&
    raw.req.httpVersionMinor === 1 &&
    raw.getHeaderNames().length === 0
  if (!isPlain) return false
  raw.statusCode = status
  raw._header = `${statusLines[status]}${lines}Date: ${dateOf(now)}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(raw._keepAliveTimeout / 1_000)}, max=${raw._maxRequestsPerSocket}\r\n\r\n`
  return true
}

let second = 0
let date = ''

const dateOf = (now: number): string => {
  const current = Math.floor(now / 1_000)
  if (current !== second) {
    second = current
    date = new Date(now).toUTCString()
  }
  return date
}

/** The bytes of a body, in consecutive pieces. */
export type BodyPieces = readonly Uint8Array[]

export const sizeOf = (pieces: BodyPieces): number => {
  let size = 0
  for (const { length } of pieces) size += length
  return size
}

/** Joins the pieces into one buffer that is not a slice of another. */
export const joinPieces = (pieces: BodyPieces, size: number): Buffer => {
  const joined = Buffer.allocUnsafeSlow(size)
  copyPieces(pieces, joined, 0)
  return joined
}

const copyPieces = (pieces: BodyPieces, into: Buffer, from: number): void => {
  let at = from
  for (const piece of pieces) {
    into.set(piece, at)
    at += piece.length
  }
}

/** Longer bodies may go out in several writes, in later turns of the event loop. */
export const sentAtOnceMax = 65_536

/** Messages up to this length are slices of Node's buffer pool. */
const pooledMax = 4_096
/** The longest copied body, and its headers. */
const sendBufferBytes = sentAtOnceMax + 8_192
/**
 * Send buffers that clients have not read yet: 4.6 MB. Beyond that, a message gets a new buffer.
 */
const unsentBuffersMax = 64
let sendBuffer = Buffer.allocUnsafeSlow(0)
let unsentBuffers = 0

/**
 * A buffer for a message. Longer messages share one buffer: the kernel has nearly always copied it
 * before the next write, so that no memory has to be allocated, cleared and collected.
 */
const messageBuffer = (length: number): Buffer => {
  if (length <= pooledMax || length > sendBufferBytes || unsentBuffers >= unsentBuffersMax) {
    return Buffer.allocUnsafe(length)
  }
  if (sendBuffer.length === 0) sendBuffer = Buffer.allocUnsafeSlow(sendBufferBytes)
  return sendBuffer.subarray(0, length)
}

/** Replaces the shared buffer if the client has not received all of it. */
const keepIfUnsent = (response: ServerResponse, message: Buffer): void => {
  if (message.buffer !== sendBuffer.buffer) return
  if (response.writableLength === 0) return
  sendBuffer = Buffer.allocUnsafeSlow(0)
  unsentBuffers += 1
  response.once('close', () => {
    unsentBuffers -= 1
  })
}

/**
 * Ends a response whose headers are set. Copies headers and body into one buffer, which is faster
 * than separate writes, unless the body is long, or cached and would need a new buffer.
 */
export const endWith = (response: ServerResponse, pieces: BodyPieces, size: number): void => {
  const raw = response as ServerResponse & PrivateFields
  const [only] = pieces
  const isShared = pieces.length === 1 && only !== undefined
  if (raw.req.method === 'HEAD') raw.end()
  else if (
    raw._header !== null &&
    !raw._headerSent &&
    size <= (isShared && unsentBuffers >= unsentBuffersMax ? pooledMax : sentAtOnceMax)
  ) {
    const { length } = raw._header
    const whole = messageBuffer(length + size)
    whole.write(raw._header, 0, 'latin1')
    copyPieces(pieces, whole, length)
    raw._headerSent = true
    raw.end(whole)
    keepIfUnsent(raw, whole)
  } else raw.end(isShared ? only : joinPieces(pieces, size))
}

/** Headers as lines, each with its line end. */
export const headerLines = (headers: { readonly [name: string]: string }): string => {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  return lines
}

/** Node's internal socket handle, which shows how much of a long write the kernel has taken. */
interface Handle {
  /** Bytes of started writes. */
  readonly bytesWritten: number
  /** Bytes of those that the kernel has not taken. */
  readonly writeQueueSize: number
}

/** The unsent bytes of a socket, and the bytes that the kernel has taken so far. */
export const progressOf = (
  socket: Socket,
): { readonly unsent: number; readonly sentBytes: number } => {
  const { _handle: handle } = socket as Socket & { readonly _handle?: Handle | null }
  if (!handle) return { unsent: 0, sentBytes: 0 }
  const sentBytes = handle.bytesWritten - handle.writeQueueSize
  // `socket.bytesWritten` includes started and queued writes.
  return { unsent: socket.bytesWritten - sentBytes, sentBytes }
}
