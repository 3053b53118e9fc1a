import { putLoad, startCluster, until } from '../test/support/cluster.ts'
import { check } from './check.ts'

const workers = 3

export default check({
  id: 'R8',
  claim: 'A restart loses no request.',
  target:
    '16 rolling restarts of 3 workers under load from 48 clients that send requests without a pause, 32 on keep-alive connections and 16 on a new connection each time: more than 90,000 requests, none failed.',
  sizes: {
    short: { restarts: 2, requests: 200 },
    full: { restarts: 16, requests: 90_001 },
  },
  try: async ({ restarts, requests }, { log }) => {
    const cluster = await startCluster({ WORKERS: String(workers), LOG_LEVEL: 'error' })
    const load = putLoad(cluster)
    try {
      for (let count = 0; count < restarts; count += 1) {
        await cluster.replace()
        // Spreads the restarts over all requests.
        const share = (requests * (count + 1)) / restarts
        await until(() => load.answered >= share)
        log(`${count + 1} of ${restarts} restarts, ${load.answered} answered`)
      }
    } finally {
      await load.stop()
      await cluster.close()
    }
    const { answered, failed, seen } = load
    const misses = failed.map(({ what, holder }) => `${what}, from ${holder ?? 'none yet'}`)
    if (seen.size < workers * restarts) misses.push(`Only ${seen.size} workers answered.`)
    return {
      measured: `${restarts} restarts, ${answered.toLocaleString('en')} requests served by ${seen.size} successive workers, ${failed.length} failed.`,
      counts: { restarts, answered, workers: seen.size, failed: failed.length },
      misses,
    }
  },
})
