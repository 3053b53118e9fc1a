import { setTimeout as wait } from 'node:timers/promises'
import { openRecords } from '#server'
import { ask, startCluster } from '../test/support/cluster.ts'
import { check } from './check.ts'

const limitMs = 1_000
/** How long to use the revoked key after the last process refused it. */
const quietMs = 300
/** The number of concurrent clients. */
const atOnce = Array.from({ length: 12 })

export default check({
  id: 'R21',
  claim: 'A revoked key is rejected by every process within a second.',
  target: 'From 1 s after its revocation, no process accepts a key.',
  sizes: { short: { workers: 2, rounds: 1 }, full: { workers: 4, rounds: 20 } },
  try: async ({ workers, rounds }, { log }) => {
    const cluster = await startCluster({ WORKERS: String(workers), STANDBY_WORKERS: '1' })
    const records = await openRecords({ databaseUrl: cluster.databaseUrl })
    const misses: string[] = []
    const slowest: number[] = []
    let sent = 0
    for (let round = 0; round < rounds; round += 1) {
      const { id, key } = await records.keys.issue({
        name: `round ${round}`,
        brands: [],
        global: true,
        expiresAt: null,
        perSecond: null,
        burst: null,
      })
      const target = { url: cluster.url, path: cluster.path, key }
      // Every process must have accepted the key before, so that each has cached it.
      const answering = new Set<string>()
      for (const until = performance.now() + 60_000; answering.size < workers; ) {
        if (performance.now() > until) throw new RangeError('Not every process took the key.')
        // Concurrent requests: an idle process would take all sequential ones.
        for (const { status, worker } of await Promise.all(atOnce.map(() => ask(target)))) {
          sent += 1
          if (status === 200) answering.add(worker)
        }
      }
      await records.keys.revoke(id)
      const revokedAt = performance.now()
      let lastTaken = 0
      /** The time of each process's first refusal. */
      const refusing = new Map<string, number>()
      let refusedAt = revokedAt
      const lane = async () => {
        for (;;) {
          const now = performance.now()
          const isOver = refusing.size >= workers && now - refusedAt > quietMs
          if (isOver || now - revokedAt > 10 * limitMs) return
          const began = performance.now() - revokedAt
          const { status, worker } = await ask(target)
          sent += 1
          if (status === 200) {
            lastTaken = Math.max(lastTaken, began)
            // Responses to earlier requests may arrive later.
            const refused = refusing.get(worker) ?? Number.POSITIVE_INFINITY
            if (now > refused) misses.push(`${worker} took a key that it had refused.`)
          } else if (status === 401 || status === 429) {
            if (!refusing.has(worker)) {
              refusedAt = performance.now()
              refusing.set(worker, refusedAt)
            }
          } else misses.push(`Round ${round}: ${status}.`)
          await wait(2)
        }
      }
      await Promise.all(atOnce.map(lane))
      slowest.push(lastTaken)
      if (refusing.size < workers)
        misses.push(`Round ${round}: ${refusing.size} processes refused.`)
      if (lastTaken > limitMs) {
        misses.push(`Round ${round}: taken when asked ${Math.round(lastTaken)} ms afterwards.`)
      }
      log(`round ${round + 1} of ${rounds}: last taken ${Math.round(lastTaken)} ms afterwards`)
    }
    await records.close()
    await cluster.close()
    const latest = Math.round(Math.max(...slowest))
    return {
      measured: `${rounds} ${rounds === 1 ? 'key' : 'keys'} revoked under ${workers} processes, ${sent.toLocaleString('en')} requests; the last accepted request was sent ${latest} ms after the revocation.`,
      counts: { keys: rounds, processes: workers, requests: sent, lastTakenMs: latest },
      misses,
    }
  },
})
