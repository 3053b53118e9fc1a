import type { ApiError } from '#contract'
import type { ReadState } from '#store'
import { chooseEncoding, compress, type Encoding } from './compress.ts'
import type { RequestContext } from './context.ts'
import { encodeError, errorHeaders } from './error-response.ts'
import { etagHeader, matchingEtag } from './etag.ts'
import { type FileBytes, sendFileBytes } from './file-send.ts'
import { endWith, headerLines, type RawStatus, writeRawHead } from './raw-response.ts'

/** What a handler returns. */
export type Response = Entity | EncodedResponse | NotModified | PlainResponse | FileResponse

/** A representation with a tag, which is compressed and cached. */
export interface Entity {
  /** A text where it need not be bytes: it is sent as it is, without a buffer of its own. */
  readonly body: string | Buffer
  readonly tag: string
  readonly link?: string
  /** JSON by default. */
  readonly contentType?: string
  /** The state it was read from; absent where it depends on more than the records. */
  readonly readState?: ReadState
}

/** An entity in one encoding, ready to be sent. */
export interface EncodedResponse {
  readonly encodedBody: string | Buffer
  /** The bytes of that body. */
  readonly length: number
  /** The headers that are the same each time it is sent, as lines. */
  readonly lines: string
}

/** The client's copy with this tag is current. */
export interface NotModified {
  readonly notModified: string
  readonly readState?: ReadState
}

/** Any other response with a body; null for none at all. */
export interface PlainResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly content: string | Buffer | null
  /** Whether its headers come before those of the request, not after them. */
  readonly headersFirst?: true
}

/** Bytes of a file, which are read while they are sent. */
export interface FileResponse {
  readonly status: number
  /** All of them, including those of the request. */
  readonly headers: ResponseHeaders
  readonly file: FileBytes
}

export interface ResponseHeaders {
  readonly [name: string]: string
}

export interface EncodedEntity {
  readonly encoding: Encoding | null
  readonly encoded: EncodedResponse
  /** The bytes of the body before it is compressed. */
  readonly size: number
}

/** Compresses an entity where the client accepts that. */
export const encodeEntity = async (
  accept: string | undefined,
  entity: Entity,
): Promise<EncodedEntity> => {
  const size = Buffer.byteLength(entity.body)
  const encoding = chooseEncoding(accept, size)
  return { encoding, size, encoded: await encode(entity, encoding, size) }
}

/** The same for an entity that does not change: once for each encoding. */
export const encodeOnce = (
  entity: Entity,
): ((accept: string | undefined) => Promise<EncodedResponse>) => {
  const size = Buffer.byteLength(entity.body)
  const variants = new Map<Encoding | null, Promise<EncodedResponse>>()
  return (accept) => {
    const encoding = chooseEncoding(accept, size)
    const existing = variants.get(encoding)
    if (existing) return existing
    const encoded = encode(entity, encoding, size)
    variants.set(encoding, encoded)
    encoded.catch(() => variants.delete(encoding))
    return encoded
  }
}

const encode = async (
  { body, tag, link, contentType }: Entity,
  encoding: Encoding | null,
  size: number,
): Promise<EncodedResponse> => {
  const encodedBody = encoding ? await compress(Buffer.from(body), encoding) : body
  const length = encoding ? encodedBody.length : size
  let lines = contentType ? entityLines(contentType) : jsonLines
  lines += `etag: ${etagHeader(tag, encoding)}\r\n`
  if (encoding) lines += `content-encoding: ${encoding}\r\n`
  if (link) lines += `link: ${link}\r\n`
  lines += `content-length: ${length}\r\n`
  return { encodedBody, length, lines }
}

const entityHeaders = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Accept-Encoding',
}
const notModifiedLines = headerLines(entityHeaders)
const entityLines = (contentType: string) =>
  headerLines({ 'content-type': contentType, ...entityHeaders })
const jsonLines = entityLines('application/json; charset=utf-8')

/** Puts responses on the wire. Every response of the server is sent by one of these. */
export interface Responder {
  sendEncoded(ctx: RequestContext, response: EncodedResponse): void
  sendNotModified(ctx: RequestContext, tag: string): void
  sendPlain(ctx: RequestContext, response: PlainResponse): void
  sendFile(ctx: RequestContext, response: FileResponse): Promise<void>
  sendError(ctx: RequestContext, error: ApiError): void
}

export interface ResponderParts {
  /** Milliseconds since 1970. */
  readonly now: () => number
  /** Whether clients are asked to connect again: only `writeHead` says so. */
  readonly draining: () => boolean
}

export const createResponder = ({ now, draining }: ResponderParts): Responder => {
  /** Sends a response of constant lines: as one text where possible. */
  const send = (
    { response, responseHeaders }: RequestContext,
    status: RawStatus,
    lines: string,
    body: string | Buffer | null,
    length: number,
  ): void => {
    // A different Vary replaces one of the lines, which `writeHead` does.
    const isRaw =
      !draining() &&
      responseHeaders['vary'] === undefined &&
      writeRawHead(response, status, lines + headerLines(responseHeaders), now())
    if (!isRaw) response.writeHead(status, mergeHeaders(lines, responseHeaders))
    if (body === null) response.end()
    else endWith(response, body, length)
  }

  return {
    sendEncoded: (ctx, { encodedBody, length, lines }) => {
      const all = ctx.stages ? `${lines}server-timing: ${ctx.stages}\r\n` : lines
      send(ctx, 200, all, encodedBody, length)
    },
    sendNotModified: (ctx, tag) => {
      // A cache finds its copy by the tag that it sent, which includes the encoding.
      const etag = matchingEtag(ctx.headers.ifNoneMatch, tag) ?? etagHeader(tag, null)
      send(ctx, 304, `${notModifiedLines}etag: ${etag}\r\n`, null, 0)
    },
    sendPlain: (
      { response, responseHeaders, stages },
      { status, headers, content, headersFirst },
    ) => {
      const length = content !== null && { 'content-length': String(Buffer.byteLength(content)) }
      const timing = stages && { 'server-timing': stages }
      response.writeHead(
        status,
        headersFirst
          ? { ...headers, ...timing, ...responseHeaders, ...length }
          : { ...responseHeaders, ...headers, ...timing, ...length },
      )
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
    sendError: (ctx, error) => {
      ctx.errorCode = error.code
      const { response, responseHeaders, isErrorLengthLast } = ctx
      const { lines, body } = encodeError(error)
      if (error.status === 429 && !isErrorLengthLast) {
        send(ctx, 429, lines, body, body.length)
        return
      }
      const length = { 'content-length': String(body.length) }
      response.writeHead(
        error.status,
        isErrorLengthLast
          ? { ...errorHeaders(error), ...responseHeaders, ...length }
          : { ...errorHeaders(error), ...length, ...responseHeaders },
      )
      endWith(response, body, body.length)
    },
  }
}

/** Headers from lines, and those of the request, which replace lines of the same name. */
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
