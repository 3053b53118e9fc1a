import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { privateMbOf } from '../bench/process-usage.ts'
import { startCluster } from '../test/support/cluster.ts'
import { check } from './check.ts'
import { openClient } from './client-process.ts'
import type { SlowConnections } from './slow/slow-process.ts'
import { askAround, openMixedLoad } from './soak/load.ts'
import { watchKernelQueues } from './unread/kernel-queues.ts'

interface Size {
  readonly readers: number
  readonly timeoutSeconds: number
  readonly calmSeconds: number
  /** Maximum delay of closing a connection, in seconds. */
  readonly lateSeconds: number
  /** Maximum slowdown of other clients meanwhile. */
  readonly slower: number
  readonly grownMbMax: number
  readonly unsentMbMax: number
}

const cutName = 'selvedge_connections_cut_total{reason="stalled"}'

/**
 * Requests per connection. Their responses exceed the kernel's buffers. With more, a process would
 * have too many unfinished requests and close connections long before the timeout.
 */
const requestsEach = 5

export default check<Size>({
  id: 'R24',
  claim:
    'Connections of clients that do not read their responses are closed, and other clients are not affected.',
  target:
    '1,000 connections that request openapi.json 5 times and read nothing: each is closed within SEND_TIMEOUT_SECONDS and 1.5 s after the kernel accepted the last bytes, memory grows by less than 100 KB for each, at most 150 KB for each is counted as unsent, and none at the end; the p99 latency of other clients is at most 3 times that without them, in the same run.',
  earlierTarget: {
    target: 'It is at most twice that without them.',
    reason:
      'A check of every attack has the same limit: at most 3 times. Accepting and closing 1,000 connections, each with 5 responses, takes CPU time that others wait for.',
  },
  sizes: {
    short: {
      readers: 60,
      timeoutSeconds: 2,
      calmSeconds: 0.5,
      lateSeconds: 10,
      slower: Number.POSITIVE_INFINITY,
      grownMbMax: 150,
      unsentMbMax: 60,
    },
    full: {
      readers: 1_000,
      timeoutSeconds: 30,
      calmSeconds: 8,
      // The server checks progress twice a second.
      lateSeconds: 1.5,
      slower: 3,
      grownMbMax: 100,
      unsentMbMax: 150,
    },
  },
  missing: async () =>
    privateMbOf(process.pid) ? undefined : 'it reads /proc, which is not here.',
  try: async (size, { seed, log }) => {
    const { readers: count, timeoutSeconds, calmSeconds, lateSeconds, slower } = size
    const cluster = await startCluster({
      WORKERS: '1',
      LOG_LEVEL: 'error',
      SEND_TIMEOUT_SECONDS: String(timeoutSeconds),
    })
    const pid = cluster.supervisor.pid ?? 0
    const load = await openMixedLoad(cluster, { seed, connections: 8 })
    const readers = openClient<SlowConnections, readonly number[]>(
      new URL('slow/slow-process.ts', import.meta.url),
      [new URL(cluster.url).port],
    )
    const figureOf = async (name: string) => {
      const text = await (await fetch(cluster.metricsUrl)).text()
      return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? 0)
    }
    try {
      const message = `GET ${basePath}/openapi.json HTTP/1.1\r\nHost: api\r\n\r\n`
      const way = {
        ...{ begins: message.repeat(requestsEach), drips: '\r\n', everyMs: 250, reads: false },
      }
      const patienceMs = (timeoutSeconds * 4 + lateSeconds + 20) * 1_000
      let [beforeMb, unsentMb, mostMb] = [0, 0, 0]
      let isOver = false
      const queues = watchKernelQueues(Number(new URL(cluster.url).port))
      const look = async () => {
        while (!isOver) {
          const unsent = (await figureOf('selvedge_unsent_bytes')) / 2 ** 20
          unsentMb = Math.max(unsentMb, unsent)
          mostMb = Math.max(mostMb, privateMbOf(pid) ?? 0)
          queues.look()
          await wait(250)
        }
      }
      const around = await askAround(
        load,
        { calmSeconds, meanwhileSeconds: Math.max(1, timeoutSeconds - 2), slower },
        async () => {
          beforeMb = privateMbOf(pid) ?? 0
          const looking = look()
          const cut = await readers.run({ ways: [way], count, patienceMs })
          isOver = true
          await looking
          return cut.map((ms) => ms / 1_000)
        },
        log,
      )
      const { result: took, meanwhile, calmMs, misses } = around
      const first = Math.min(...took)
      const last = Math.max(...took)
      const closedAfter = queues.closedAfter()
      const longest = Math.max(...closedAfter)
      if (longest > timeoutSeconds + lateSeconds) {
        misses.push(`One was closed ${longest.toFixed(1)} s after the kernel had accepted a byte.`)
      }
      if (closedAfter.length < count / 2) misses.push(`${closedAfter.length} were observed.`)
      if (first < timeoutSeconds - 1)
        misses.push(`One was cut after ${first.toFixed(1)} s already.`)
      const grownMb = mostMb - beforeMb
      if (grownMb > size.grownMbMax) misses.push(`Memory grew by ${grownMb} MB.`)
      if (unsentMb > size.unsentMbMax) misses.push(`${unsentMb.toFixed(0)} MB were unsent.`)
      if (unsentMb === 0) misses.push('No unsent byte was counted.')
      const left = await figureOf('selvedge_unsent_bytes')
      if (left > 2 ** 20) misses.push(`${left} bytes are still unsent.`)
      const cut = await figureOf(cutName)
      if (cut !== count) misses.push(`${cut} of ${count} connections were counted as cut.`)
      return {
        measured: `${count.toLocaleString('en')} connections that read nothing were closed after ${first.toFixed(1)} to ${last.toFixed(1)} s (SEND_TIMEOUT_SECONDS is ${timeoutSeconds}), at most ${longest.toFixed(1)} s after the kernel had accepted a byte; up to ${unsentMb.toFixed(0)} MB were counted as unsent, memory grew by ${grownMb} MB. ${around.measured}`,
        counts: {
          readers: count,
          longestMs: Math.round(longest * 1_000),
          unsentMb: Math.round(unsentMb),
          grownMb,
          requests: meanwhile.requests,
          calmP99Us: Math.round(calmMs * 1_000),
          meanwhileP99Us: Math.round(meanwhile.p99Ms * 1_000),
        },
        misses,
      }
    } finally {
      await readers.close()
      await load.close()
      await cluster.close()
    }
  },
})
