/** A PostgreSQL server that crashes or hangs while its Selvedge server receives requests. */
import { setTimeout as wait } from 'node:timers/promises'
import { basePath } from '#contract'
import { percentile } from '../bench/statistics.ts'
import { assertAnswer } from '../test/support/answers.ts'
import { type Cluster, startCluster } from '../test/support/cluster.ts'
import { openPostgres, type Postgres } from '../test/support/postgres.ts'
import { check } from './check.ts'
import { askSteadily, firstGoodAfter, type Seen, slowestOf } from './outage/steadily.ts'

/** The product and PostgreSQL in separate processes, under constant requests. */
interface Served {
  readonly postgres: Postgres
  readonly cluster: Cluster
  readonly seen: readonly Seen[]
  /**
   * Requests a path of the demo brand or an absolute path, and checks the response against the
   * contract.
   */
  get(path: string): Promise<{ readonly status: number }>
}

interface Disturbed {
  readonly seen: readonly Seen[]
  readonly statuses: ReadonlyMap<number, number>
  readonly slowestMs: number
  /** Missing responses and violations of the contract. */
  readonly problems: readonly string[]
  readonly misses: string[]
}

/** Disturbs PostgreSQL several times, under the load of some clients. */
const disturb = async (
  { clients, times }: { readonly clients: number; readonly times: number },
  disturbOnce: (served: Served, miss: (sentence: string) => void) => Promise<void>,
  log: (sentence: string) => void,
): Promise<Disturbed> => {
  const misses: string[] = []
  const postgres = await openPostgres()
  try {
    const DATABASE_URL = await postgres.url()
    const cluster = await startCluster({ WORKERS: '2', LOG_LEVEL: 'error', DATABASE_URL })
    const workers = cluster.workers().join()
    const get: Served['get'] = async (path) => {
      const url = path.startsWith('/') ? path : `${basePath}/brands/aldermoor/${path}`
      const headers = { authorization: `Bearer ${cluster.key}` }
      const response = await fetch(cluster.url + url, { headers })
      const text = await response.text()
      const body = text === '' ? null : JSON.parse(text)
      const { status } = response
      if (url.startsWith(basePath)) {
        assertAnswer('GET', url, { status, headers: response.headers, text, body })
      }
      return { status }
    }
    const { seen, problems, stop } = askSteadily(get, clients)
    try {
      for (let count = 1; count <= times; count += 1) {
        await wait(500)
        await disturbOnce({ postgres, cluster, seen, get }, (sentence) =>
          misses.push(`Time ${count}: ${sentence}`),
        )
        log(`${count} of ${times} times`)
      }
      if (cluster.workers().join() !== workers) misses.push('A worker was restarted.')
    } finally {
      await stop()
      await cluster.close()
    }
    misses.push(...problems)
    const statuses = new Map<number, number>()
    for (const { status } of seen) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    for (const [status, count] of statuses) {
      if (status !== 200 && status !== 500) misses.push(`${count} answers were ${status}.`)
    }
    return { seen, statuses, slowestMs: slowestOf(seen), problems, misses }
  } finally {
    await postgres.close()
  }
}

const clients = 16

