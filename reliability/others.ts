/** Requests of clients that are independent of the check. */
import { Agent, request } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from '../bench/statistics.ts'

/** Response times of these requests. */
export interface Others {
  readonly p50Ms: number
  readonly p99Ms: number
  readonly slowestMs: number
  readonly requests: number
  /** The response time of each request, in ascending order. */
  readonly tookMs: readonly number[]
  /** Requests without a 200 response. */
  readonly failed: readonly string[]
}

interface OthersOptions {
  readonly url: string
  /** Each client uses one key. */
  readonly keys: readonly string[]
  /** The path of the nth request of all clients. */
  readonly pathAt: (n: number) => string
  readonly seconds: number
  readonly clients?: number
  /** The pause between two requests of a client. Keeps the server busy but not saturated. */
  readonly pauseMs: number
}

/** Sends requests for some seconds, one at a time from each client. */
export const askOthers = async ({
  url,
  keys,
  pathAt,
  seconds,
  clients = 1,
  pauseMs,
}: OthersOptions): Promise<Others> => {
  const agent = new Agent({ keepAlive: true })
  const until = performance.now() + seconds * 1_000
  const took: number[] = []
  const failed: string[] = []
  const client = async (index: number) => {
    for (let n = index; performance.now() < until; n += clients) {
      const path = pathAt(n)
      const { status, tookMs } = await ask(url + path, keys[index % keys.length] ?? '', agent)
      took.push(tookMs)
      if (status !== 200) failed.push(`${path} was answered with ${status}.`)
      await wait(pauseMs)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)))
  agent.destroy()
  return othersOf(took, failed)
}

/** The requests of several phases together. */
export const joinOthers = (phases: readonly Others[]): Others =>
  othersOf(
    phases.flatMap(({ tookMs }) => tookMs),
    phases.flatMap(({ failed }) => failed),
  )

const othersOf = (took: readonly number[], failed: readonly string[]): Others => {
  const tookMs = took.toSorted((a, b) => a - b)
  return {
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    slowestMs: tookMs.at(-1) ?? 0,
    requests: tookMs.length,
    tookMs,
    failed,
  }
}

/** Characters to keep of a body: enough for an error. */
const bodyMax = 2_000

export interface MeasuredResponse {
  readonly status: number
  /** The start of the body. */
  readonly body: string
  readonly tookMs: number
}

export const ask = (url: string, key: string, agent: Agent): Promise<MeasuredResponse> =>
  new Promise((resolve, reject) => {
    const began = performance.now()
    const headers = { authorization: `Bearer ${key}` }
    const sent = request(url, { agent, headers }, (response) => {
      let body = ''
      response.on('data', (chunk: Buffer) => {
        if (body.length < bodyMax) body += chunk.toString('latin1', 0, bodyMax)
      })
      response.once('error', reject)
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, body, tookMs: performance.now() - began }),
      )
    })
    sent.once('error', reject)
    sent.end()
  })
