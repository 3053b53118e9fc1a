import { setTimeout as wait } from 'node:timers/promises'
import { PullRefused, printable } from './refusal.ts'

/** An answer that means something: there, unchanged, wrong, or not there. */
export interface Reply {
  readonly status: 200 | 304 | 400 | 404
  /** JSON; null where there is none. */
  readonly body: unknown
  readonly etag: string | null
}

export interface AskOptions {
  /** What is there already; the answer may then be 304. */
  readonly etag?: string | null
  /** How often to try where the other side fails. */
  readonly tries?: number
}

/** A Selvedge that is asked with a key. */
export interface Remote {
  /** Every request that was made. */
  readonly requests: number
  /**
   * Asks, waits where it is told to, and tries again where the network or the server fails. Throws
   * `PullRefused` when that does not help.
   */
  ask(url: string, options?: AskOptions): Promise<Reply>
}

export interface RemoteParts {
  readonly key: string
  /** From 0 to 1, so that many that failed together do not come back together. */
  readonly chance: () => number
  /** Milliseconds since anything. */
  readonly clock: () => number
  /** Told why nothing happens for a while. */
  readonly say: (sentence: string) => void
  /** How long a response may make no progress: before its first byte, and between two. */
  readonly idleMs?: number
  /** The first pause after a failure; each is twice the one before. */
  readonly pauseMs?: number
  /** How often a failed request is tried. */
  readonly tries?: number
  /** How long to wait for the rate limit of the key, for one request in all. */
  readonly waitSecondsMost?: number
}

/** The response is longer than any page of records can be. */
export class ResponseTooLarge extends PullRefused {}

/**
 * A page has at most 100 records of 256 KiB. The bytes are counted after decompression, as they
 * arrive, so a compressed body that expands without end is cut here too.
 */
const responseBytesMax = 33_554_432
const idleMsUsual = 30_000
/** A response that always makes some progress still has to end. */
const responseTimesIdle = 4
/** After so long without a usable response no further try is made. */
const triesTimesIdle = 10
const triesUsual = 7
/** Requests that are answered with 429, whatever they say about waiting. */
const waitsMost = 60
const waitSecondsMostUsual = 900
const pauseMsMost = 30_000

export const openRemote = (parts: RemoteParts): Remote => {
  const { key, chance, clock, say, idleMs = idleMsUsual, pauseMs = 500 } = parts
  const { tries: triesMost = triesUsual, waitSecondsMost = waitSecondsMostUsual } = parts
  let requests = 0

  const send = async (url: string, etag: string | null): Promise<Sent | Error> => {
    requests += 1
    const ending = new AbortController()
    const idle = setTimeout(() => ending.abort(timeout('no progress in time')), idleMs)
    const end = setTimeout(
      () => ending.abort(timeout('the response did not end in time')),
      idleMs * responseTimesIdle,
    )
    try {
      const response = await fetch(url, {
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json',
          ...(etag && { 'if-none-match': etag }),
        },
        // Elsewhere the key is nobody's business.
        redirect: 'manual',
        signal: ending.signal,
      })
      return { response, text: await readText(url, response, () => idle.refresh()) }
    } catch (error) {
      if (error instanceof PullRefused) throw error
      return error instanceof Error ? error : new Error(String(error))
    } finally {
      clearTimeout(idle)
      clearTimeout(end)
      // Closes the connection of a response that was not read to its end.
      ending.abort()
    }
  }

  const ask = async (url: string, options: AskOptions = {}): Promise<Reply> => {
    const { etag = null, tries = triesMost } = options
    let failures = 0
    let waits = 0
    let waitedSeconds = 0
    const endsAt = clock() + idleMs * triesTimesIdle
    for (;;) {
      const sent = await send(url, etag)
      if (!(sent instanceof Error) && sent.response.status === 429 && waits < waitsMost) {
        waits += 1
        const seconds = retryAfterOf(sent.response) ?? 1
        waitedSeconds += seconds
        if (waitedSeconds > waitSecondsMost) throw refused(url, sent)
        if (seconds > 5) say(`The limit of the key is used up; waiting for ${seconds} s.`)
        await wait(seconds * 1_000)
        continue
      }
      if (!failed(sent)) return readReply(url, sent)
      failures += 1
      if (failures >= tries || clock() > endsAt + waitedSeconds * 1_000)
        throw sent instanceof Error ? unreachable(url, sent) : refused(url, sent)
      const told = sent instanceof Error ? null : retryAfterOf(sent.response)
      const own = Math.min(pauseMs * 2 ** (failures - 1), pauseMsMost) * (0.5 + chance() / 2)
      const pause = Math.min(told === null ? own : Math.max(own, told * 1_000), pauseMsMost)
      const why = sent instanceof Error ? reasonOf(sent) : `it answered ${sent.response.status}`
      say(`Trying again in ${(pause / 1_000).toFixed(1)} s: ${why}.`)
      await wait(pause)
    }
  }

  return {
    get requests() {
      return requests
    },
    ask,
  }
}

