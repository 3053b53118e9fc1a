import { brotliDecompressSync, gunzipSync } from 'node:zlib'

/** A response as received. */
export interface Message {
  /** The status line and the headers. */
  readonly head: string
  readonly body: Buffer
}

/**
 * The kind of body in a successful response. Records are compared byte by byte. In the others,
 * messages, links that contain a time, and built files may differ.
 */
export type BodyKind = 'records' | 'document' | 'image link' | 'agent message' | 'built file'

export interface Difference {
  /** The part that differs: `status line`, `header etag` or `body`. */
  readonly part: string
  readonly before: string
  readonly after: string
}

/** The first difference between two responses to the same request, or null. */
export const differenceOf = (
  before: Message,
  after: Message,
  { wire, kind }: { readonly wire: string; readonly kind: BodyKind },
): Difference | null => {
  const [one, other] = [before, after].map((message) => comparable(message, wire, kind)) as [
    Comparable,
    Comparable,
  ]
  if (one.statusLine !== other.statusLine) {
    return { part: 'status line', before: one.statusLine, after: other.statusLine }
  }
  for (const name of new Set([...one.headers.keys(), ...other.headers.keys()])) {
    const [value, otherValue] = [one.headers.get(name), other.headers.get(name)]
    if (value !== otherValue) {
      const part = `header ${name.toLowerCase()}`
      return { part, before: lineOf(name, value), after: lineOf(name, otherValue) }
    }
  }
  return one.body === other.body ? null : { part: 'body', ...excerpts(one.body, other.body) }
}

const lineOf = (name: string, value: string | undefined): string =>
  value === undefined ? `no ${name}` : `${name}: ${value}`

interface Comparable {
  readonly statusLine: string
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

const comparable = ({ head, body }: Message, wire: string, expected: BodyKind): Comparable => {
  // The console answers some unusual targets, such as an absolute one without a path.
  const kind = /^content-type: text\/html/im.test(head) ? 'built file' : expected
  const [statusLine = '', ...lines] = head.split('\r\n')
  const isError = / [45]\d\d /.test(statusLine)
  const isExact = !isError && kind === 'records'
  const headers = new Map<string, string>()
  for (const line of lines) {
    const colon = line.indexOf(':')
    const name = line.slice(0, colon)
    const masked = maskHeader(name.toLowerCase(), line.slice(colon + 1).trim(), wire, isExact)
    const earlier = headers.get(name)
    headers.set(name, earlier === undefined ? masked : `${earlier}\n${masked}`)
  }
  const encoding = /^content-encoding: (\w+)/im.exec(head)?.[1]
  const text = isExact ? body.toString('latin1') : decode(body, encoding)
  return { statusLine, headers, body: isError ? maskError(text) : maskBody[kind](text) }
}

const decode = (body: Buffer, encoding: string | undefined): string => {
  if (body.length === 0 || encoding === undefined) return body.toString('utf8')
  return (encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString('utf8')
}

/** Masks values that depend on the time, the process or the connection. */
const maskHeader = (name: string, value: string, wire: string, isExact: boolean): string => {
  if (name === 'date' || name === 'server-timing') return `<${name}>`
  if (name === 'x-request-id') return wire.includes(value) ? value : '<id>'
  if (name === 'ratelimit' || name === 'retry-after') return value.replaceAll(/\d+/g, '<n>')
  if (name === 'keep-alive') return value.replace(/max=\d+/, 'max=<n>')
  // These depend on the masked part of the body.
  if (!isExact && (name === 'content-length' || name === 'etag')) return `<${name}>`
  return value
}

/** Matches a JSON member with a string value, also within an escaped JSON string. */
const sentence = (names: string): RegExp =>
  new RegExp(
    `(\\\\?"(?:${names})\\\\?": ?)(?:"(?:[^"\\\\]|\\\\.)*"|\\\\"(?:[^"\\\\]|\\\\{3}"|\\\\[^"])*?\\\\")`,
    'g',
  )
const errorSentence = sentence('error|issue')
const description = sentence(
  'about|description|error|instructions|issue|meaning|message|reason|summary|title',
)
const maskError = (text: string): string => text.replaceAll(errorSentence, '$1"…"')

const maskBody: Readonly<Record<BodyKind, (text: string) => string>> = {
  records: (text) => text,
  document: (text) => (text.startsWith('{') ? text.replaceAll(description, '$1"…"') : ''),
  'image link': (text) =>
    text.replace(/("url":"[^"?]*)\?[^"]*"/, '$1"').replace(/("expires\w*":)"[^"]*"/, '$1""'),
  'agent message': (text) => text.replaceAll(description, '$1"…"'),
  'built file': () => '',
}

const excerptBefore = 60
const excerptLength = 300

/** The text around the first difference. */
const excerpts = (before: string, after: string): Pick<Difference, 'before' | 'after'> => {
  let at = 0
  while (before[at] === after[at] && at < before.length) at += 1
  const from = Math.max(0, at - excerptBefore)
  const excerpt = (text: string) =>
    `${from > 0 ? '…' : ''}${text.slice(from, from + excerptLength)}`
  return { before: excerpt(before), after: excerpt(after) }
}

/**
 * Splits the data of one connection into responses. Text after the last complete response becomes
 * the body of a message without a head.
 */
export const messagesIn = (received: string): readonly Message[] => {
  const messages: Message[] = []
  let rest = received
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    if (end === -1 || !rest.startsWith('HTTP/')) {
      messages.push({ head: '', body: Buffer.from(rest, 'latin1') })
      break
    }
    const head = rest.slice(0, end)
    rest = rest.slice(end + 4)
    const length = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0)
    // The response to a HEAD request has a length but no body.
    const isBare = rest.startsWith('HTTP/1.1 ') || rest === ''
    const body = Buffer.from(isBare ? '' : rest.slice(0, length), 'latin1')
    rest = rest.slice(body.length)
    messages.push({ head, body })
  }
  return messages
}
