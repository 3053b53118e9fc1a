/** A client that reads a file as it comes, as slowly as it likes. */
import { type IncomingMessage, request } from 'node:http'

export interface Downloaded {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  readonly trailers: IncomingMessage['trailers']
  readonly body: Buffer
  /** Whether the message ended as HTTP says it has to. */
  readonly isComplete: boolean
}

export interface DownloadOptions {
  readonly key: string
  readonly method?: string
  readonly headers?: { readonly [name: string]: string }
}

export interface OpenDownload {
  readonly response: IncomingMessage
  /** Bytes of the body that have been read. */
  readonly receivedBytes: number
  /** Reads the rest. */
  finish(): Promise<Downloaded>
  destroy(): void
}

/** Sends a request, and reads nothing of its body yet. */
export const openDownload = (
  url: string,
  { key, method = 'GET', headers = {} }: DownloadOptions,
): Promise<OpenDownload> =>
  new Promise((resolve, reject) => {
    const sent = request(url, {
      method,
      agent: false,
      headers: { authorization: `Bearer ${key}`, ...headers },
    })
    sent.once('error', reject)
    sent.once('response', (response) => {
      // A reset is reported by the rest of the message that is missing.
      sent.on('error', () => undefined)
      response.on('error', () => undefined)
      const pieces: Buffer[] = []
      resolve({
        response,
        get receivedBytes() {
          return pieces.reduce((sum, { length }) => sum + length, 0)
        },
        destroy: () => sent.destroy(),
        finish: async () => {
          response.on('data', (piece: Buffer) => pieces.push(piece))
          if (!response.closed) {
            await new Promise<void>((closed) => response.once('close', () => closed()))
          }
          return {
            status: response.statusCode ?? 0,
            headers: response.headers,
            trailers: response.trailers,
            body: Buffer.concat(pieces),
            isComplete: response.complete,
          }
        },
      })
    })
    sent.end()
  })

export const download = async (url: string, options: DownloadOptions): Promise<Downloaded> =>
  (await openDownload(url, options)).finish()
