/** A bare socket to a server, and what comes back on it. */
import { connect, type Socket } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** What came back on a socket: whole answers, and whether the server has closed it. */
export interface Conversation {
  readonly answers: readonly RawAnswer[]
  readonly rest: string
  readonly closed: boolean
}

/** A socket that is read as Latin-1, so that a character is a byte. */
export const openSocket = (url: string) => {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1')
  let received = ''
  let closed = false
  let heard = () => {}
  socket.setEncoding('latin1')
  socket.on('data', (text: string) => {
    received += text
    heard()
  })
  socket.on('close', () => {
    closed = true
    heard()
  })
  // A reset after an answer is the same end as any other.
  socket.on('error', () => {})
  const said = (): Conversation => ({ ...readAnswers(received), closed })
  return {
    send: (text: string) => {
      if (socket.writable) socket.write(text, 'latin1')
    },
    said,
    /** Everything that was received, a character for each byte. */
    received: () => received,
    until: async (enough: (said: Conversation) => boolean, limitMs = 3_000) => {
      const deadline = performance.now() + limitMs
      while (!enough(said()) && performance.now() < deadline) {
        await new Promise<void>((resolve) => {
          const timer = setTimeout(resolve, deadline - performance.now())
          heard = () => {
            clearTimeout(timer)
            resolve()
          }
        })
      }
      return said()
    },
    destroy: () => socket.destroy(),
  }
}

const readAnswers = (text: string): { answers: RawAnswer[]; rest: string } => {
  const answers: RawAnswer[] = []
  let rest = text
  while (rest !== '') {
    const end = rest.indexOf('\r\n\r\n')
    const [first = '', ...lines] = rest.slice(0, Math.max(end, 0)).split('\r\n')
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1])
    if (end === -1 || Number.isNaN(status)) break
    const headers = new Map(
      lines.map((line) => {
        const colon = line.indexOf(':')
        return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
      }),
    )
    const bodyEnd = end + 4 + Number(headers.get('content-length') ?? 0)
    if (rest.length < bodyEnd) break
    answers.push({ status, headers, body: rest.slice(end + 4, bodyEnd) })
    rest = rest.slice(bodyEnd)
  }
  return { answers, rest }
}

/** A message without a body, line by line. */
export const message = (line: string, ...headers: string[]): string =>
  [line, ...headers, '', ''].join('\r\n')
