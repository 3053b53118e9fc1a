import type { IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { ApiError } from '#contract'
import { readShortBody } from '#http'

/** Time limit for a short body, and for the rest of one that is not read. */
const bodyMs = 10_000
/** A long body must bring something in each of these. */
const stallMs = 30_000

/** Reads a short body within its time. Nothing of it may follow once a request is served. */
export const readBytes = (request: IncomingMessage, bytesMax: number): Promise<Buffer> => {
  const late = setTimeout(() => request.destroy(), bodyMs)
  return readShortBody(request, bytesMax).finally(() => clearTimeout(late))
}

/** Reads the JSON object of a body; an empty body is an empty object. */
export const readJson = async (
  request: IncomingMessage,
  bytesMax: number,
): Promise<{ readonly [name: string]: unknown }> => {
  const bytes = await readBytes(request, bytesMax)
  if (bytes.length === 0) return {}
  const [type = ''] = (request.headers['content-type'] ?? '').split(';')
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new ApiError('unsupported_media_type', 'The Content-Type must be application/json.')
  }
  const value = parse(bytes)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as { readonly [name: string]: unknown }
  }
  throw new ApiError('malformed_request', 'The body must be a JSON object.')
}

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new ApiError('malformed_request', 'The body is not valid JSON.')
  }
}

/** A body as it arrives. Fails with 413 beyond the limit, and with 408 if nothing more arrives. */
export const openRaw = (request: IncomingMessage, bytesMax: number): Readable => {
  const tooLarge = () =>
    new ApiError('body_too_large', `A file has at most ${bytesMax.toLocaleString('en')} bytes.`)
  if (Number(request.headers['content-length'] ?? 0) > bytesMax) throw tooLarge()
  const body = new PassThrough()
  let size = 0
  let before = -1
  const watch = setInterval(() => {
    // A reader that is slow itself stops the body.
    if (size === before && !request.isPaused()) {
      body.destroy(new ApiError('request_timeout', 'The file did not arrive in time.'))
    }
    before = size
  }, stallMs)
  watch.unref()
  request.on('data', (chunk: Buffer) => {
    size += chunk.length
    if (size > bytesMax) body.destroy(tooLarge())
    else if (!body.write(chunk)) request.pause()
  })
  body.on('drain', () => request.resume())
  request.once('end', () => body.end())
  const onClose = () => {
    clearInterval(watch)
    if (!request.readableEnded) {
      body.destroy(new ApiError('malformed_request', 'The connection was closed.'))
    }
  }
  request.once('close', onClose)
  request.once('error', onClose)
  body.once('close', () => {
    clearInterval(watch)
    request.removeAllListeners('data')
  })
  // Its reader gets the error; without one, it would end the process.
  body.on('error', () => undefined)
  return body
}

/**
 * Reads the rest of an unwanted body, for a short time, so that its sender gets the response;
 * then closes the connection.
 */
export const discardRest = (request: IncomingMessage): void => {
  if (request.readableEnded || request.destroyed) return
  request.removeAllListeners('data')
  request.resume()
  const late = setTimeout(() => request.destroy(), bodyMs)
  late.unref()
  request.once('close', () => clearTimeout(late))
  request.once('end', () => clearTimeout(late))
}
