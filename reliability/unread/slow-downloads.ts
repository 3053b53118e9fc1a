import type { IncomingMessage } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { openDownload } from '../../test/support/download.ts'

/** Downloads of one key that are read slowly, one after the other, as many as it gets. */
export interface SlowDownloads {
  /** Downloads in progress, as far as a client that reads slowly can know. */
  readonly open: number
  /** Downloads that began. */
  readonly begun: number
  /** The longest of them. */
  readonly longestSeconds: number
  close(): Promise<void>
}

/** Ten times the minimum, so that the server does not close the connection as stalled. */
const bytesPerSecond = 100_000
const pauseMs = 250
/** Pause after a refusal: an attacker does not obey Retry-After. */
const againMs = 500

export const openSlowDownloads = (url: string, key: string, clients: number): SlowDownloads => {
  let [open, begun, longestMs] = [0, 0, 0]
  let isOver = false

  const readSlowly = async (response: IncomingMessage) => {
    while (!isOver && !response.closed) {
      response.read(Math.min(response.readableLength, (bytesPerSecond * pauseMs) / 1_000))
      await wait(pauseMs)
    }
  }
  const client = async () => {
    while (!isOver) {
      const download = await openDownload(url, { key }).catch(() => null)
      if (download?.response.statusCode === 200) {
        open += 1
        begun += 1
        const began = performance.now()
        await readSlowly(download.response)
        longestMs = Math.max(longestMs, performance.now() - began)
        open -= 1
      } else await wait(againMs)
      download?.destroy()
    }
  }
  const all = Promise.all(Array.from({ length: clients }, client))
  return {
    get open() {
      return open
    },
    get begun() {
      return begun
    },
    get longestSeconds() {
      return longestMs / 1_000
    },
    close: async () => {
      isOver = true
      await all
    },
  }
}
