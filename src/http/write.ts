import type { ServerResponse } from 'node:http'
import type { ReadState } from '#store'
import { chooseEncoding, compress, type Encoding } from './compress.ts'
import { etagHeader, matchingEtag } from './etag.ts'
import { serverTiming, type Visit } from './visit.ts'
import { endWith, linesOf, sendWhole } from './whole-head.ts'

/** A successful answer before it is put on the wire. */
export interface Answer {
  /** A text where it need not be bytes: it goes out as it is, and costs no buffer of its own. */
  readonly body: string | Buffer
  readonly tag: string
  readonly link?: string
  /** JSON unless said. */
  readonly contentType?: string
  /** The state it was read from; none where it depends on more than that. */
  readonly readState?: ReadState
}

/** An answer in one encoding. */
export interface ReadyAnswer {
  readonly body: string | Buffer
  /** How many bytes that is. */
  readonly length: number
  /** Those of its headers that are always the same, as lines. */
  readonly lines: string
}

const sameForAll = {
  'x-content-type-options': 'nosniff',
  'cache-control': 'private, no-cache',
  vary: 'Authorization, Accept-Encoding',
}

const linesFor = (contentType: string) => linesOf({ 'content-type': contentType, ...sameForAll })
const answerLines = linesFor('application/json; charset=utf-8')

export interface MadeReady {
  readonly encoding: Encoding | null
  readonly ready: ReadyAnswer
  /** How many bytes it has before it is compressed. */
  readonly size: number
}

/** Gets an answer ready to send, compressed where the client takes it. */
export const makeReady = async ({ head }: Visit, answer: Answer): Promise<MadeReady> => {
  const size = Buffer.byteLength(answer.body)
  const encoding = chooseEncoding(head.acceptEncoding, size)
  return { encoding, size, ready: await encode(answer, encoding, size) }
}

/** Does the same for an answer that does not change: once for each encoding. */
export const makeReadyOnce = (answer: Answer): ((visit: Visit) => Promise<ReadyAnswer>) => {
  const size = Buffer.byteLength(answer.body)
  const forms = new Map<Encoding | null, Promise<ReadyAnswer>>()
  return ({ head }) => {
    const encoding = chooseEncoding(head.acceptEncoding, size)
    const known = forms.get(encoding)
    if (known) return known
    const made = encode(answer, encoding, size)
    forms.set(encoding, made)
    made.catch(() => forms.delete(encoding))
    return made
  }
}

const encode = async (
  { body, tag, link, contentType }: Answer,
  encoding: Encoding | null,
  size: number,
): Promise<ReadyAnswer> => {
  const packed = encoding ? await compress(Buffer.from(body), encoding) : body
  const length = encoding ? packed.length : size
  let lines = contentType ? linesFor(contentType) : answerLines
  lines += `etag: ${etagHeader(tag, encoding)}\r\n`
  if (encoding) lines += `content-encoding: ${encoding}\r\n`
  if (link) lines += `link: ${link}\r\n`
  lines += `content-length: ${length}\r\n`
  return { body: packed, length, lines }
}

/** Puts an answer on the wire, its head as one text where `now` is given and that can be done. */
export const writeReady = (
  response: ServerResponse,
  visit: Visit,
  { body, length, lines }: ReadyAnswer,
  now?: number,
): void => {
  const timing = serverTiming(visit)
  const all = timing ? `${lines}server-timing: ${timing}\r\n` : lines
  if (sendWhole(response, visit, { status: 200, lines: all, body, length }, now)) return
  response.writeHead(200, withHeaders(all, visit.headers))
  endWith(response, body, length)
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
  if (sendWhole(response, visit, { status: 304, lines, body: null, length: 0 }, now)) return
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
