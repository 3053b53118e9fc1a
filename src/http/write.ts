import type { ServerResponse } from 'node:http'
import type { AsOf } from '#store'
import { chooseEncoding, compress, type Encoding } from './compress.ts'
import { etagHeader, matchingEtag } from './etag.ts'
import { serverTiming, type Visit } from './visit.ts'
import { linesOf, sendWhole } from './whole-head.ts'

/** A successful answer before it is put on the wire. */
export interface Answer {
  readonly body: Buffer
  readonly tag: string
  readonly link?: string
  /** JSON unless said. */
  readonly contentType?: string
  /** The state it was read from; none where it depends on more than that. */
  readonly asOf?: AsOf
}

/** An answer in one encoding: its bytes, and those of its headers that are always the same. */
export interface ReadyAnswer {
  readonly bytes: Buffer
  readonly headers: readonly string[]
  /** The same as they are sent at once, where it is kept. */
  readonly whole?: { readonly lines: string; readonly body: Buffer | string }
}

const sameForAll = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Accept-Encoding',
}

const listed = (headers: { readonly [name: string]: string }): string[] =>
  Object.entries(headers).flat()

const headersOf = (contentType: string) => listed({ 'content-type': contentType, ...sameForAll })
const answerHeaders = headersOf('application/json; charset=utf-8')

/** Gets an answer ready to send, compressed where the client takes it. */
export const makeReady = async (
  { head }: Visit,
  { body, tag, link, contentType }: Answer,
): Promise<{ readonly encoding: Encoding | null; readonly ready: ReadyAnswer }> => {
  const encoding = chooseEncoding(head.acceptEncoding, body.length)
  const bytes = encoding ? await compress(body, encoding) : body
  const usual = contentType ? headersOf(contentType) : answerHeaders
  const headers = [...usual, 'etag', etagHeader(tag, encoding)]
  if (encoding) headers.push('content-encoding', encoding)
  if (link) headers.push('link', link)
  headers.push('content-length', String(bytes.length))
  return { encoding, ready: { bytes, headers } }
}

/** Puts an answer on the wire, its head as one text where `now` is given and that can be done. */
export const writeReady = (
  response: ServerResponse,
  visit: Visit,
  { bytes, headers, whole }: ReadyAnswer,
  now?: number,
): void => {
  const timing = serverTiming(visit)
  if (whole) {
    const lines = `${whole.lines}server-timing: ${timing}\r\n`
    if (sendWhole(response, visit, { status: 200, lines, body: whole.body }, now)) return
  }
  const all = [...headers, 'server-timing', timing]
  addHeaders(all, visit.headers)
  response.writeHead(200, all)
  response.end(bytes)
}

/** Says that what the client has is still current. */
export const writeNotModified = (
  response: ServerResponse,
  visit: Visit,
  tag: string,
  now?: number,
): void => {
  // A cache finds what it holds by the tag it sent, which tells the encoding too.
  const etag = matchingEtag(visit.head.ifNoneMatch, tag) ?? etagHeader(tag, null)
  const lines = `${notModifiedLines}etag: ${etag}\r\n`
  if (sendWhole(response, visit, { status: 304, lines, body: null }, now)) return
  const all = [...notModifiedHeaders, 'etag', etag]
  addHeaders(all, visit.headers)
  response.writeHead(304, all)
  response.end()
}

const notModifiedHeaders = listed(sameForAll)
const notModifiedLines = linesOf(notModifiedHeaders)

/** Adds the headers of a visit, which win over those of the same name. */
const addHeaders = (all: string[], more: { readonly [name: string]: string }): void => {
  for (const name in more) {
    const value = more[name] ?? ''
    if (name === 'vary') all[all.indexOf('vary') + 1] = value
    else all.push(name, value)
  }
}
