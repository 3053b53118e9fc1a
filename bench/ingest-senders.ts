/** Batches for the ingest benchmark, and their senders, which can run in a separate thread. */
import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { openStory } from '#demo'
import { type LoadThread, serveLoads, startLoadThread } from './load-thread.ts'
import { createItems } from './order-items.ts'
import { mix } from './statistics.ts'

export interface SendersTarget {
  readonly port: number
  readonly path: string
  readonly key: string
}

/** The timings of batches, all of which were committed. */
export interface BatchRun {
  /** Milliseconds of each batch until the response that it is committed. */
  readonly ms: readonly number[]
  /** From the start to the last response. */
  readonly seconds: number
}

const memos = [
  'Ärmel prüfen – größer als bestellt',
  '请在装运前确认尺寸',
  'À vérifier : côté gauche déchiré',
  'Kumaş değişti 🧵',
  null,
  null,
]

/** Creates batches of order items: half are changes of stored items, half are new. */
export const createBatches = async (
  rows: number,
): Promise<{ readonly next: (size: number) => string }> => {
  const { records } = await openStory()
  const item = createItems(records, rows)
  let made = 0
  const line = (): string => {
    made += 1
    const isNew = made % 2 === 0
    const { id, ...rest } = item(isNew ? rows + made : mix(made, 51) % rows)
    const memo = memos[made % memos.length] ?? null
    const record = { id, ...rest, memo, qty: 1 + (made % 5_000) }
    const change = { collection: 'order-items', id, operation: 'put', record }
    return `${JSON.stringify(change)}\n`
  }
  return { next: (size) => Array.from({ length: size }, line).join('') }
}

/** Sends batches one after the other, or at a fixed rate without waiting for earlier responses. */
export const sendBatches = async (
  { port, path, key }: SendersTarget,
  bodies: readonly string[],
  perSecond: number | null,
): Promise<BatchRun> => {
  const agent = new Agent({ keepAlive: true })
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/x-ndjson',
    prefer: 'wait=30',
  }
  const send = async (body: string): Promise<number> => {
    const began = performance.now()
    const sent = request({ agent, port, host: '127.0.0.1', path, method: 'POST', headers })
    sent.end(body)
    const [response] = await once(sent, 'response')
    const answer = await text(response)
    const took = performance.now() - began
    if (response.statusCode !== 200) throw new Error(`${response.statusCode} ${answer}`)
    return took
  }
  const began = performance.now()
  const sending: Promise<number>[] = []
  for (const [index, body] of bodies.entries()) {
    if (perSecond === null) await sending.at(-1)
    else {
      const early = began + (index * 1_000) / perSecond - performance.now()
      if (early > 0) await wait(early)
    }
    sending.push(send(body))
  }
  const ms = await Promise.all(sending)
  agent.destroy()
  return { ms, seconds: (performance.now() - began) / 1_000 }
}

export interface BatchesLoad {
  readonly bodies: readonly string[]
  readonly perSecond: number
}

export const startSenders = (target: SendersTarget): Promise<LoadThread<BatchesLoad, BatchRun>> =>
  startLoadThread(import.meta.url, target)

serveLoads(import.meta.url, (target: SendersTarget, { bodies, perSecond }: BatchesLoad) =>
  sendBatches(target, bodies, perSecond),
)
