import { createHash, hash } from 'node:crypto'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { ApiError } from '#contract'
import type { ReadState } from '#store'
import type { FeedRead } from '#usage'
import type { RequestContext } from './context.ts'
import { encodeError, errorHeaders } from './error-response.ts'
import { type FileBytes, sendFileBytes } from './file-send.ts'
import {
  type BodyPieces,
  endWith,
  headerLines,
  joinPieces,
  type RawStatus,
  sizeOf,
  writeRawHead,
} from './raw-response.ts'
import { sendPieces } from './stream-send.ts'

export type Response =
  | Entity
  | EncodedResponse
  | NotModified
  | PlainResponse
  | FileResponse
  | StreamedResponse

/** A representation with a tag, which is compressed and cached. */
export interface Entity {
  readonly body: BodyPieces
  readonly tag: string
  readonly link?: string
  /** Number of records on all pages of a list, also for HEAD. */
  readonly totalItems?: number
  /** Number of records in the body; 0 by default. */
  readonly records?: number
  /** The groups it was read from besides that of the operation. */
  readonly groups?: readonly string[] | null
  /** How far a page of the change feed brings its reader. */
  readonly feed?: FeedRead
  /** JSON by default. */
  readonly contentType?: string
  /** The state it was read from; absent if it depends on more than the records. */
  readonly readState?: ReadState
}

/** An entity in one encoding, ready to be sent. */
export interface EncodedResponse {
  readonly encodedBody: BodyPieces
  /** The bytes of the encoded body. */
  readonly length: number
  /** The constant headers, as lines. */
  readonly lines: string
  /** See `Entity`. */
  readonly records: number
  readonly groups: readonly string[] | null
  readonly feed?: FeedRead | undefined
}

/** The client's copy with this tag is current. */
export interface NotModified {
  readonly notModified: string
  /** See `Entity`. */
  readonly feed?: FeedRead
  readonly readState?: ReadState
}

/** Any other response with a body; null for no body. */
export interface PlainResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly content: string | Buffer | null
}

/** Bytes of a file, read while they are sent. */
export interface FileResponse {
  readonly status: number
  /** All headers, including those of the request. */
  readonly headers: ResponseHeaders
  readonly file: FileBytes
}

/** A response whose body is made while it is sent. */
export interface StreamedResponse {
  /**
   * Makes the response: calls `begin` once, then sends the body. An error before that is sent like
   * any other; a later one closes the connection, so that the client notices the missing part.
   */
  readonly stream: (begin: BeginStream) => Promise<void>
}

/** Sends the headers. The body may be compressed. */
export type BeginStream = (head: StreamHead) => {
  /**
   * Sends each piece once the kernel has accepted the one before, then the trailers. Waits for
   * `beforeEnd` before the client can know that it has everything.
   */
  send(
    pieces: AsyncIterable<Uint8Array>,
    trailers: ResponseHeaders,
    beforeEnd: () => Promise<void>,
  ): Promise<void>
}

export interface StreamHead {
  readonly headers: ResponseHeaders
  /** Whether the body is worth compressing. */
  readonly isCompressible: boolean
}

export interface ResponseHeaders {
  readonly [name: string]: string
}

export interface EncodedEntity {
  readonly encoding: Encoding | null
  readonly encoded: EncodedResponse
  /** The uncompressed size of the body. */
  readonly size: number
}

/** Compresses an entity if the client accepts that; returns a promise only then. */
export const encodeEntity = (
  accept: string | undefined,
  entity: Entity,
  size: number,
): EncodedEntity | Promise<EncodedEntity> => {
  const encoding = chooseEncoding(accept, size)
  return encoding
    ? encodeCompressed(entity, encoding, size)
    : { encoding, size, encoded: encodedAs(entity, null, entity.body, size) }
}

const encodeCompressed = async (
  entity: Entity,
  encoding: Encoding,
  size: number,
): Promise<EncodedEntity> => {
  const [only] = entity.body
  const whole = entity.body.length === 1 && only ? only : joinPieces(entity.body, size)
  const compressed = await compress(whole, encoding)
  return { encoding, size, encoded: encodedAs(entity, encoding, [compressed], compressed.length) }
}

/** Like `encodeEntity`, for an entity that does not change: encodes it once per encoding. */
export const encodeOnce = (
  entity: Entity,
): ((accept: string | undefined) => Promise<EncodedResponse>) => {
  const size = sizeOf(entity.body)
  const variants = new Map<Encoding | null, Promise<EncodedResponse>>()
  return (accept) => {
    const encoding = chooseEncoding(accept, size)
    const existing = variants.get(encoding)
    if (existing) return existing
    const encoded = encodeLater(accept, entity, size)
    variants.set(encoding, encoded)
    encoded.catch(() => variants.delete(encoding))
    return encoded
  }
}

const encodeLater = async (
  accept: string | undefined,
  entity: Entity,
  size: number,
): Promise<EncodedResponse> => (await encodeEntity(accept, entity, size)).encoded

