import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { writePiece } from './file-send.ts'

/** Compressors by encoding. */
const compressors = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 6 }),
} as const

/**
 * Memory for sending a stream: pieces being made, compressed and written, and an encoder window.
 */
export const streamSendBytes = 1_048_576

/**
 * Sends pieces after the headers, each once the kernel has accepted the one before. Throws the
 * errors of their source. Ends early once the connection is closed. `onSent` gets the bytes of each
 * piece that the kernel has accepted.
 */
export const sendPieces = async (
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
  encoding: keyof typeof compressors | null,
  onSent: (bytes: number) => void,
): Promise<void> => {
  const send = async (source: AsyncIterable<Uint8Array>) => {
    for await (const piece of source) {
      await writePiece(response, piece)
      if (response.destroyed) return
      onSent(piece.length)
    }
  }
  if (encoding === null) await send(pieces)
  else await pipeline(pieces, compressors[encoding](), send)
}
