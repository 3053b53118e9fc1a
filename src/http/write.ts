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

/** An answer in one encoding. */
export interface ReadyAnswer {
  readonly bytes: Buffer
  /** Those of its headers that are always the same, as lines. */
  readonly lines: string
  /** The bytes in the form they are sent fastest, where that was worth finding out. */
  readonly body?: Buffer | string
}

const sameForAll = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Accept-Encoding',
}

const linesFor = (contentType: string) => linesOf({ 'content-type': contentType, ...sameForAll })
const answerLines = linesFor('application/json; charset=utf-8')

/** Gets an answer ready to send, compressed where the client takes it. */
export const makeReady = async (
  { head }: Visit,
  { body, tag, link, contentType }: Answer,
): Promise<{ readonly encoding: Encoding | null; readonly ready: ReadyAnswer }> => {
  const encoding = chooseEncoding(head.acceptEncoding, body.length)
  const bytes = encoding ? await compress(body, encoding) : body
  const usual = contentType ? linesFor(contentType) : answerLines
  let lines = `${usual}etag: ${etagHeader(tag, encoding)}\r\n`
  if (encoding) lines += `content-encoding: ${encoding}\r\n`
  if (link) lines += `link: ${link}\r\n`
  return { encoding, ready: { bytes, lines: `${lines}content-length: ${bytes.length}\r\n` } }
}

/** Puts an answer on the wire, its head as one text where `now` is given and that can be done. */
export const writeReady = (
  response: ServerResponse,
  visit: Visit,
  { bytes, lines, body = bytes }: ReadyAnswer,
  now?: number,
): void => {
  const all = `${lines}server-timing: ${serverTiming(visit)}\r\n`
  if (sendWhole(response, visit, { status: 200, lines: all, body }, now)) return
  response.writeHead(200, withHeaders(all, visit.headers))
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
  response.writeHead(304, withHeaders(lines, visit.headers))
  response.end()
}

const notModifiedLines = linesOf(sameForAll)

/** Headers from lines, and those of a visit, which win over those of the same name. */
const withHeaders = (lines: string, more: { readonly [name: string]: string }): string[] => {
  const all = lines
    .split('\r\n')
    .slice(0, -1)
    .flatMap((line) => {
      const colon = line.indexOf(': ')
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
  for (const name in more) {
    const value = more[name] ?? ''
    if (name === 'vary') all[all.indexOf('vary') + 1] = value
    else all.push(name, value)
  }
  return all
}