export const outage = check({
  id: 'R9',
  claim: 'When PostgreSQL crashes and comes back, the server recovers without a restart.',
  target:
    'The PostgreSQL server killed under load from 16 clients, for a second each time: only 200 and 500 responses that conform to the contract, the first 200 within 1 s of accepting connections, and no process of the server restarted.',
  // The time limit for the first 200. A machine that runs other tests needs longer.
  sizes: { short: { kills: 1, backMs: 3_000 }, full: { kills: 10, backMs: 1_000 } },
  try: async ({ kills, backMs }, { log }) => {
    const returns: number[] = []
    const { statuses, slowestMs, problems, misses } = await disturb(
      { clients, times: kills },
      async ({ postgres, seen }, miss) => {
        await postgres.kill()
        const killed = performance.now()
        await wait(1_000)
        await postgres.start()
        const back = performance.now()
        await wait(1_500)
        while (firstGoodAfter(seen, back) === Infinity && performance.now() - back < 20_000) {
          await wait(50)
        }
        returns.push(firstGoodAfter(seen, back))
        if (!seen.some(({ at, status }) => at > killed && at < back && status === 500)) {
          miss('no client noticed.')
        }
      },
      log,
    )
    const latest = Math.max(...returns)
    if (latest > backMs) misses.push(`The first 200 came after ${latest.toFixed(0)} ms.`)
    const [good = 0, refused = 0] = [200, 500].map((status) => statuses.get(status))
    return {
      measured: `${kills} outages with ${clients} clients: ${good.toLocaleString('en')} × 200, ${refused.toLocaleString('en')} × 500, ${problems.length} not conforming; the first 200 at most ${latest.toFixed(0)} ms after it accepted connections, the slowest response ${slowestMs.toFixed(0)} ms, no worker restarted.`,
      counts: {
        ...{ kills, good, refused, problems: problems.length },
        backMs: Math.round(latest),
        slowestMs: Math.round(slowestMs),
      },
      misses,
    }
  },
})

const healthMs = 50

export const freeze = check({
  id: 'R10',
  claim: 'When PostgreSQL hangs, no request waits longer than a second.',
  target:
    'All processes of the PostgreSQL server stopped under load from 8 clients: the slowest response within 1.1 s, /healthz within 50 ms, and 200 again once the server continues.',
  // The share of /healthz responses that must be in time; lower for a busy machine.
  sizes: {
    short: { freezes: 1, frozenMs: 2_000, answerMs: 4_000, healthShare: 0.5 },
    full: { freezes: 6, frozenMs: 4_000, answerMs: 1_100, healthShare: 1 },
  },
  try: async ({ freezes, frozenMs, answerMs, healthShare }, { log }) => {
    const health: number[] = []
    const { seen, slowestMs, misses } = await disturb(
      { clients: 8, times: freezes },
      async ({ postgres, seen: answers, get }, miss) => {
        const processes = postgres.processes()
        for (const pid of processes) process.kill(pid, 'SIGSTOP')
        try {
          const frozen = performance.now()
          while (performance.now() - frozen < frozenMs) {
            const at = performance.now()
            const { status } = await get('/healthz')
            health.push(performance.now() - at)
            if (status !== 200) miss(`/healthz answered ${status}.`)
            await wait(50)
          }
          const { status } = await get('/readyz')
          if (status !== 503) miss(`/readyz answered ${status} while it was frozen.`)
        } finally {
          for (const pid of processes) process.kill(pid, 'SIGCONT')
        }
        const back = performance.now()
        await wait(2_000)
        const good = firstGoodAfter(answers, back)
        if (good > answerMs) miss(`The first 200 came ${good.toFixed(0)} ms after it continued.`)
      },
      log,
    )
    if (slowestMs > answerMs) misses.push(`The slowest answer took ${slowestMs.toFixed(0)} ms.`)
    health.sort((a, b) => a - b)
    const healthy = percentile(health, healthShare)
    if (healthy > healthMs) misses.push(`/healthz took ${healthy.toFixed(0)} ms.`)
    const slowestHealth = health.at(-1) ?? Number.NaN
    return {
      measured: `${freezes} freezes of ${frozenMs / 1_000} s: of ${seen.length.toLocaleString('en')} responses, the slowest took ${slowestMs.toFixed(0)} ms; of ${health.length} responses of /healthz, the slowest took ${slowestHealth.toFixed(0)} ms.`,
      counts: {
        ...{ freezes, answers: seen.length, slowestMs: Math.round(slowestMs) },
        ...{ health: health.length, slowestHealthMs: Math.round(slowestHealth) },
      },
      misses,
    }
  },
})
