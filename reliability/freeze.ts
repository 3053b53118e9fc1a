import { setTimeout as wait } from 'node:timers/promises'
import { percentile } from '../bench/statistics.ts'
import { check } from './check.ts'
import { serveOnPostgres } from './outage/served.ts'
import { askSteadily, firstGoodAfter, slowestOf } from './outage/steadily.ts'

interface Size {
  readonly freezes: number
  readonly frozenMs: number
  readonly answerMs: number
  /** Which share of the answers of /healthz must be in time: a busy machine has others to run. */
  readonly healthShare: number
}

const clients = 8
const healthMs = 50

export default check<Size>({
  id: 'R10',
  claim: 'When PostgreSQL hangs, no request waits longer than a second.',
  target:
    'All processes of the PostgreSQL server stopped under load from 8 clients: the slowest response within 1.1 s, /healthz within 50 ms, and 200 again once the server continues.',
  sizes: {
    short: { freezes: 1, frozenMs: 2_000, answerMs: 4_000, healthShare: 0.5 },
    full: { freezes: 6, frozenMs: 4_000, answerMs: 1_100, healthShare: 1 },
  },
  try: async ({ freezes, frozenMs, answerMs, healthShare }, { log }) => {
    const served = await serveOnPostgres()
    const { postgres } = served
    const misses: string[] = []
    const health: number[] = []
    const { seen, problems, stop } = askSteadily(served.get, clients)
    let processes: number[] = []
    const thaw = () => {
      for (const pid of processes.splice(0)) process.kill(pid, 'SIGCONT')
    }
    try {
      for (let count = 0; count < freezes; count += 1) {
        await wait(500)
        processes = [...postgres.processes()]
        for (const pid of processes) process.kill(pid, 'SIGSTOP')
        const frozen = performance.now()
        while (performance.now() - frozen < frozenMs) {
          const at = performance.now()
          const { status } = await served.get('/healthz')
          health.push(performance.now() - at)
          if (status !== 200) misses.push(`/healthz answered ${status}.`)
          await wait(50)
        }
        const { status } = await served.get('/readyz')
        if (status !== 503) misses.push(`/readyz answered ${status} while it was frozen.`)
        thaw()
        const back = performance.now()
        await wait(2_000)
        const good = firstGoodAfter(seen, back)
        if (good > answerMs)
          misses.push(`The first 200 came ${good.toFixed(0)} ms after it continued.`)
        log(`${count + 1} of ${freezes} times`)
      }
    } finally {
      thaw()
      await stop()
      await served.close()
    }
    misses.push(...problems)
    for (const { status } of seen) {
      if (status !== 200 && status !== 500) misses.push(`An answer was ${status}.`)
    }
    const slowest = slowestOf(seen)
    if (slowest > answerMs) misses.push(`The slowest answer took ${slowest.toFixed(0)} ms.`)
    const sorted = health.toSorted((a, b) => a - b)
    const healthy = percentile(sorted, healthShare)
    if (healthy > healthMs) misses.push(`/healthz took ${healthy.toFixed(0)} ms.`)
    const slowestHealth = sorted.at(-1) ?? Number.NaN
    return {
      measured: `${freezes} freezes of ${frozenMs / 1_000} s: of ${seen.length.toLocaleString('en')} responses, the slowest took ${slowest.toFixed(0)} ms; of ${health.length} responses of /healthz, the slowest took ${slowestHealth.toFixed(0)} ms.`,
      counts: {
        freezes,
        answers: seen.length,
        slowestMs: Math.round(slowest),
        health: health.length,
        slowestHealthMs: Math.round(slowestHealth),
      },
      misses,
    }
  },
})