interface Sent {
  readonly response: Response
  readonly text: string
}

/** The whole body, refused as soon as it is longer than a page of records can be. */
const readText = async (
  url: string,
  response: Response,
  onProgress: () => void,
): Promise<string> => {
  onProgress()
  const tooLarge = () =>
    new ResponseTooLarge(
      `${placeOf(url)} sent more than ${responseBytesMax / 1_048_576} MiB or ${openingsMax.toLocaleString('en')} objects in one response, which no page of records has. Nothing was copied from it.`,
    )
  if (Number(response.headers.get('content-length') ?? 0) > responseBytesMax) throw tooLarge()
  const chunks: Uint8Array[] = []
  let size = 0
  let openings = 0
  for await (const chunk of response.body ?? []) {
    onProgress()
    size += chunk.length
    for (const byte of chunk) if (byte === openBrace || byte === openBracket) openings += 1
    if (size > responseBytesMax || openings > openingsMax) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

const [openBrace, openBracket] = [0x7b, 0x5b]
/** Objects and lists of one response. Each takes far more memory than the two bytes it is sent as. */
const openingsMax = 1_000_000

const timeout = (message: string): Error => new DOMException(message, 'TimeoutError')

const failed = (sent: Sent | Error): sent is Sent | Error =>
  sent instanceof Error || sent.response.status >= 500 || sent.response.status === 408

const retryAfterOf = ({ headers }: Response): number | null => {
  const text = headers.get('retry-after')
  return text !== null && /^\d{1,9}$/.test(text) ? Number(text) : null
}

const readReply = (url: string, sent: Sent | Error): Reply => {
  if (sent instanceof Error) throw unreachable(url, sent)
  const { response, text } = sent
  const { status } = response
  if (status === 304) return { status, body: null, etag: response.headers.get('etag') }
  const body = parse(text)
  if (status === 200 && isObject(body)) return { status, body, etag: response.headers.get('etag') }
  if ((status === 400 || status === 404) && sentenceOf(body)) return { status, body, etag: null }
  throw refused(url, sent)
}

/** Why a request that was answered cannot be used. */
const refused = (url: string, { response, text }: Sent): PullRefused => {
  const { status } = response
  const body = parse(text)
  const sentence = sentenceOf(body)
  const answer = { status, body, retryAfterSeconds: retryAfterOf(response) }
  if (status === 401 && sentence) {
    return new PullRefused(
      codeOf(body) === 'out_of_scope'
        ? 'The key may not read this brand.'
        : `The key is not accepted. ${sentence}`,
      { answer },
    )
  }
  const place = placeOf(url)
  if (status >= 300 && status < 400) {
    const to = printable(response.headers.get('location') ?? 'another address')
    return new PullRefused(
      `${place} redirects to ${to}. The key goes to nobody else: use that address.`,
    )
  }
  if (sentence) return new PullRefused(`${place} answered ${status}. ${sentence}`, { answer })
  const type = printable(response.headers.get('content-type') ?? 'no content type', 100)
  return new PullRefused(
    status >= 500
      ? `${place} answered ${status}, again and again.`
      : `There is no Selvedge at ${place}: it answered ${status} with ${type}.`,
  )
}

/** An address as it is shown: a cursor in it may be long. */
export const placeOf = (url: string): string => printable(url, 200)

const unreachable = (url: string, error: Error): PullRefused =>
  new PullRefused(`${new URL(url).origin} cannot be reached: ${reasonOf(error)}.`, { cause: error })

const reasonOf = (error: Error): string => {
  if (error.name === 'TimeoutError') return error.message
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return printable(code || (cause instanceof Error && cause.message) || error.message)
}

/** The sentence of an error as a Selvedge words it; nothing when it is not one. */
export const sentenceOf = (body: unknown): string | undefined =>
  isObject(body) && typeof body['error'] === 'string' && codeOf(body) !== undefined
    ? printable(body['error'])
    : undefined

export const codeOf = (body: unknown): string | undefined =>
  isObject(body) && typeof body['errorCode'] === 'string' ? body['errorCode'] : undefined

export const isObject = (value: unknown): value is { readonly [name: string]: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
