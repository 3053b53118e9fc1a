import { setTimeout as wait } from 'node:timers/promises'
import { PullRefused } from './refusal.ts'

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
  /** Told why nothing happens for a while. */
  readonly say: (sentence: string) => void
  /** How long one answer may take. */
  readonly timeoutMs?: number
  /** The first pause after a failure; each is twice the one before. */
  readonly pauseMs?: number
}

const triesMost = 7
/** A rate that is used up is waited for; a limit that never ends is not. */
const waitsMost = 60
const retryAfterSecondsMost = 900
const pauseMsMost = 30_000

export const openRemote = (parts: RemoteParts): Remote => {
  const { key, chance, say, timeoutMs = 60_000, pauseMs = 500 } = parts
  let requests = 0

  const send = async (url: string, etag: string | null): Promise<Sent | Error> => {
    requests += 1
    try {
      const response = await fetch(url, {
        headers: {
          authorization: `Bearer ${key}`,
          accept: 'application/json',
          ...(etag && { 'if-none-match': etag }),
        },
        // Elsewhere the key is nobody's business.
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      return { response, text: await response.text() }
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }

  const ask = async (url: string, options: AskOptions = {}): Promise<Reply> => {
    const { etag = null, tries = triesMost } = options
    let failures = 0
    let waits = 0
    for (;;) {
      const sent = await send(url, etag)
      if (!(sent instanceof Error) && sent.response.status === 429 && waits < waitsMost) {
        waits += 1
        const seconds = retryAfterOf(sent.response) ?? 1
        if (seconds > retryAfterSecondsMost) throw refused(url, sent)
        if (seconds > 5) say(`The limit of the key is used up; waiting for ${seconds} s.`)
        await wait(seconds * 1_000)
        continue
      }
      if (!failed(sent)) return readReply(url, sent)
      failures += 1
      if (failures >= tries)
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
  if (status === 401 && sentence) {
    return new PullRefused(
      codeOf(body) === 'out_of_scope'
        ? 'The key may not read this brand.'
        : `The key is not accepted. ${sentence}`,
    )
  }
  if (status >= 300 && status < 400) {
    const to = response.headers.get('location') ?? 'another address'
    return new PullRefused(
      `${url} redirects to ${to}. The key goes to nobody else: use that address.`,
    )
  }
  if (sentence) return new PullRefused(`${url} answered ${status}. ${sentence}`)
  const type = response.headers.get('content-type') ?? 'no content type'
  return new PullRefused(
    status >= 500
      ? `${url} answered ${status}, again and again.`
      : `There is no Selvedge at ${url}: it answered ${status} with ${type}.`,
  )
}

const unreachable = (url: string, error: Error): PullRefused =>
  new PullRefused(`${new URL(url).origin} cannot be reached: ${reasonOf(error)}.`, { cause: error })

const reasonOf = (error: Error): string => {
  if (error.name === 'TimeoutError') return 'no answer in time'
  const { cause } = error
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
  return code || (cause instanceof Error && cause.message) || error.message
}

/** The sentence of an error as a Selvedge words it; nothing when it is not one. */
export const sentenceOf = (body: unknown): string | undefined =>
  isObject(body) && typeof body['error'] === 'string' && codeOf(body) !== undefined
    ? body['error']
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
