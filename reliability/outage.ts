import { setTimeout as wait } from 'node:timers/promises'
import { check } from './check.ts'
import { serveOnPostgres } from './outage/served.ts'
import { askSteadily, firstGoodAfter, slowestOf } from './outage/steadily.ts'

interface Size {
  readonly kills: number
  /** How long it may take until the first 200. A machine that runs other tests needs longer. */
  readonly backMs: number
}

const clients = 16

export default check<Size>({
  id: 'R9',
  claim: 'When PostgreSQL crashes and comes back, the server recovers without a restart.',
  target:
    'The PostgreSQL server killed under load from 16 clients, for a second each time: only 200 and 500 responses that conform to the contract, the first 200 within 1 s of accepting connections, and no process of the server restarted.',
  sizes: { short: { kills: 1, backMs: 3_000 }, full: { kills: 10, backMs: 1_000 } },
  try: async ({ kills, backMs }, { log }) => {
    const served = await serveOnPostgres()
    const { postgres, cluster } = served
    const misses: string[] = []
    const returns: number[] = []
    const workers = cluster.workers().join()
    const { seen, problems, stop } = askSteadily(served.get, clients)
    try {
      for (let count = 0; count < kills; count += 1) {
        await wait(500)
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
          misses.push(`Outage ${count + 1}: no client noticed.`)
        }
        log(`${count + 1} of ${kills} outages`)
      }
      if (cluster.workers().join() !== workers) misses.push('A worker was restarted.')
    } finally {
      await stop()
      await served.close()
    }
    const statuses = new Map<number, number>()
    for (const { status } of seen) statuses.set(status, (statuses.get(status) ?? 0) + 1)
    for (const [status, count] of statuses) {
      if (status !== 200 && status !== 500) misses.push(`${count} answers were ${status}.`)
    }
    misses.push(...problems)
    const latest = Math.max(...returns)
    if (latest > backMs) misses.push(`The first 200 came after ${latest.toFixed(0)} ms.`)
    const slowest = slowestOf(seen)
    return {
      measured: `${kills} outages with ${clients} clients: ${(statuses.get(200) ?? 0).toLocaleString('en')} × 200, ${(statuses.get(500) ?? 0).toLocaleString('en')} × 500, ${problems.length} not conforming; the first 200 at most ${latest.toFixed(0)} ms after it accepted connections, the slowest response ${slowest.toFixed(0)} ms, no worker restarted.`,
      counts: {
        kills,
        good: statuses.get(200) ?? 0,
        refused: statuses.get(500) ?? 0,
        problems: problems.length,
        backMs: Math.round(latest),
        slowestMs: Math.round(slowest),
      },
      misses,
    }
  },
})
