import { once } from 'node:events'
import { type ReadStream, read } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'

/** A file is read and sent in pieces of this size, one after the other. */
const pieceBytes = 131_072
/** What a file that is being sent occupies: a piece, and about as much for its socket and handles. */
export const fileSendBytes = 2 * pieceBytes

/** Bytes of an open file. */
export interface FileBytes {
  /** Used to open and close the file, not to read it. */
  readonly stream: ReadStream
  readonly descriptor: number
  readonly start: number
  readonly length: number
}

/** Buffers of earlier files: a new one for each piece would have to be cleared and collected. */
const freeBuffers: Buffer[] = []
const freeBuffersMax = 32

const readPiece = promisify(read)

/** Waits until earlier responses of the connection are sent; false where it is closed before that. */
export const awaitTurn = (response: ServerResponse): Promise<boolean> | boolean => {
  if (response.destroyed) return false
  if (response.socket) return true
  return new Promise((resolve) => {
    response.once('socket', () => resolve(true))
    response.once('close', () => resolve(false))
  })
}

/** Waits until a file is open. Throws when it cannot be opened. */
export const descriptorOf = async (stream: ReadStream): Promise<number> => {
  // Set by now where the file was opened quickly. The stream reads nothing until it is consumed.
  const { fd } = stream as ReadStream & { readonly fd: number | null }
  if (fd !== null) return fd
  const [descriptor] = (await once(stream, 'open')) as [number]
  return descriptor
}

/**
 * Sends bytes of a file after the headers have been written. Each piece is read when the client has
 * taken the one before, into the same buffer. A failure ends the connection: the client cannot be
 * informed otherwise.
 */
export const sendFileBytes = async (response: ServerResponse, file: FileBytes): Promise<void> => {
  const piece = freeBuffers.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
  try {
    let done = 0
    while (done < file.length && !response.destroyed) {
      const wanted = Math.min(pieceBytes, file.length - done)
      const { bytesRead } = await readPiece(file.descriptor, piece, 0, wanted, file.start + done)
      if (bytesRead === 0) throw new RangeError('The file has become shorter.')
      done += bytesRead
      await writePiece(response, piece.subarray(0, bytesRead))
    }
    response.end()
  } catch {
    response.destroy()
  } finally {
    if (freeBuffers.length < freeBuffersMax) freeBuffers.push(piece)
  }
}

/** Resolves when the kernel has taken all of a piece, or the connection is closed. */
export const writePiece = (response: ServerResponse, piece: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    response.write(piece, done)
  })