const encodedAs = (
  { tag, link, totalItems, contentType, records = 0, groups = null, feed }: Entity,
  encoding: Encoding | null,
  encodedBody: BodyPieces,
  length: number,
): EncodedResponse => {
  let lines = contentType ? entityLines(contentType) : jsonLines
  lines += `etag: ${etagHeader(tag, encoding)}\r\n`
  if (encoding) lines += `content-encoding: ${encoding}\r\n`
  if (link) lines += `link: ${link}\r\n`
  if (totalItems !== undefined) lines += `total-items: ${totalItems}\r\n`
  lines += `content-length: ${length}\r\n`
  return { encodedBody, length, lines, records, groups, feed }
}

const entityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Accept-Encoding',
}
/** A streamed response has no tag and is never cached. */
const streamHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'no-store',
  vary: 'Authorization, Accept-Encoding',
}
const notModifiedLines = headerLines(entityHeaders)
const entityLines = (contentType: string) =>
  headerLines({ 'content-type': contentType, ...entityHeaders })
const jsonLines = entityLines('application/json; charset=utf-8')

export type Encoding = 'br' | 'gzip'

/** Smaller bodies are not compressed: that would save nothing. */
const plainBytesMax = 1_024

/** The response encoding: brotli or gzip if the client accepts it and the body is large enough. */
export const chooseEncoding = (accept: string | undefined, bytes: number): Encoding | null => {
  if (accept === undefined || bytes <= plainBytesMax) return null
  const existing = preferences.get(accept)
  if (existing !== undefined) return existing
  const preferred = preferredEncoding(accept)
  if (preferences.size < preferencesMax) preferences.set(accept, preferred)
  return preferred
}

/** Clients send the same few headers all the time. */
const preferences = new Map<string, Encoding | null>()
const preferencesMax = 100

const preferredEncoding = (accept: string): Encoding | null => {
  const weights = new Map(
    accept.split(',').map((part) => {
      const [name = '', ...parameters] = part.split(';').map((each) => each.trim().toLowerCase())
      const quality = parameters.find((each) => each.startsWith('q='))
      return [name, quality ? Number(quality.slice(2)) : 1] as const
    }),
  )
  const weight = (encoding: string) => weights.get(encoding) ?? weights.get('*') ?? 0
  const best = weight('br') >= weight('gzip') ? 'br' : 'gzip'
  return weight(best) > 0 ? best : null
}

const compressors = {
  br: promisify(brotliCompress),
  gzip: promisify(gzip),
} as const

/**
 * An encoder takes several megabytes, and a thread of the pool that also reads files: this maximum
 * leaves the other threads free.
 */
const compressionsMax = 2
let running = 0
/** Waiting compressions; never more than there are requests in progress. */
const queue: (() => void)[] = []

/** Compresses a body once fewer than `compressionsMax` others are being compressed. */
export const compress = async (body: Uint8Array, encoding: Encoding): Promise<Buffer> => {
  if (running >= compressionsMax) await new Promise<void>((resolve) => queue.push(resolve))
  else running += 1
  try {
    return await runCompressor(body, encoding)
  } finally {
    // The longest-waiting compression takes the slot.
    const next = queue.shift()
    if (next) next()
    else running -= 1
  }
}

const runCompressor = (body: Uint8Array, encoding: Encoding): Promise<Buffer> =>
  encoding === 'br'
    ? compressors.br(body, {
        params: {
          [constants.BROTLI_PARAM_QUALITY]: 4,
          [constants.BROTLI_PARAM_SIZE_HINT]: body.length,
        },
      })
    : compressors.gzip(body, { level: 6 })

/** Makes entity tags, which change whenever the bytes of a response could. */
export interface Etags {
  /**
   * The tag of a response that depends only on the request and the state of its collections, so
   * that it is known without reading a record.
   */
  of(brand: string, target: string, version: string): string
}

/** The secret makes tags of one database meaningless in another. */
export const createEtags = (secret: string, release: string): Etags => {
  const salt = createHash('sha256').update(`etag ${secret} ${release}`).digest('base64url')
  return {
    // The text of a JSON array. Salts, slugs and versions need no escaping.
    of: (brand, target, version) =>
      hash(
        'sha256',
        `["${salt}","${brand}",${JSON.stringify(target)},"${version}"]`,
        'base64url',
      ).slice(0, 22),
  }
}

/** The tag as a header, distinct for each encoding of the same response. */
export const etagHeader = (tag: string, encoding: string | null): string =>
  encoding ? `"${tag}.${encoding}"` : `"${tag}"`

/**
 * The tag in If-None-Match that names the response, in any encoding. Uses weak comparison, as the
 * standard requires.
 */
