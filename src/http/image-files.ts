import type { IncomingHttpHeaders } from 'node:http'
import { basename, dirname } from 'node:path'
import { send } from '@fastify/send'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ApiError } from '#contract'
import {
  contentDisposition,
  type Images,
  imageFilesPath,
  type LinkedFile,
  StorageUnavailable,
} from '#images'
import type { ResponseMemory } from './connections.ts'
import { visitOf } from './visit.ts'

/** Serves the files that temporary addresses point at, where they are kept in a folder. */
export const registerImageFiles = (
  app: FastifyInstance,
  images: Images,
  memory: ResponseMemory,
): void => {
  const { open } = images
  if (!open) return
  app.get(`${imageFilesPath}/*`, async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = 'imageFile'
    const [path = '', query = ''] = request.url.split('?', 2)
    const opened = await open(path, query).catch((error: unknown) => {
      if (!(error instanceof StorageUnavailable)) throw error
      throw new ApiError('storage_unavailable', 'The image storage cannot be reached.', {
        cause: error,
        retryAfterSeconds: 1,
      })
    })
    if (opened === 'refused') {
      throw new ApiError(
        'invalid_link',
        'This address is wrong or no longer valid. Ask for a new one.',
      )
    }
    if (opened === 'missing') throw new ApiError('not_found', 'The image file is not there.')
    await memory.room()
    memory.hold(reply.raw, streamBytes)
    return sendFile(request, reply, opened, {
      ...visit.headers,
      'content-type': opened.mimeType,
      'content-disposition': contentDisposition(opened),
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    })
  })
}

/** How much of a file is read ahead of a client that is slower than the disk. */
const readAheadBytes = 65_536
/** What a file that is being sent takes: a piece being read, one that was, one being written. */
const streamBytes = 3 * readAheadBytes

/** At most one range is served; of several, the whole file. */
const sendFile = async (
  request: FastifyRequest,
  reply: FastifyReply,
  { file, sizeBytes }: LinkedFile,
  headers: { readonly [name: string]: string },
): Promise<FastifyReply> => {
  prepareConditions(request.raw.headers, sizeBytes)
  const sent = await send(request.raw, `/${encodeURIComponent(basename(file))}`, {
    root: dirname(file),
    dotfiles: 'deny',
    cacheControl: false,
    highWaterMark: readAheadBytes,
  })
  if (sent.statusCode === 416) {
    // Headers set now stay on the answer: this one tells how long the file is.
    reply.header('content-range', sent.headers['Content-Range'])
    throw new ApiError('range_not_satisfiable', 'The range asked for lies outside the file.')
  }
  if (sent.statusCode >= 400) throw new ApiError('not_found', 'The image file is not there.')
  return reply
    .status(sent.statusCode)
    .headers({ ...sent.headers, ...headers })
    .send(sent.stream)
}

/**
 * Conditions that are about changing a file say nothing about reading it. A range of the last so
 * many bytes means the whole of a file that has no more (RFC 9110, 14.1.2), which `send` refuses. So
 * it does with a range that is not valid, such as one that ends before it begins, which is to be
 * ignored (14.2).
 */
const prepareConditions = (headers: IncomingHttpHeaders, sizeBytes: number): void => {
  delete headers['if-match']
  delete headers['if-unmodified-since']
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  const isValid = first === '' ? last !== '' : last === '' || Number(first) <= Number(last)
  if (!isValid) delete headers.range
  else if (first === '' && Number(last) >= sizeBytes && sizeBytes > 0) headers.range = 'bytes=0-'
}
