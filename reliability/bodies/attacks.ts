/** Senders that occupy the ingest process with bodies, until they are stopped. */
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import type { Batch } from '#intake'
import { until } from '../../test/support/cluster.ts'
import { putItem, storyItems } from '../../test/support/queue.ts'

export interface Attackers {
  /** The URL of the batches that they send. */
  readonly url: string
  /** Two ingest keys. */
  readonly keys: readonly string[]
  /** The id of a key for signed messages, without its secret. */
  readonly signerId: string
}

export interface Attack {
  /**
   * Ends it, and waits until nothing of it is left to do. Returns the number of requests and those
   * that got no response.
   */
  stop(): Promise<{ readonly requests: number; readonly unanswered: number }>
}

/** Bodies that each of the two attackers sends at the same time: half of `INGEST_BODIES`. */
const bodiesEach = 8
const dripMs = 1_000

/** Sends one byte a second on each connection, and opens another when one is closed. */
const drip = (url: string, headersOf: (attacker: number) => readonly string[]): Attack => {
  const { hostname, port, pathname, search } = new URL(url)
  const end = new AbortController()
  let requests = 0
  const dripOnce = (headers: readonly string[]): Promise<void> =>
    new Promise((resolve) => {
      requests += 1
      const socket = connect({ port: Number(port), host: hostname })
      const dripping = setInterval(() => socket.write(' '), dripMs)
      const close = () => socket.destroy()
      end.signal.addEventListener('abort', close)
      socket.on('error', () => undefined)
      socket.once('data', close)
      socket.once('close', () => {
        clearInterval(dripping)
        end.signal.removeEventListener('abort', close)
        resolve()
      })
      const head = [`POST ${pathname}${search} HTTP/1.1`, 'Host: ingest', ...headers]
      const body = ['Content-Type: application/x-ndjson', 'Content-Length: 100000', '', ' ']
      socket.write([...head, ...body].join('\r\n'))
    })
  const running = [0, 1].flatMap((attacker) =>
    Array.from({ length: bodiesEach }, async () => {
      while (!end.signal.aborted) {
        await dripOnce(headersOf(attacker))
        await wait(100)
      }
    }),
  )
  return {
    stop: async () => {
      end.abort()
      await Promise.all(running)
      return { requests, unanswered: 0 }
    },
  }
}

/** Signed messages from two addresses. Their signature could be checked only at the end. */
export const dripSigned = ({ url, signerId }: Attackers): Attack =>
  drip(`${url}?key=${signerId}`, (attacker) => [
    `X-Forwarded-For: 10.9.0.${attacker + 1}`,
    'webhook-id: drip',
    `webhook-timestamp: ${Math.floor(Date.now() / 1_000)}`,
    `webhook-signature: v1,${Buffer.alloc(32).toString('base64')}`,
  ])

export const dripWithKeys = ({ url, keys }: Attackers): Attack =>
  drip(url, (attacker) => [`Authorization: Bearer ${keys[attacker]}`])

/** Items of this many bytes, which become a small fraction of that with gzip. */
const largeBody = (bytes: number): Buffer => {
  const tag = storyItems.find(({ collection }) => collection === 'tags')?.record
  const lines: string[] = []
  for (let size = 0, n = 0; ; n += 1) {
    const id = `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`
    const line = `${JSON.stringify(putItem('tags', { ...tag, id, name: id } as never))}\n`
    size += line.length
    if (size > bytes) return gzipSync(lines.join(''))
    lines.push(line)
  }
}

/** Large compressed bodies, eight at a time with each key. Dry runs, so that the database stays small. */
export const sendLarge = ({ url, keys }: Attackers, bytes: number): Attack => {
  const body = largeBody(bytes)
  const agent = new Agent({ keepAlive: true })
  let [requests, unanswered, isOver] = [0, 0, false]
  /** The last batch that was accepted of each key. */
  const lastOf = new Map<string, string>()
  const isFinished = async ([key, id]: readonly [string, string]): Promise<boolean> => {
    const headers = { authorization: `Bearer ${key}`, prefer: 'wait=10' }
    const response = await fetch(`${url}/${id}`, { headers })
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
    return ((await response.json()) as Batch).finishedAt !== null
  }
  const send = (key: string): Promise<void> =>
    new Promise((resolve) => {
      requests += 1
      const sent = request(`${url}?dry-run=true`, {
        ...{ agent, method: 'POST' },
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/x-ndjson',
          'content-encoding': 'gzip',
          'content-length': body.length,
        },
      })
      const fail = () => {
        unanswered += 1
        resolve()
      }
      sent.once('response', (response) => {
        json(response).then((batch) => {
          const { id } = batch as Partial<Batch>
          if (id) lastOf.set(key, id)
          resolve()
        }, fail)
      })
      sent.once('error', fail)
      sent.end(body)
    })
  const running = keys.flatMap((key) =>
    Array.from({ length: bodiesEach }, async () => {
      while (!isOver) await send(key)
    }),
  )
  return {
    stop: async () => {
      isOver = true
      await Promise.all(running)
      agent.destroy()
      for (const each of lastOf) await until(() => isFinished(each))
      return { requests, unanswered }
    },
  }
}
