import { ReadStream } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { basename, dirname } from 'node:path'
import { ApiError } from '#contract'
import { contentDisposition, type Images, type LinkedFile, StorageUnavailable } from '#images'
import type { ClientIp } from '../client-ip.ts'
import type { RequestContext } from '../context.ts'
import { awaitTurn, descriptorOf, fileSendBytes } from '../file-send.ts'
import type { Handler } from '../handler.ts'
import type { ResponseMemory } from '../load-limits.ts'
import type { Response } from '../response.ts'

export interface ImageFileParts {
  /** Opens the file of a link. */
  readonly open: NonNullable<Images['open']>
  readonly memory: ResponseMemory
  readonly clientIp: ClientIp
}

/** Serves the files behind temporary links, if they are stored in a folder. */
export const imageFileHandler =
  ({ open, memory, clientIp }: ImageFileParts): Handler =>
  async ({ ctx, match }) => {
    const { response } = ctx
    const linked = await open(match.path, match.query).catch((error: unknown) => {
      throw error instanceof StorageUnavailable ? unavailable(error) : error
    })
    if (linked === 'refused') {
      throw new ApiError('invalid_link', 'This link is wrong or has expired. Request a new one.')
    }
    if (linked === 'missing') throw missing()
    const client = clientIp(ctx.request)
    const room = (await awaitTurn(response)) ? memory.room(client) : null
    if (room) await room
    // The client may have disconnected while its request waited.
    if (response.destroyed) return { status: 200, headers: {}, content: null }
    memory.hold(response, client, { bytes: fileSendBytes })
    return fileResponse(ctx, linked)
  }

const missing = () => new ApiError('not_found', 'The image file does not exist.')

const unavailable = (cause: unknown) =>
  new ApiError('storage_unavailable', 'The image storage cannot be reached.', {
    cause,
    retryAfterSeconds: 1,
  })

/** Serves at most one range; a request for several gets the whole file. */
const fileResponse = async (
  { request, response, responseHeaders }: RequestContext,
  linked: LinkedFile,
): Promise<Response> => {
  const { file, sizeBytes, mimeType } = linked
  prepareConditions(request.headers, sizeBytes)
  // Loaded with the first image: most servers link to a bucket and send none.
  const { send } = await import('@fastify/send')
  const sent = await send(request, `/${encodeURIComponent(basename(file))}`, {
    root: dirname(file),
    dotfiles: 'deny',
    cacheControl: false,
  })
  if (sent.statusCode === 416) {
    // Contains the length of the file.
    response.setHeader('content-range', String(sent.headers['Content-Range']))
    throw new ApiError('range_not_satisfiable', 'The requested range is outside the file.')
  }
  if (sent.statusCode >= 400) throw missing()
  const { stream, statusCode: status } = sent
  const headers = {
    ...responseHeaders,
    'content-type': mimeType,
    'content-disposition': contentDisposition(linked),
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    'cache-control': 'private, no-cache',
  }
  if (!(stream instanceof ReadStream)) {
    const all = { ...inLowerCase(sent.headers), ...headers }
    return { status, headers: all, content: null }
  }
  try {
    const descriptor = await descriptorOf(stream)
    const { start } = stream as ReadStream & { readonly start: number }
    const length = Number(sent.headers['Content-Length'])
    const file = { stream, descriptor, start, length }
    return { status, headers: { ...sent.headers, ...headers }, file }
  } catch (error) {
    stream.destroy()
    throw unavailable(error)
  }
}

/** All other headers are lower-case, so that none occurs in two spellings. */
const inLowerCase = (headers: object): { readonly [name: string]: string } =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )

/**
 * Removes conditions that only apply to changes of a file. A suffix range longer than the file
 * means the whole file (RFC 9110, 14.1.2), but `send` rejects it. `send` also rejects an invalid
 * range, such as one that ends before it begins, which must be ignored (14.2).
 */
const prepareConditions = (headers: IncomingHttpHeaders, sizeBytes: number): void => {
  delete headers['if-match']
  delete headers['if-unmodified-since']
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(headers.range ?? '') ?? []
  const isValid = first === '' ? last !== '' : last === '' || Number(first) <= Number(last)
  if (!isValid) delete headers.range
  else if (first === '' && Number(last) >= sizeBytes && sizeBytes > 0) headers.range = 'bytes=0-'
}
