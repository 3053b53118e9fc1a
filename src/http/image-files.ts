import { ReadStream } from 'node:fs'
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
import type { ClientOf } from './client-address.ts'
import type { ResponseMemory } from './connections.ts'
import { itsTurn, opened, sendBytes, sendingBytes } from './file-send.ts'
import { visitOf } from './visit.ts'

export interface ImageFilesParts {
  readonly memory: ResponseMemory
  readonly clientOf: ClientOf
}

/** Serves the files that temporary addresses point at, where they are kept in a folder. */
export const registerImageFiles = (
  app: FastifyInstance,
  images: Images,
  { memory, clientOf }: ImageFilesParts,
): void => {
  const { open } = images
  if (!open) return
  app.get(`${imageFilesPath}/*`, async (request, reply) => {
    const visit = visitOf(request.raw)
    visit.operation = 'imageFile'
    const [path = '', query = ''] = request.url.split('?', 2)
    const linked = await open(path, query).catch((error: unknown) => {
      throw error instanceof StorageUnavailable ? unavailable(error) : error
    })
    if (linked === 'refused') {
      throw new ApiError(
        'invalid_link',
        'This address is wrong or no longer valid. Ask for a new one.',
      )
    }
    if (linked === 'missing') throw new ApiError('not_found', 'The image file is not there.')
    const client = clientOf(request.raw)
    const room = (await itsTurn(reply.raw)) ? memory.room(client) : null
    if (room) await room
    if (reply.raw.destroyed) {
      reply.hijack()
      return reply
    }
    memory.hold(reply.raw, client, sendingBytes)
    return sendFile(request, reply, linked, {
      ...visit.headers,
      'content-type': linked.mimeType,
      'content-disposition': contentDisposition(linked),
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'cache-control': 'private, no-cache',
    })
  })
}

const unavailable = (cause: unknown) =>
  new ApiError('storage_unavailable', 'The image storage cannot be reached.', {
    cause,
    retryAfterSeconds: 1,
  })

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
  })
  if (sent.statusCode === 416) {
    // Headers set now stay on the answer: this one tells how long the file is.
    reply.header('content-range', sent.headers['Content-Range'])
    throw new ApiError('range_not_satisfiable', 'The range asked for lies outside the file.')
  }
  if (sent.statusCode >= 400) throw new ApiError('not_found', 'The image file is not there.')
  const { stream, statusCode } = sent
  if (!(stream instanceof ReadStream)) {
    return reply
      .status(statusCode)
      .headers({ ...sent.headers, ...headers })
      .send(stream)
  }
  try {
    const fd = await opened(stream).catch((error: unknown) => {
      throw unavailable(error)
    })
    reply.hijack()
    // Set one by one, as both have some of the same name in different cases; the last one wins.
    for (const [name, value] of Object.entries({ ...sent.headers, ...headers })) {
      reply.raw.setHeader(name, value)
    }
    reply.raw.writeHead(statusCode)
    const { start } = stream as ReadStream & { readonly start: number }
    const length = Number(sent.headers['Content-Length'])
    await sendBytes(reply.raw, fd, { start, length }).catch(() => reply.raw.destroy())
    return reply
  } finally {
    // It was only opened here; its bytes are read by `sendBytes`.
    stream.destroy()
  }
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
