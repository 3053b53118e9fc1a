import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { openRecords, readServiceConfig } from '#server'
import { mainFile } from '../test/support/command.ts'
import { check } from './check.ts'
import { hostileMessages, type Starts } from './mcp/messages.ts'
import { askOthers } from './others.ts'
import { type Serving, startServing } from './server-process.ts'

interface Size {
  readonly orders: number
  /** Repetitions of each message. The fastest counts, since the first ones compile code. */
  readonly rounds: number
  readonly busyMsMax: number
  /** Duration of the other clients' requests, without and with an agent's messages. */
  readonly seconds: number
  /** Maximum increase of the other clients' p99. */
  readonly slowerMs: number
}

const brand = 'large'

export default check<Size>({
  id: 'R27',
  claim: 'No message of an agent prevents a server from serving other clients.',
  target:
    'Of a list of hostile messages to /mcp (thousands of names, deep nesting, batches of lineage walks, the longest pages), none blocks the event loop for more than 20 ms of CPU time at a time. While one key sends them at its rate limit, the p99 latency of other clients is at most 25 ms higher than without them.',
  sizes: {
    short: { orders: 3, rounds: 2, busyMsMax: 100, seconds: 0.5, slowerMs: Infinity },
    full: { orders: 2_500, rounds: 5, busyMsMax: 20, seconds: 10, slowerMs: 25 },
  },
  try: async ({ orders, rounds, busyMsMax, seconds, slowerMs }, { log }) => {
    const folder = mkdtempSync(join(tmpdir(), 'selvedge-agents-'))
    const environment = {
      ...process.env,
      NODE_TEST_CONTEXT: undefined,
      PORT: '0',
      HOST: '127.0.0.1',
      NODE_ENV: 'production',
      WORKERS: '1',
      STANDBY_WORKERS: '0',
      LOG_LEVEL: 'error',
      DATABASE_URL: `sqlite:${join(folder, 'selvedge.db')}`,
      IMAGES_URL: `file:${join(folder, 'images')}`,
    }
    const misses: string[] = []
    let stop = async (): Promise<void> => {}
    try {
      const records = await fill(orders, environment)
      log(`${records.toLocaleString('en')} records`)
      // First without a rate limit: the cost of one message does not depend on it.
      const free = { RATE_PER_SECOND: '1000000', RATE_BURST: '1000000' }
      const server = await openServer(folder, { ...environment, ...free })
      stop = server.stop
      const messages = hostileMessages(await findStarts(server))
      let [busiestMs, busiest] = [0, '']
      for (const { name, bodies } of messages) {
        let calmestMs = Infinity
        for (let round = 0; round < rounds; round += 1) {
          const [, busyMs] = await server.busyDuring(() =>
            Promise.all(bodies.map((body) => post(server, body))),
          )
          calmestMs = Math.min(calmestMs, busyMs)
        }
        log(`${name}: ${calmestMs.toFixed(1)} ms`)
        if (calmestMs > busiestMs) [busiestMs, busiest] = [calmestMs, name]
        if (calmestMs > busyMsMax) {
          misses.push(`${name} kept the event loop busy for ${calmestMs.toFixed(1)} ms.`)
        }
      }
      await stop()

      const limited = await openServer(folder, environment)
      stop = limited.stop
      // The first message loads the protocol library.
      await post(limited, messages[0]?.bodies[0] ?? '')
      await p99Of(limited, seconds / 4)
      const calm = await p99Of(limited, seconds)
      let isOver = false
      const sending = (async () => {
        const bodies = messages.flatMap((message) => message.bodies)
        let sent = 0
        for (let index = 0; !isOver; index += 1) {
          const retryAfter = await post(limited, bodies[index % bodies.length] ?? '')
          sent += 1
          if (retryAfter > 0) await wait(50)
        }
        return sent
      })()
      const meanwhile = await p99Of(limited, seconds)
      isOver = true
      const sent = await sending
      if (meanwhile.p99Ms > calm.p99Ms + slowerMs) {
        misses.push(
          `The p99 of others was ${meanwhile.p99Ms.toFixed(1)} ms, and ${calm.p99Ms.toFixed(1)} ms without.`,
        )
      }
      return {
        measured: `${messages.length} kinds of messages on a brand of ${records.toLocaleString('en')} records: the event loop was blocked for at most ${busiestMs.toFixed(1)} ms at a time (${busiest}). The p99 of ${meanwhile.requests.toLocaleString('en')} requests of other clients was ${meanwhile.p99Ms.toFixed(1)} ms while ${sent.toLocaleString('en')} of them were sent, and ${calm.p99Ms.toFixed(1)} ms without.`,
        counts: {
          messages: messages.length,
          records,
          busiestUs: Math.round(busiestMs * 1_000),
          calmP99Us: Math.round(calm.p99Ms * 1_000),
          p99Us: Math.round(meanwhile.p99Ms * 1_000),
        },
        misses,
      }
    } finally {
      await stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
})

const fill = async (orders: number, env: NodeJS.ProcessEnv): Promise<number> => {
  const size = ['--orders', String(orders), '--as-of', '2026-06-01']
  const args = [mainFile, 'demo', '--brand', brand, ...size, '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
  })
  await once(child, 'close')
  return JSON.parse(text).records as number
}

interface Server extends Serving {
  /** The keys of the agent and of another client. */
  readonly key: string
  readonly otherKey: string
}

const openServer = async (folder: string, env: NodeJS.ProcessEnv): Promise<Server> => {
  const records = await openRecords(readServiceConfig(env))
  const rights = { brands: [brand], global: false, expiresAt: null, perSecond: null, burst: null }
  const { key } = await records.keys.issue({ name: 'agent', ...rights })
  const { key: otherKey } = await records.keys.issue({ name: 'other', ...rights })
  await records.close()
  return { ...(await startServing(folder, env, { hasMeter: true })), key, otherKey }
}

/** Seconds to wait if the rate limit is reached. */
const post = async ({ url, key }: Server, body: string): Promise<number> => {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body,
  })
  await response.text()
  if (response.status >= 500) throw new Error(`/mcp answered ${response.status}.`)
  return response.status === 429 ? Number(response.headers.get('retry-after')) : 0
}

const startGroups = [
  'orders',
  'order-items',
  'skus',
  'suppliers',
  'shipments',
  'payments',
  'seasons',
  'products',
]

/** The first record of groups along the chain, which have the most connections. */
const findStarts = async ({ url, key }: Server): Promise<Starts> => {
  const results: { [group: string]: string } = {}
  for (const group of startGroups) {
    const response = await fetch(`${url}${basePath}/brands/${brand}/${group}?limit=1`, {
      headers: { authorization: `Bearer ${key}` },
    })
    if (response.status !== 200) continue
    const { items } = (await response.json()) as { items: readonly { id: string }[] }
    if (items[0]) results[group] = items[0].id
  }
  return results
}

/** Requests with another key, below its rate limit. */
const p99Of = ({ url, otherKey }: Server, seconds: number) =>
  askOthers({
    ...{ url, keys: [otherKey], seconds, pauseMs: 60 },
    pathAt: () => `${basePath}/brands/${brand}/orders?limit=25`,
  })
