import type { IncomingMessage } from 'node:http'
import { ApiError } from '#contract'

/** Reads the body of a message that has to be short. Rejects with an `ApiError`. */
export const readShortBody = (request: IncomingMessage, bytesMax: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    if (request.destroyed && !request.readableEnded) reject(clientGone())
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      // An oversized message is still read to its end, so that its sender gets the error.
      if (size <= bytesMax) chunks.push(chunk)
      else reject(tooLarge(bytesMax))
    })
    request.once('end', () => resolve(Buffer.concat(chunks)))
    request.once('error', reject)
    request.once('close', () => reject(clientGone()))
  })

/** For the log: the connection is closed. */
const clientGone = (): ApiError =>
  new ApiError('malformed_request', 'The connection was closed before the message was read.')

const tooLarge = (bytesMax: number): ApiError =>
  new ApiError('body_too_large', `A message has at most ${bytesMax} bytes.`)
