import type { ServerResponse } from 'node:http'

/** Longer bodies are sent in pieces of this size. */
const pieceBytes = 131_072
/** For how long pieces are written in one turn of the event loop, for all clients together. */
const writingMs = 4

interface Sending {
  readonly response: ServerResponse
  readonly body: Buffer
  /** How much of it has been written. */
  written: number
  /** Writes the last piece. */
  readonly end: (piece: Buffer) => void
}

/** Responses whose client has taken what was written before. */
const ready: Sending[] = []
let isScheduled = false

/** Whether a body is so long that writing it at once would keep others waiting. */
export const isLong = (body: unknown): body is string | Buffer =>
  (typeof body === 'string' || Buffer.isBuffer(body)) && body.length > pieceBytes

/**
 * Sends a long body in pieces, a few in each turn of the event loop. A kernel takes several
 * megabytes at once, which is a millisecond of copying: with a thousand clients, a second in which
 * no other client gets a response.
 */
export const sendPaced = (
  response: ServerResponse,
  body: string | Buffer,
  encoding: BufferEncoding,
  end: (piece: Buffer) => void,
): void => {
  const bytes = typeof body === 'string' ? Buffer.from(body, encoding) : body
  const sending = { response, body: bytes, written: 0, end }
  // A pipelined response gets its socket when those before it have been sent.
  if (response.socket) proceed(sending)
  else response.once('socket', () => proceed(sending))
}

const proceed = (sending: Sending): void => {
  ready.push(sending)
  if (isScheduled) return
  isScheduled = true
  setImmediate(writePieces)
}

const writePieces = (): void => {
  const until = performance.now() + writingMs
  do {
    const sending = ready.shift()
    if (!sending) break
    writePiece(sending)
  } while (performance.now() < until)
  isScheduled = ready.length > 0
  if (isScheduled) setImmediate(writePieces)
}

const writePiece = (sending: Sending): void => {
  const { response, body, written, end } = sending
  if (response.destroyed) return
  sending.written += pieceBytes
  const piece = body.subarray(written, sending.written)
  if (sending.written >= body.length) end(piece)
  else if (response.write(piece)) ready.push(sending)
  else response.once('drain', () => proceed(sending))
}
