import type { ServerResponse } from 'node:http'
import type { Visit } from './visit.ts'

/**
 * Node checks and joins every header of every answer anew, which costs more than all the rest of a
 * remembered one. What is known to be well-formed is handed over as one text instead, the way Node
 * itself keeps it. Where that is not so, or where the connection is not simply kept, `writeHead`
 * does its work.
 */
interface WholeHead {
  /** The head as it will be sent; null until there is one. */
  _header: string | null
  readonly _keepAliveTimeout: number
  readonly _maxRequestsPerSocket: number
  readonly maxRequestsOnConnectionReached: boolean
}

type Response = ServerResponse & WholeHead

const statusLines = {
  200: 'HTTP/1.1 200 OK\r\n',
  304: 'HTTP/1.1 304 Not Modified\r\n',
  429: 'HTTP/1.1 429 Too Many Requests\r\n',
} as const

/** Whether the head of an answer can be handed over as one text. */
const takesWhole = (response: Response): boolean =>
  response._header === null &&
  response.shouldKeepAlive &&
  !response.maxRequestsOnConnectionReached &&
  response._keepAliveTimeout > 0 &&
  response.req.httpVersionMinor === 1 &&
  response.getHeaderNames().length === 0

export interface WholeAnswer {
  readonly status: keyof typeof statusLines
  /** Header lines, each with its end. Made of what is known to be well-formed. */
  readonly lines: string
  /** The body; a text goes out in one piece with the head. */
  readonly body: string | Buffer | null
  /** How many bytes that is. */
  readonly length: number
}

/** Longer bodies are not worth copying. */
const textMax = 4_096

/** Bytes in the form they are sent fastest: short ones as a text with a character for each. */
export const bodyForm = (bytes: Buffer): string | Buffer =>
  bytes.length > textMax ? bytes : bytes.toString('latin1')

/**
 * Sends an answer as it stands, with the headers of its visit; says whether it did. `now` is not
 * given where the connection is not to be kept.
 */
export const sendWhole = (
  response: ServerResponse,
  visit: Visit,
  { status, lines, body, length }: WholeAnswer,
  now: number | undefined,
): boolean => {
  const whole = response as Response
  // A visit whose answers vary by more than usual has a header in place of one of the lines.
  if (now === undefined || visit.headers['vary'] !== undefined || !takesWhole(whole)) return false
  response.statusCode = status
  whole._header = `${statusLines[status]}${lines}${linesOf(visit.headers)}Date: ${dateOf(now)}\r\nConnection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(whole._keepAliveTimeout / 1_000)}, max=${whole._maxRequestsPerSocket}\r\n\r\n`
  if (body === null) response.end()
  else endWith(response, body, length)
  return true
}

/** Ends an answer. A text with as many characters as bytes needs no encoding. */
export const endWith = (response: ServerResponse, body: string | Buffer, length: number): void => {
  if (typeof body !== 'string') response.end(body)
  else response.end(body, body.length === length ? 'latin1' : 'utf8')
}

let second = 0
let date = ''

const dateOf = (now: number): string => {
  const current = Math.floor(now / 1_000)
  if (current !== second) {
    second = current
    date = new Date(now).toUTCString()
  }
  return date
}

/** Headers as lines. */
export const linesOf = (headers: { readonly [name: string]: string }): string => {
  let lines = ''
  for (const name in headers) lines += `${name}: ${headers[name]}\r\n`
  return lines
}
