import { once } from 'node:events'
import { type ReadStream, read } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'
import { writeNow, writeSoon } from './paced-writes.ts'

/** Size of the pieces in which a file is read and sent. */
const pieceBytes = 131_072
/** Beyond this number of files at a time, pieces are shorter: unread ones take memory. */
const longPiecesMax = 32
const shortPieceBytes = 32_768
/** Memory for sending a file: a piece, and about as much for its socket and handles. */
export const fileSendBytes = 2 * pieceBytes

/** Bytes of an open file. */
export interface FileBytes {
  /** Opens and closes the file, but does not read it. */
  readonly stream: ReadStream
  readonly descriptor: number
  readonly start: number
  readonly length: number
}

/** Buffers of earlier files: a new one per file would have to be cleared and collected. */
const freeBuffers: Buffer[] = []
/** Files that are being sent. */
let sending = 0

const readPiece = promisify(read)

/** Waits until earlier responses of the connection are sent; false if it closes before that. */
export const awaitTurn = (response: ServerResponse): Promise<boolean> | boolean => {
  if (response.destroyed) return false
  if (response.socket) return true
  return new Promise((resolve) => {
    response.once('socket', () => resolve(true))
    response.once('close', () => resolve(false))
  })
}

/** Waits until a file is open. Throws if it cannot be opened. */
export const descriptorOf = async (stream: ReadStream): Promise<number> => {
  // Already set if the file opened quickly. The stream reads nothing until it is consumed.
  const { fd } = stream as ReadStream & { readonly fd: number | null }
  if (fd !== null) return fd
  const [descriptor] = (await once(stream, 'open')) as [number]
  return descriptor
}

/**
 * Sends bytes of a file after the headers. Reads each piece into the same buffer once the kernel
 * has accepted the one before. A failure closes the connection: nothing else can inform the client.
 */
export const sendFileBytes = async (response: ServerResponse, file: FileBytes): Promise<void> => {
  sending += 1
  const isShort = sending > longPiecesMax
  const piece =
    (isShort ? undefined : freeBuffers.pop()) ??
    Buffer.allocUnsafeSlow(isShort ? shortPieceBytes : pieceBytes)
  try {
    let done = 0
    while (done < file.length && !response.destroyed) {
      const wanted = Math.min(piece.length, file.length - done)
      const { bytesRead } = await readPiece(file.descriptor, piece, 0, wanted, file.start + done)
      if (bytesRead === 0) throw new RangeError('The file has become shorter.')
      done += bytesRead
      await writePiece(response, piece.subarray(0, bytesRead))
    }
    response.end()
  } catch {
    response.destroy()
  } finally {
    sending -= 1
    if (!isShort) freeBuffers.push(piece)
  }
}

/** Resolves when the kernel has accepted the whole piece, or the connection is closed. */
export const writePiece = (response: ServerResponse, piece: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    writeSoon(() => {
      if (!response.destroyed) writeNow(response, piece, done)
    })
  })
