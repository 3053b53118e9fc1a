import type { ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { constants, createBrotliCompress, createGzip } from 'node:zlib'
import { writePiece } from './file-send.ts'

/** The encodings that a stream can be compressed in, and what compresses it. */
const compressors = {
  br: () => createBrotliCompress({ params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }),
  gzip: () => createGzip({ level: 6 }),
} as const

/**
 * What a stream that is being sent occupies: pieces that are made, compressed and written, and the
 * window of an encoder.
 */
export const streamSendBytes = 1_048_576

/**
 * Sends pieces after the headers have been written, each when the client has taken the one before.
 * Throws what their source throws. Ends early
 * once the connection is closed.
 */
export const sendPieces = async (
  response: ServerResponse,
  pieces: AsyncIterable<Uint8Array>,
  encoding: keyof typeof compressors | null,
): Promise<void> => {
  const send = async (source: AsyncIterable<Uint8Array>) => {
    for await (const piece of source) {
      await writePiece(response, piece)
      if (response.destroyed) return
    }
  }
  if (encoding === null) await send(pieces)
  else await pipeline(pieces, compressors[encoding](), send)
}
