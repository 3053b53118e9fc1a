import { once } from 'node:events'
import { type ReadStream, read } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { promisify } from 'node:util'

/** A file is read and sent in pieces of this size, one after the other. */
const pieceBytes = 131_072
/** What a file that is being sent occupies: a piece, and about as much for its socket and handles. */
export const sendingBytes = 2 * pieceBytes

/** Buffers of earlier files: a new one for each piece would have to be cleared and collected. */
const spare: Buffer[] = []
const spareMax = 32

const readPiece = promisify(read)

/** Waits until earlier responses of the connection are sent, or it is closed; says which. */
export const itsTurn = (response: ServerResponse): Promise<boolean> | boolean => {
  if (response.destroyed) return false
  if (response.socket) return true
  return new Promise((resolve) => {
    response.once('socket', () => resolve(true))
    response.once('close', () => resolve(false))
  })
}

/** Waits until a file is open. Throws when it cannot be opened. */
export const opened = async (file: ReadStream): Promise<number> => {
  // Known by now where it was opened quickly. The stream itself reads nothing before it is asked to.
  const { fd } = file as ReadStream & { readonly fd: number | null }
  if (fd !== null) return fd
  const [opening] = (await once(file, 'open')) as [number]
  return opening
}

/**
 * Sends as many bytes of a file from `start` on, after the head has been written. Each piece is read
 * when the client has taken the one before, into the same buffer.
 */
export const sendBytes = async (
  response: ServerResponse,
  fd: number,
  { start, length }: { readonly start: number; readonly length: number },
): Promise<void> => {
  const piece = spare.pop() ?? Buffer.allocUnsafeSlow(pieceBytes)
  try {
    let done = 0
    while (done < length && !response.destroyed) {
      const wanted = Math.min(pieceBytes, length - done)
      const { bytesRead } = await readPiece(fd, piece, 0, wanted, start + done)
      if (bytesRead === 0) throw new RangeError('The file has become shorter.')
      done += bytesRead
      await written(response, piece.subarray(0, bytesRead))
    }
    response.end()
  } finally {
    if (spare.length < spareMax) spare.push(piece)
  }
}

/** Resolves when the kernel has taken all of a piece, or the connection is closed. */
const written = (response: ServerResponse, piece: Buffer): Promise<void> =>
  new Promise((resolve) => {
    if (response.destroyed) return resolve()
    const done = () => {
      response.off('close', done)
      resolve()
    }
    response.once('close', done)
    response.write(piece, done)
  })
