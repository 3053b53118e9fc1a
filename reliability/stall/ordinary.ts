import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { itemId, orderId, ordersOf } from '../../bench/order-items.ts'
import { mix, percentile } from '../../bench/statistics.ts'
import { brand } from './brand.ts'

const clients = 32
/** Between two requests of a client, so that the server is busy and not saturated. */
const pauseMs = 20
const healthEveryMs = 20

/** The server that is asked, and the keys to it: the first one is not used for ordinary requests. */
export interface Target {
  readonly url: string
  readonly keys: readonly string[]
  readonly rows: number
  readonly seed: number
}

/** What ordinary requests and health checks took. */
export interface Phase {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly healthP99Ms: number
  readonly healthMaxMs: number
  readonly requests: number
}

/** Characters of a body that are kept: enough for an error. */
const bodyMax = 2_000

export interface MeasuredResponse {
  readonly status: number
  /** The beginning of it. */
  readonly body: string
  readonly tookMs: number
}

export const ask = (url: string, key: string, agent: Agent): Promise<MeasuredResponse> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const sent = request(
      url,
      { agent, headers: { authorization: `Bearer ${key}` } },
      (response) => {
        let body = ''
        response.on('data', (chunk: Buffer) => {
          if (body.length < bodyMax) body += chunk.toString('latin1', 0, bodyMax)
        })
        response.once('error', reject)
        response.once('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body,
            tookMs: performance.now() - began,
          }),
        )
      },
    )
    sent.once('error', reject)
    sent.end()
  })

/** Gets, and pages of the items of an order, far apart, so that hardly any response is cached. */
const ordinaryPath = ({ rows, seed }: Target, n: number): string =>
  n % 4 === 0
    ? `order-items/${itemId(mix(n, seed) % rows)}`
    : `order-items?orderId=${orderId(mix(n, seed) % ordersOf(rows))}&limit=${5 + (n % 20)}`

/** Ordinary requests of all clients, and health checks, for some seconds. */
export const runPhase = async (
  target: Target,
  phase: number,
  seconds: number,
  failures: string[],
): Promise<Phase> => {
  const { url, keys } = target
  const agent = new Agent({ keepAlive: true })
  const until = performance.now() + seconds * 1_000
  const [took, health]: [number[], number[]] = [[], []]
  const client = async (index: number) => {
    const key = keys[1 + (index % (keys.length - 1))] ?? ''
    for (let n = index + phase * 1_000_000; performance.now() < until; n += clients) {
      const path = ordinaryPath(target, n)
      const { status, tookMs } = await ask(`${url}${basePath}/brands/${brand}/${path}`, key, agent)
      took.push(tookMs)
      if (status !== 200) failures.push(`${path} was answered with ${status}.`)
      await wait(pauseMs)
    }
  }
  const checkHealth = async () => {
    while (performance.now() < until) {
      health.push((await ask(`${url}/healthz`, '', agent)).tookMs)
      await wait(healthEveryMs)
    }
  }
  await Promise.all([checkHealth(), ...Array.from({ length: clients }, (_, n) => client(n))])
  agent.destroy()
  const [sorted, sortedHealth] = [took, health].map((values) => values.toSorted((a, b) => a - b))
  return {
    p50Ms: percentile(sorted ?? [], 0.5),
    p99Ms: percentile(sorted ?? [], 0.99),
    healthP99Ms: percentile(sortedHealth ?? [], 0.99),
    healthMaxMs: sortedHealth?.at(-1) ?? 0,
    requests: took.length,
  }
}
