import { startCluster } from '../test/support/cluster.ts'
import { check } from './check.ts'
import { openClient } from './client-process.ts'
import type { SlowConnections, SlowWay } from './slow/slow-process.ts'
import { askAround, openMixedLoad } from './soak/load.ts'

/** Seconds after which the server may close a connection that is slow in this way. */
const timeoutSeconds = { idle: 5, headers: 5, body: 10 }

interface Size {
  readonly connections: number
  readonly calmSeconds: number
  /** Duration of the other clients' requests: at most slightly longer than any timeout. */
  readonly slowSeconds: number
  /** Maximum delay of closing a connection, in seconds. */
  readonly lateSeconds: number
  /** Maximum slowdown of other clients meanwhile. */
  readonly slower: number
}

export default check<Size>({
  id: 'R12',
  claim: 'Connections of slow clients are closed, and other clients are not affected.',
  target:
    '1,000 connections that send nothing, or send headers or a body slowly: each is closed within 1 s of its timeout; the p99 latency of other clients is at most twice that without them, in the same run.',
  sizes: {
    short: { connections: 90, calmSeconds: 0.5, slowSeconds: 1, lateSeconds: 5, slower: Infinity },
    full: { connections: 1_000, calmSeconds: 8, slowSeconds: 12, lateSeconds: 1.1, slower: 2 },
  },
  try: async (size, { seed, log }) => {
    const { connections, calmSeconds, slowSeconds, lateSeconds, slower } = size
    const cluster = await startCluster({ WORKERS: '1', LOG_LEVEL: 'error' })
    const load = await openMixedLoad(cluster, { seed, connections: 8 })
    const slow = openClient<SlowConnections, readonly number[]>(
      new URL('slow/slow-process.ts', import.meta.url),
      [new URL(cluster.url).port],
    )
    const head = `GET ${cluster.path} HTTP/1.1\r\nHost: api\r\n`
    const ways = [
      { begins: '', drips: '' },
      { begins: `${head}X-A: `, drips: 'a' },
      {
        begins: `${head}Authorization: Bearer ${cluster.key}\r\nContent-Length: 1000\r\n\r\n`,
        drips: 'a',
      },
    ].map((way): SlowWay => ({ ...way, everyMs: 1_000, reads: true }))
    try {
      const around = await askAround(
        load,
        { calmSeconds, meanwhileSeconds: slowSeconds, slower },
        () => slow.run({ ways, count: connections, patienceMs: 30_000 }),
        log,
      )
      const { result: cut, meanwhile, calmMs, misses } = around
      const longest = Object.entries(timeoutSeconds).map(([kind, timeout], way) => {
        const took = cut.filter((_, index) => index % ways.length === way)
        const most = Math.max(...took) / 1_000
        if (most > timeout + lateSeconds) {
          misses.push(`One with a slow ${kind} was cut after ${most.toFixed(1)} s.`)
        }
        return most
      })
      const [idle, headers, body] = longest.map((seconds) => seconds.toFixed(1))
      return {
        measured: `${cut.length.toLocaleString('en')} slow connections: idle connections were closed after at most ${idle} s, slow headers after ${headers} s, slow bodies after ${body} s. ${around.measured}`,
        counts: {
          connections: cut.length,
          longestMs: Math.round(Math.max(...longest) * 1_000),
          requests: meanwhile.requests,
          calmP99Us: Math.round(calmMs * 1_000),
          slowP99Us: Math.round(meanwhile.p99Ms * 1_000),
        },
        misses,
      }
    } finally {
      await slow.close()
      await load.close()
      await cluster.close()
    }
  },
})