export const matchingEtag = (header: string | undefined, tag: string): string | undefined => {
  if (header === etagHeader(tag, null)) return header
  const names = [null, 'br', 'gzip'].map((encoding) => etagHeader(tag, encoding))
  const tags = header?.split(',').map((each) => each.trim().replace(/^W\//, ''))
  return tags?.find((each) => names.includes(each))
}

export const matchesEtag = (header: string | undefined, tag: string): boolean =>
  matchingEtag(header, tag) !== undefined

export const matchesAny = (header: string | undefined): boolean => header?.trim() === '*'

/** Puts responses on the wire. One of these methods sends every response of the server. */
export interface Responder {
  sendEncoded(ctx: RequestContext, response: EncodedResponse): void
  sendNotModified(ctx: RequestContext, tag: string, feed?: FeedRead): void
  sendPlain(ctx: RequestContext, response: PlainResponse): void
  sendFile(ctx: RequestContext, response: FileResponse): Promise<void>
  sendStream(ctx: RequestContext, response: StreamedResponse): Promise<void>
  sendError(ctx: RequestContext, error: ApiError): void
}

export interface ResponderParts {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether to ask clients to reconnect, which only `writeHead` does. */
  readonly draining: () => boolean
}

export const createResponder = ({ now, draining }: ResponderParts): Responder => {
  /** Sends a response with constant header lines, as one text if possible. */
  const send = (
    { response, responseHeaders }: RequestContext,
    status: RawStatus,
    lines: string,
    body: BodyPieces | string | null,
    length: number,
  ): void => {
    // A different Vary replaces one of the lines, which needs `writeHead`.
    const isRaw =
      !draining() &&
      responseHeaders['vary'] === undefined &&
      writeRawHead(response, status, lines + headerLines(responseHeaders), now())
    if (!isRaw) response.writeHead(status, mergeHeaders(lines, responseHeaders))
    if (body === null) response.end()
    else if (typeof body === 'string') response.end(body, 'latin1')
    else endWith(response, body, length)
  }

  return {
    sendEncoded: (ctx, { encodedBody, length, lines, records, groups, feed }) => {
      if (ctx.request.method !== 'HEAD') {
        ctx.records = records
        ctx.bytes = length
        if (feed) ctx.feed = feed
      }
      ctx.groups = groups
      const all = ctx.stages ? `${lines}server-timing: ${ctx.stages}\r\n` : lines
      send(ctx, 200, all, encodedBody, length)
    },
    sendNotModified: (ctx, tag, feed) => {
      if (feed && ctx.request.method !== 'HEAD') ctx.feed = feed
      // A cache finds its copy by the tag that it sent, which includes the encoding.
      const etag = matchingEtag(ctx.headers.ifNoneMatch, tag) ?? etagHeader(tag, null)
      send(ctx, 304, `${notModifiedLines}etag: ${etag}\r\n`, null, 0)
    },
    sendPlain: (ctx, { status, headers, content }) => {
      const { response, responseHeaders, stages } = ctx
      const bytes = content === null ? 0 : Buffer.byteLength(content)
      if (ctx.request.method !== 'HEAD') ctx.bytes = bytes
      const length = content !== null && { 'content-length': String(bytes) }
      const timing = stages && { 'server-timing': stages }
      response.writeHead(status, { ...headers, ...length, ...timing, ...responseHeaders })
      response.end(content)
    },
    sendFile: async ({ response }, { status, headers, file }) => {
      try {
        for (const name in headers) response.setHeader(name, headers[name] ?? '')
        response.writeHead(status)
        await sendFileBytes(response, file)
      } finally {
        file.stream.destroy()
      }
    },
    sendStream: (ctx, { stream }) =>
      stream(({ headers, isCompressible }) => {
        const { response, responseHeaders, request } = ctx
        const { acceptEncoding } = ctx.headers
        const encoding = isCompressible
          ? chooseEncoding(acceptEncoding, Number.POSITIVE_INFINITY)
          : null
        const all: ResponseHeaders = {
          ...headers,
          ...streamHeaders,
          ...(encoding && { 'content-encoding': encoding }),
          ...responseHeaders,
        }
        // Trailers need a chunked body, which HTTP/1.0 and HEAD do not have.
        const isChunked = request.method !== 'HEAD' && request.httpVersion !== '1.0'
        // No Trailer header announces them: a proxy that buffers forwards it with a length, which HTTP forbids.
        response.writeHead(200, all)
        return {
          send: async (pieces, values, beforeEnd) => {
            const onSent = (bytes: number) => {
              ctx.bytes += bytes
            }
            if (request.method !== 'HEAD') await sendPieces(response, pieces, encoding, onSent)
            await beforeEnd()
            if (response.destroyed) return
            if (isChunked) response.addTrailers(values)
            response.end()
          },
        }
      }),
    sendError: (ctx, error) => {
      ctx.errorCode = error.code
      const { response, responseHeaders } = ctx
      const { lines, body } = encodeError(error)
      if (ctx.request.method !== 'HEAD') ctx.bytes = body.length
      if (error.status === 429) {
        send(ctx, 429, lines, body, body.length)
        return
      }
      const length = { 'content-length': String(body.length) }
      response.writeHead(error.status, { ...errorHeaders(error), ...length, ...responseHeaders })
      response.end(body, 'latin1')
    },
  }
}

/** Combines header lines with the request's headers, which replace lines of the same name. */
const mergeHeaders = (lines: string, responseHeaders: ResponseHeaders): string[] => {
  const all = lines
    .split('\r\n')
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
  for (const name in responseHeaders) {
    const value = responseHeaders[name] ?? ''
    if (name === 'vary') all[all.indexOf('vary') + 1] = value
    else all.push(name, value)
  }
  return all
}
