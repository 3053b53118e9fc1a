import { setTimeout as wait } from 'node:timers/promises'
import { check } from './check.ts'
import { sendMixed } from './usage/requests.ts'
import { type ServedUsage, serveUsage } from './usage/served.ts'

interface Size {
  /** Requests before and after each of two crashes. */
  readonly requests: number
  /** How much later than planned a worker may write on a busy machine. */
  readonly lateMs: number
}

const workers = 2
/** Usage is written every 5 s. A worker that is killed loses at most what it counted since. */
const intervalMs = 5_000
/** A busy machine may write this much later. */
const patienceMs = 25_000

/** The sums that must be the same in the log and in the usage, by key, brand and operation. */
const differences = async (served: ServedUsage): Promise<readonly string[]> => {
  const until = performance.now() + intervalMs + patienceMs
  for (;;) {
    const [logged, stored] = [served.logged(), await served.stored()]
    const names = new Set([...logged.keys(), ...stored.keys()])
    const misses = [...names].flatMap((name) => {
      const [inLog, inUsage] = [logged.get(name) ?? 'none', stored.get(name) ?? 'none']
      return inLog === inUsage ? [] : [`${name}: the log has ${inLog}, usage ${inUsage}.`]
    })
    if (misses.length === 0 || performance.now() > until) return misses
    await wait(500)
  }
}

export default check<Size>({
  id: 'R46',
  claim: 'Usage is what the access log has, also after a crash.',
  target:
    'Mixed requests of four keys and without a key on 2 workers: after a worker is killed while idle, requests and refusals by key, brand and operation equal a count over the access log, and records and bytes equal what the clients received. After a worker is killed under load, at most what it counted in its last 5 s is missing.',
  sizes: { short: { requests: 600, lateMs: 10_000 }, full: { requests: 25_000, lateMs: 1_000 } },
  try: async ({ requests, lateMs }, { seed, log }) => {
    const served = await serveUsage(workers)
    const misses: string[] = []
    try {
      let sent = 0
      for (const [index, crash] of ['none', 'idle'].entries()) {
        if (crash === 'idle') await served.killWorker()
        const received = await sendMixed(served, { requests, seed: seed + index })
        sent += received.requests
        misses.push(...received.failures)
        misses.push(...(await differences(served)))
        served.receive(received)
        misses.push(...(await served.compareReceived()))
        log(`${sent} requests, after a crash: ${crash}`)
      }
      const exact = sent
      const [before, polls] = [served.total(await served.stored()), served.polls]
      const load = sendMixed(served, { requests, seed: seed + 2, mayFail: true })
      await wait(Math.min(7_000, 1_000 + requests))
      const victim = await served.killWorker()
      sent += (await load).requests
      sent += (await sendMixed(served, { requests, seed: seed + 3 })).requests
      await wait(intervalMs + 2_000)
      const counted = served.total(await served.stored()) - before
      const [least, most] = [
        served.loggedExcept(victim, intervalMs + lateMs) - before,
        sent - exact + served.polls - polls,
      ]
      if (counted < least || counted > most) {
        misses.push(`Under load, usage has ${counted} requests, not ${least} to ${most}.`)
      }
      const lost = most - counted
      return {
        measured: `${sent.toLocaleString('en')} requests: ${exact.toLocaleString('en')} with an idle worker killed in between are all counted, with their records and bytes; of ${most.toLocaleString('en')} with a worker killed under load, ${lost.toLocaleString('en')} are not.`,
        counts: { requests: sent, exact, lost },
        misses,
      }
    } finally {
      await served.close()
    }
  },
})
