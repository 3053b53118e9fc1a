import { fork } from 'node:child_process'
import { once } from 'node:events'
import { startCluster } from '../test/support/cluster.ts'
import { check } from './check.ts'
import { slowKinds, timeoutSeconds, type WasCut } from './slow/kinds.ts'
import { openMixedLoad } from './soak/load.ts'

interface Size {
  readonly connections: number
  readonly calmSeconds: number
  /** How long others ask meanwhile: up to a little longer than the longest of the timeouts. */
  readonly slowSeconds: number
  /** How late a connection may be cut, in seconds. */
  readonly lateSeconds: number
  /** How much slower others may be served meanwhile. */
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
    const misses: string[] = []
    try {
      await load.askFor(calmSeconds)
      const before = await load.askFor(calmSeconds)
      log(`before: p99 ${before.p99Ms.toFixed(2)} ms`)
      const words = [new URL(cluster.url).port, connections, cluster.path, cluster.key, 30_000]
      const slow = fork(new URL('slow/slow-process.ts', import.meta.url), words.map(String))
      const cutting = once(slow, 'message') as Promise<[readonly WasCut[]]>
      const meanwhile = await load.askFor(slowSeconds)
      log(`meanwhile: p99 ${meanwhile.p99Ms.toFixed(2)} ms`)
      const [cut] = await cutting
      const after = await load.askFor(calmSeconds)
      const calmMs = Math.max(before.p99Ms, after.p99Ms)
      if (meanwhile.p99Ms > calmMs * slower) {
        misses.push(
          `The p99 was ${meanwhile.p99Ms.toFixed(2)} ms, and ${calmMs.toFixed(2)} without.`,
        )
      }
      for (const { examples } of [before, meanwhile, after]) misses.push(...examples)
      const longest = slowKinds.map((kind) => {
        const took = cut.filter((each) => each.kind === kind).map(({ tookMs }) => tookMs / 1_000)
        const most = Math.max(...took)
        if (most > timeoutSeconds[kind] + lateSeconds) {
          misses.push(`One with a slow ${kind} was cut after ${most.toFixed(1)} s.`)
        }
        return most
      })
      const [idle, headers, body] = longest.map((seconds) => seconds.toFixed(1))
      return {
        measured: `${cut.length.toLocaleString('en')} slow connections: idle connections were closed after at most ${idle} s, slow headers after ${headers} s, slow bodies after ${body} s. The p99 of ${meanwhile.requests.toLocaleString('en')} other requests was ${meanwhile.p99Ms.toFixed(2)} ms; ${before.p99Ms.toFixed(2)} ms before, ${after.p99Ms.toFixed(2)} ms after.`,
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
      await load.close()
      await cluster.close()
    }
  },
})
